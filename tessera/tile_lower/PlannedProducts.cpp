// Products on tensor cores: mma.sync on fragments from registers or shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accumulator stays in registers. Operands that a load left in shared memory are read with
// ldmatrix, where rows of 16 bytes lie along K, or along M or N of 16-bit elements, else element by
// element. Others are brought into the fragments' layout.
#include "tessera/atom/SmemDescriptor.h"
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/Planned.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <map>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

using Done = std::optional<LogicalResult>;
constexpr int laneBits = 5;

/// Elements of one operand, as an instruction takes them: in registers of 32 bits.
class Fragments {
public:
  Fragments(Kernel &k, const Product &product, Value operand, bool isLhs)
      : k(k), product(product), isLhs(isLhs), layout(isLhs ? product.lhs : product.rhs),
        element(elementOf(operand.getType())) {
    const atom::Operand &side = isLhs ? product.row->a : product.row->b;
    registers = side.registers.count;
    valueBits = isLhs ? log2Of(product.rowsOfInstruction()) : 3;
    valueBits += log2Of(product.row->k) - product.threadBits();
    from = k.plan->sourceOf(operand);
    if (!from) {
      tile = k.inLayout(operand, layout);
      return;
    }
    base = k.staged.find(from->staging->load)->second.base;
    places = from->places;
    source = elementOf(from->staging->tile());
    findMatrices();
  }

  /// The registers of the fragment whose elements have these bits besides those of a fragment.
  ArrayRef<Value> at(int64_t part) {
    if (known.count(part) == 0) {
      if (!from)
        fromRegisters(part);
      else if (!matrixMasks.empty())
        fromMatrices(part);
      else
        fromElements(part);
    }
    return known[part];
  }

private:
  /// Masks of a thread's number for ldmatrix: three bits of a row's number in a matrix, then
  /// which matrix, then warps. Empty if there are no rows of 16 bytes.
  void findMatrices() {
    constexpr int64_t rowBytes = 16;
    int64_t bytes = memoryBytes(source);
    if (bytes != memoryBytes(element) || product.row->k * bytes != 2 * rowBytes)
      return;
    int k0 = isLhs ? 0 : log2Of(product.extents.n);
    int first = isLhs ? log2Of(product.extents.k) : 0; // M or N
    auto isRun = [&](int bit) {
      for (int i = 0; bytes << i < rowBytes; ++i)
        if (places[size_t(bit + i)] != bytes << i)
          return false;
      return true;
    };
    bool isAlongK = isRun(k0);
    isTransposed = !isAlongK && bytes == 2 && isRun(first);
    if (!isAlongK && !isTransposed)
      return;
    int row = isTransposed ? k0 : first;
    int64_t half = places[size_t(k0 + log2Of(rowBytes / bytes))];
    for (int bit = 0; bit < 3; ++bit)
      matrixMasks.push_back(places[size_t(row + bit)]);
    if (isLhs) {
      matrixMasks.push_back(places[size_t(first + 3)]);
      matrixMasks.push_back(half);
    } else {
      // Two fragments at once, if the warp has both.
      isPair = llvm::is_contained(layout.registers, int8_t(3)) && product.extents.n > 8;
      matrixMasks.push_back(half);
      matrixMasks.push_back(isPair ? places[3] : 0);
    }
    for (size_t i = laneBits; i < layout.threads.size(); ++i)
      matrixMasks.push_back(layout.threads[i] == noBit ? 0 : places[size_t(layout.threads[i])]);
    address = k.combination(k.thread, matrixMasks);
  }

  Value addressAt(Value mine, int64_t bits) {
    int64_t offset = placeOf(places, bits);
    return k.sharedBytesAt(k.add(base, offset ? k.xori(mine, offset) : mine));
  }

  //===--- Registers from elements and back

  size_t perRegister() const { return (size_t(1) << valueBits) / size_t(registers); }
  Value packed(ArrayRef<Value> values) {
    if (values.size() == 1)
      return k.bitsOf(values[0]);
    auto type = VectorType::get(int64_t(values.size()), values[0].getType());
    Value vector = k.make<LLVM::UndefOp>(type);
    for (auto [i, value] : llvm::enumerate(values))
      vector = k.make<LLVM::InsertElementOp>(vector, value, k.int32(int64_t(i)));
    return k.make<LLVM::BitcastOp>(k.i32, vector);
  }
  SmallVector<Value> unpacked(Value word, Type held) {
    if (perRegister() == 1)
      return {k.bitcast(word, held)};
    Value vector = k.make<LLVM::BitcastOp>(VectorType::get(int64_t(perRegister()), held), word);
    SmallVector<Value> out;
    for (size_t i = 0; i < perRegister(); ++i)
      out.push_back(k.make<LLVM::ExtractElementOp>(vector, k.int32(int64_t(i))));
    return out;
  }
  SmallVector<Value> packedAll(ArrayRef<Value> values) {
    SmallVector<Value> out;
    for (size_t r = 0; r < size_t(registers); ++r)
      out.push_back(packed(values.slice(r * perRegister(), perRegister())));
    return out;
  }
  Value applied(Value value) {
    for (Operation *op : from->elementwise)
      value = rowOf(op)->element(k, op, {value});
    return value;
  }

  //===--- Where they come from

  void fromRegisters(int64_t part) {
    auto first = size_t(layout.registerOf(part));
    SmallVector<Value> values;
    for (size_t v = 0; v < size_t(1) << valueBits; ++v)
      values.push_back(tile.registers[tile.isUniform ? 0 : first + v]);
    known[part] = packedAll(values);
  }

  void fromMatrices(int64_t part) {
    constexpr int64_t pairBit = 8; // of N
    int64_t count = isLhs || isPair ? 4 : 2, first = isPair ? part & ~pairBit : part;
    SmallVector<Type> types(size_t(count), k.i32);
    auto shape = NVVM::LdStMatrixShapeAttr::get(k.b.getContext(), 8, 8);
    auto type = LLVM::LLVMStructType::getLiteral(k.b.getContext(), types);
    auto matrices =
        k.make<NVVM::LdMatrixOp>(type, addressAt(address, first), uint32_t(count),
                                 isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row, shape,
                                 NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> words;
    for (int64_t i = 0; i < count; ++i) {
      Value word = k.make<LLVM::ExtractValueOp>(matrices, ArrayRef<int64_t>{i});
      if (!from->elementwise.empty()) {
        SmallVector<Value> values;
        for (Value held : unpacked(word, memoryType(source)))
          values.push_back(applied(fromMemory(k, source, held)));
        word = packed(values);
      }
      words.push_back(word);
    }
    if (!isPair) {
      known[part] = words;
      return;
    }
    known[first] = SmallVector<Value>(words.begin(), words.begin() + 2);
    known[first | pairBit] = SmallVector<Value>(words.begin() + 2, words.end());
  }

  void fromElements(int64_t part) {
    if (!address) {
      SmallVector<int64_t> masks;
      for (int8_t bit : layout.threads)
        masks.push_back(bit == noBit ? 0 : places[size_t(bit)]);
      address = k.combination(k.thread, masks);
    }
    SmallVector<Value> values;
    for (int64_t v = 0; v < int64_t(1) << valueBits; ++v)
      values.push_back(
          applied(k.loadAt(source, addressAt(address, layout.registerPart(v) | part))));
    known[part] = packedAll(values);
  }

  Kernel &k;
  const Product &product;
  const bool isLhs;
  const BitLayout &layout;
  Type element, source;
  int registers, valueBits;
  const Source *from;
  ThreadTile tile;             // without a source
  Value base;                  // of the staged tile
  SmallVector<int64_t> places; // in it, of each bit of the operand's element
  SmallVector<int64_t> matrixMasks;
  bool isTransposed = false, isPair = false;
  Value address; // what of it this thread's number gives
  std::map<int64_t, SmallVector<Value>> known;
};

std::string listOf(size_t first, size_t count) {
  std::string out = "{";
  for (size_t i = 0; i < count; ++i)
    out += (i ? ", $" : "$") + std::to_string(first + i);
  return out + "}";
}

/// Four numbers of the accumulator after one instruction.
void multiply(Kernel &k, const atom::MmaRow &row, ArrayRef<Value> a, ArrayRef<Value> b,
              llvm::MutableArrayRef<Value> sums) {
  Type type = sums[0].getType();
  StringRef letter = type.isF32() ? "f" : "r";
  std::string text = row.mnemonic + " " + listOf(0, 4) + ", " + listOf(4, a.size()) + ", " +
                     listOf(4 + a.size(), b.size()) + ", " + listOf(4 + a.size() + b.size(), 4) +
                     ";";
  std::string constraints;
  for (int i = 0; i < 4; ++i)
    constraints += ("=" + letter + ",").str();
  for (size_t i = 0; i < a.size() + b.size(); ++i)
    constraints += "r,";
  for (int i = 0; i < 4; ++i)
    constraints += (i ? "," : "") + letter.str();
  SmallVector<Value> operands(a);
  operands.append(b.begin(), b.end());
  operands.append(sums.begin(), sums.end());
  SmallVector<Type> types(4, type);
  Value all =
      k.ptx(text, constraints, LLVM::LLVMStructType::getLiteral(k.b.getContext(), types), operands);
  for (int64_t i = 0; i < 4; ++i)
    sums[size_t(i)] = k.make<LLVM::ExtractValueOp>(all, ArrayRef<int64_t>{i});
}

/// The elements of lhs and rhs that a part of the result needs.
struct Parts {
  Parts(const Extents &e, int64_t result) {
    int n = log2Of(e.n), m = log2Of(e.m), k = log2Of(e.k);
    int64_t row = result >> n & (e.m - 1), column = result & (e.n - 1), batch = result >> (n + m);
    lhs = row << k | batch << (k + m);
    rhs = column | batch << (k + n);
  }
  int64_t lhs, rhs;
};

void multiplyInWarps(Kernel &k, const Product &product, Operation *op,
                     llvm::MutableArrayRef<Value> sums) {
  const Extents &e = product.extents;
  Fragments lhs(k, product, op->getOperand(0), true);
  Fragments rhs(k, product, op->getOperand(1), false);
  for (int64_t step = 0; step < e.k; step += product.row->k)
    for (size_t r = 0; r < sums.size(); r += 4) {
      Parts parts(e, product.result.registerPart(int64_t(r)));
      multiply(k, *product.row, lhs.at(step | parts.lhs), rhs.at(step << log2Of(e.n) | parts.rhs),
               sums.slice(r, 4));
    }
}

//===--- Warpgroups

/// The descriptors of an operand in shared memory, by the bits of elements between instructions.
class Descriptors {
public:
  Descriptors(Kernel &k, Value base, ArrayRef<int64_t> places, uint64_t word,
              ArrayRef<int8_t> threads)
      : k(k), places(places) {
    // The part that depends on the warpgroup; `threads` are bits of the operand's element.
    SmallVector<int64_t> masks;
    for (int8_t bit : threads)
      masks.push_back(bit == noBit ? 0 : places[size_t(bit)]);
    Value start = k.make<LLVM::PtrToIntOp>(
        k.i32, k.sharedBytesAt(k.add(base, k.combination(k.thread, masks))));
    Value units = k.andi(k.shr(start, log2Of(atom::smemAddressUnit)), atom::smemAddressMask);
    first = k.ori(k.resize(units, k.i64, false), int64_t(word));
  }
  Value at(int64_t part) {
    int64_t offset = placeOf(places, part);
    return offset ? k.add(first, offset / atom::smemAddressUnit) : first;
  }

private:
  Kernel &k;
  const SmallVector<int64_t> places;
  Value first;
};

/// Waits until only the last `left` groups of products are in flight.
std::string awaitAllBut(int left) { return cat("wgmma.wait_group.sync.aligned ", left, ";"); }

/// Instructions that change these registers.
void runOn(Kernel &k, llvm::MutableArrayRef<Value> sums, const std::string &instructions,
           const std::string &constraints, ValueRange operands) {
  SmallVector<Type> types(sums.size(), sums[0].getType());
  Value all = k.assembly(instructions, constraints,
                         LLVM::LLVMStructType::getLiteral(k.b.getContext(), types), operands,
                         /*hasEffects=*/true)
                  .getResult(0);
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = k.make<LLVM::ExtractValueOp>(all, ArrayRef<int64_t>{int64_t(i)});
}

/// All instructions in one piece of assembly, from the fence to the wait, so that nothing touches
/// the registers in between. Where something else is done meanwhile, the wait is a piece of its
/// own.
void multiplyInGroups(Kernel &k, const Product &product, Operation *op,
                      llvm::MutableArrayRef<Value> sums, bool waits = true) {
  const Extents &e = product.extents;
  const atom::MmaRow &row = *product.row;
  int n = log2Of(e.n), m = log2Of(e.m), depth = log2Of(e.k);
  // Which bit of an operand's element a bit of the result is.
  auto bitsOfThreads = [&](bool isLhs) {
    BitList out(size_t(product.threadBits()), noBit);
    for (auto i = size_t(product.threadBits()); i < product.result.threads.size(); ++i) {
      int8_t bit = product.result.threads[i];
      bool isRow = bit >= n && bit < n + m;
      out.push_back(bit == noBit || isRow != isLhs ? noBit : int8_t(isLhs ? bit - n + depth : bit));
    }
    return out;
  };
  std::optional<Fragments> fragments;
  std::optional<Descriptors> lhs;
  auto baseOf = [&](const Source &source) {
    return k.staged.find(source.staging->load)->second.base;
  };
  if (row.a.where == atom::Residency::Smem) {
    const Source &source = *k.plan->sourceOf(op->getOperand(0));
    lhs.emplace(k, baseOf(source), source.places, product.lhsDescriptor, bitsOfThreads(true));
  } else {
    fragments.emplace(k, product, op->getOperand(0), true);
  }
  const Source &loaded = *k.plan->sourceOf(op->getOperand(1));
  Value base = product.remade ? remade(k, product, op) : baseOf(loaded);
  Descriptors rhs(k, base, product.remade ? product.remade->places : loaded.places,
                  product.rhsDescriptor, bitsOfThreads(false));

  auto perInstruction = size_t(product.registersOfInstruction());
  std::string instruction = atom::mnemonicFor(row, product.columns), tail;
  if (row.negates())
    tail += ", 1, 1";
  if (row.b.majors == atom::Major::Any) {
    if (lhs)
      tail += product.lhsMajor == atom::Major::MN ? ", 1" : ", 0";
    tail += product.rhsMajor == atom::Major::MN ? ", 1" : ", 0";
  }
  /// Products of a part of K, for the registers of the result that begin with `first`. `held` is
  /// used unless sums begin with zero: then it is not even passed.
  auto issue = [&](llvm::MutableArrayRef<Value> held, size_t first, int64_t fromK, int64_t toK,
                   bool startsWithZero, bool isWaiting) {
    StringRef letter = held[0].getType().isF32() ? "f" : "r";
    std::string constraints;
    for (size_t i = 0; i < held.size(); ++i)
      constraints += ("=&" + letter + ",").str(); // written before all others are read
    SmallVector<Value> operands;
    size_t next = held.size();
    auto pass = [&](ArrayRef<Value> values, StringRef kind) {
      size_t before = next;
      for (Value value : values) {
        operands.push_back(value);
        constraints += (kind + ",").str();
        ++next;
      }
      return before;
    };
    std::string text = "{ .reg .pred p, q; setp.eq.u32 p, 0, 0; setp.ne.u32 q, 0, 0;\n"
                       "wgmma.fence.sync.aligned;\n";
    for (int64_t step = fromK; step < toK; step += row.k)
      for (size_t r = 0; r < held.size(); r += perInstruction) {
        Parts parts(e, product.result.registerPart(int64_t(first + r)));
        std::string a;
        if (lhs) {
          a = "$" + std::to_string(pass({lhs->at(step | parts.lhs)}, "l"));
        } else {
          ArrayRef<Value> words = fragments->at(step | parts.lhs);
          a = listOf(pass(words, "r"), words.size());
        }
        size_t b = pass({rhs.at(step << n | parts.rhs)}, "l");
        text += cat(instruction, " ", listOf(r, perInstruction), ", ", a, ", $", b,
                    step == fromK && startsWithZero ? ", q" : ", p", tail, ";\n");
      }
    text += cat("wgmma.commit_group.sync.aligned;\n", isWaiting ? awaitAllBut(0) : "", " }");
    if (startsWithZero) {
      constraints.pop_back();
    } else {
      for (size_t i = 0; i < held.size(); ++i)
        constraints += (i ? "," : "") + std::to_string(i);
      operands.append(held.begin(), held.end());
    }
    runOn(k, held, text, constraints, operands);
  };
  std::function<void()> meanwhile = k.meanwhile.lookup(op);
  auto multiply = [&](llvm::MutableArrayRef<Value> held, size_t first, int64_t fromK, int64_t toK,
                      bool startsWithZero) {
    issue(held, first, fromK, toK, startsWithZero, waits && !meanwhile);
    if (!waits || !meanwhile)
      return;
    std::exchange(meanwhile, nullptr)();
    awaitProducts(k, held);
  };
  waits = waits && !k.leftInFlight.contains(op);
  bool startsWithZero = isEverywhere(op->getOperand(2), 0);
  if (!product.isSummedByThreads)
    return multiply(sums, 0, 0, e.k, startsWithZero);
  for (size_t first = 0; first < sums.size(); first += perInstruction)
    for (int64_t fromK = 0; fromK < e.k; fromK += Product::mostOfTensorCore) {
      SmallVector<Value> part(perInstruction, k.real(k.f32, 0)); // only its type is used
      multiply(part, first, fromK, std::min(fromK + Product::mostOfTensorCore, e.k), true);
      for (size_t i = 0; i < perInstruction; ++i) {
        Value &sum = sums[first + i];
        bool isFirst = fromK == 0 && startsWithZero;
        sum = isFirst ? part[i] : Value(k.make<arith::AddFOp>(sum, part[i]));
      }
    }
}

Done product(Kernel &k, Operation *op) {
  const Product *product = k.plan->productOf(op);
  if (!product)
    return multiplyFused(k, op);
  const ThreadTile acc = k.inLayout(op->getOperand(2), product->result);
  Type element = acc.element;
  SmallVector<Value> sums;
  for (size_t r = 0; r < size_t(product->result.registerCount()); ++r) {
    Value held = acc.registers[acc.isUniform ? 0 : r];
    sums.push_back(element.isInteger() ? held : widened(k, element, held));
  }
  if (auto begun = k.begun.find(op); begun != k.begun.end())
    sums = begun->second;
  else if (product->isGroup())
    multiplyInGroups(k, *product, op, sums);
  else
    multiplyInWarps(k, *product, op, sums);
  ThreadTile out{.element = element, .count = acc.count, .layout = product->result};
  for (Value sum : sums)
    out.registers.push_back(element.isInteger() ? sum : narrowed(k, sum, element));
  k.define(op->getResult(0), k.asPlanned(op->getResult(0), out));
  return success();
}

constexpr PlannedRow rows[] = {{"mmaf", product}, {"mmai", product}};

} // namespace

ArrayRef<PlannedRow> plannedProductRows() { return rows; }

SmallVector<Value> beginProduct(Kernel &k, Operation *op) {
  const Product &product = *k.plan->productOf(op);
  bool isReal = isa<FloatType>(elementOf(op->getResult(0).getType()));
  // If accumulators begin with zero, only their type is used.
  SmallVector<Value> sums(size_t(product.result.registerCount()),
                          isReal ? k.real(k.f32, 0) : k.int32(0));
  multiplyInGroups(k, product, op, sums, /*waits=*/false);
  return sums;
}

void awaitProducts(Kernel &k, llvm::MutableArrayRef<Value> sums, int left) {
  std::string same;
  for (size_t i = 0; i < sums.size(); ++i)
    same += sums[i].getType().isF32() ? "=f," : "=r,";
  for (size_t i = 0; i < sums.size(); ++i)
    same += cat(i ? "," : "", i);
  runOn(k, sums, awaitAllBut(left), same, SmallVector<Value>(sums));
}

} // namespace tessera::tile_lower
