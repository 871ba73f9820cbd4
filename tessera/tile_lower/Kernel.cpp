// Tiles in registers and local memory, moves through shared memory, and entries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Kernel.h"

#include "tessera/atom/Target.h"
#include "tessera/tile_lower/Rows.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {
constexpr unsigned globalSpace = 1, sharedSpace = 3;
constexpr StringLiteral sharedName = "tile_shared";
} // namespace

Kernel::Kernel(gpu::GPUModuleOp module, StringRef arch)
    : Code(module.getContext()), arch(arch), module(module) {}

bool Kernel::hasDependentLaunch() const {
  Result<atom::Target> target = atom::Target::parse(std::string(arch));
  return target && target->number() >= 90;
}

//===--- Tiles

Tile Kernel::newTile(Type element, int64_t count) {
  Tile tile{.element = element, .count = count, .layout = simpleLayout(count)};
  int64_t slots = slotsOf(count);
  if (isInRegisters(count)) {
    tile.registers.resize(size_t(slots));
    return tile;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  tile.array = make<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()), memoryType(element),
                                    int32(slots));
  localBytes += slots * memoryBytes(element);
  return tile;
}
Tile Kernel::newTile(Type tileType) { return newTile(elementOf(tileType), countOf(tileType)); }

Tile Kernel::newTileFor(Value value) {
  const BitLayout *layout = plan ? plan->layoutOf(value) : nullptr;
  if (!layout)
    return newTile(value.getType());
  Tile tile{.element = cuda_tile::elementOf(value.getType()),
            .count = countOf(value.getType()),
            .layout = *layout};
  tile.registers.resize(size_t(layout->registerCount()));
  return tile;
}

Tile Kernel::splat(Type element, int64_t count, Value value) {
  Tile out = newTile(element, count);
  forSlots(count, [&](const Slot &slot) { set(out, slot, value); });
  return out;
}

void Kernel::forSlots(int64_t count, function_ref<void(const Slot &)> body) {
  int64_t slots = slotsOf(count);
  if (count < threads)
    return body({int32(0), 0, count == 1 ? int32(0) : andi(thread, count - 1)});
  auto elementOf = [&](Value index) { return add(mul(index, threads), thread); };
  if (!isInRegisters(count))
    return repeat(slots, [&](Value index) { body({index, 0, elementOf(index)}); });
  for (int64_t s = 0; s < slots; ++s)
    body({int32(s), s, s ? add(thread, s * threads) : thread});
}

static Value placeIn(Kernel &k, const Tile &tile, Value index) {
  return k.make<LLVM::GEPOp>(tile.array.getType(), memoryType(tile.element), tile.array,
                             ValueRange(index));
}
Value Kernel::get(const Tile &tile, const Slot &slot) {
  if (!tile.array)
    return tile.registers[tile.isScalar() || tile.isUniform ? 0 : size_t(slot.number)];
  return loadAt(tile.element, placeIn(*this, tile, slot.index));
}
void Kernel::set(Tile &tile, const Slot &slot, Value value) {
  if (!tile.array)
    tile.registers[size_t(slot.number)] = value;
  else
    storeAt(tile.element, placeIn(*this, tile, slot.index), value);
}

Value Kernel::isOwner(int64_t count) { return count < threads ? below(thread, count) : Value(); }

void Kernel::alias(Value value, Value of) {
  if (auto held = tiles.find(of); held != tiles.end()) {
    Tile copy = held->second;
    tiles[value] = std::move(copy);
  } else if (auto seen = views.find(of); seen != views.end()) {
    auto copy = seen->second;
    views[value] = std::move(copy);
  }
}

//===--- Moves

SmallVector<Tile> Kernel::moved(const Tile &source, int64_t count,
                                ArrayRef<function_ref<Value(const Slot &)>> places) {
  SmallVector<Tile> results;
  if (source.isScalar() || source.isUniform) {
    for (size_t i = 0; i < places.size(); ++i)
      results.push_back(splat(source.element, count, source.registers[0]));
    return results;
  }
  for (size_t i = 0; i < places.size(); ++i)
    results.push_back(newTile(source.element, count));
  int64_t bytes = memoryBytes(source.element);
  int64_t chunk = std::min(source.count, scratch / bytes), chunks = source.count / chunk;
  auto address = [&](Value index) { return shared(source.element, index, chunk * bytes); };

  // Elements from `base` on go through shared memory; the first barrier waits for those who still
  // read what was there before.
  auto pass = [&](Value base, bool isFirst) {
    barrier();
    if (chunks == 1)
      when(isOwner(source.count), [&] {
        forSlots(source.count, [&](const Slot &slot) {
          storeAt(source.element, address(slot.element), get(source, slot));
        });
      });
    else // an array
      repeat(chunk / threads, [&](Value i) {
        Slot slot{add(udiv(base, threads), i)};
        storeAt(source.element, address(add(mul(i, threads), thread)), get(source, slot));
      });
    barrier();
    forSlots(count, [&](const Slot &slot) {
      for (size_t i = 0; i < places.size(); ++i) {
        Value index = places[i](slot);
        if (chunks == 1) {
          set(results[i], slot, loadAt(source.element, address(index)));
          continue;
        }
        Value relative = sub(index, base), isHere = below(relative, chunk);
        Value value = loadAt(source.element, address(select(isHere, relative, int32(0))));
        set(results[i], slot, isFirst ? value : select(isHere, value, get(results[i], slot)));
      }
    });
  };
  pass(int32(0), true);
  if (isInRegisters(count))
    for (int64_t c = 1; c < chunks; ++c)
      pass(int32(c * chunk), false);
  else if (chunks > 1)
    repeat(chunks - 1, [&](Value c) { pass(mul(add(c, 1), chunk), false); });
  return results;
}

//===--- Coordinates

SmallVector<Value> Kernel::coordinatesOf(Value element, ArrayRef<int64_t> shape) {
  SmallVector<Value> out(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    out[d] = shape[d] == 1 ? int32(0) : andi(udiv(element, stride), shape[d] - 1);
    stride *= shape[d];
  }
  return out;
}
Value Kernel::elementAt(ArrayRef<Value> coordinates, ArrayRef<int64_t> shape) {
  Value out = int32(0);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1)
      out = add(out, mul(coordinates[d], stride));
    stride *= shape[d];
  }
  return out;
}

//===--- Memory

void Kernel::barrier() { make<NVVM::Barrier0Op>(); }
Value Kernel::specialRegister(StringRef name) {
  OperationState state(loc, ("nvvm.read.ptx.sreg." + name).str());
  state.addTypes(i32);
  return b.create(state)->getResult(0);
}

Value Kernel::shared(Type element, Value index, int64_t bytes, int64_t offset) {
  useShared(offset + bytes);
  offset += sharedTop;
  auto global = module.lookupSymbol<LLVM::GlobalOp>(sharedName);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    // A swizzle repeats after 1024 bytes.
    constexpr unsigned alignment = 1024;
    global = make<LLVM::GlobalOp>(LLVM::LLVMArrayType::get(i8, unsigned(mostShared)),
                                  /*isConstant=*/false, LLVM::Linkage::Internal, sharedName,
                                  Attribute(), alignment, sharedSpace);
  }
  Value base = make<LLVM::AddressOfOp>(global);
  if (offset)
    base = make<LLVM::GEPOp>(base.getType(), i8, base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  return make<LLVM::GEPOp>(base.getType(), memoryType(element), base, ValueRange(index));
}

Value Kernel::loadAt(Type element, Value address) {
  return fromMemory(*this, element, make<LLVM::LoadOp>(memoryType(element), address));
}
void Kernel::storeAt(Type element, Value address, Value held) {
  make<LLVM::StoreOp>(toMemory(*this, element, held), address);
}
Value Kernel::globalAddress(Value address) {
  return make<LLVM::IntToPtrOp>(LLVM::LLVMPointerType::get(b.getContext(), globalSpace), address);
}

LLVM::GlobalOp Kernel::constantArray(StringRef stem, Type element, DenseElementsAttr values,
                                     int64_t alignment) {
  // As integers of their width in memory: LLVM has no numbers of the narrow formats.
  unsigned bits = unsigned(memoryBytes(element) * 8);
  auto inMemory = [&](APInt code) {
    code = code.zext(std::max(bits, code.getBitWidth())).trunc(bits);
    return isa<FloatTF32Type>(element) ? code << 13 : code;
  };
  SmallVector<APInt> codes;
  if (isa<FloatType>(values.getElementType()))
    for (APFloat number : values.getValues<APFloat>())
      codes.push_back(inMemory(number.bitcastToAPInt()));
  else
    for (APInt number : values.getValues<APInt>())
      codes.push_back(inMemory(number));
  auto type = RankedTensorType::get(int64_t(codes.size()), intOf(bits));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto global =
      make<LLVM::GlobalOp>(LLVM::LLVMArrayType::get(intOf(bits), unsigned(codes.size())),
                           /*isConstant=*/false, LLVM::Linkage::Internal, stem,
                           DenseElementsAttr::get(type, codes), uint64_t(alignment), globalSpace);
  return global;
}

void makeGlobals(TileModuleOp program, gpu::GPUModuleOp module, StringRef arch) {
  for (auto global : program.getOps<GlobalOp>()) {
    auto values = cast<DenseElementsAttr>(global.getValue());
    Kernel(module, arch)
        .constantArray(global.getSymName(), elementOf(values.getType()), values,
                       int64_t(global.getAlignment()));
  }
}

//===--- Entries

/// The line of the source. Places of tile programs are in scopes and at call sites of their own
/// kind, which LLVM's translation does not know.
static Location placeOf(Location location) {
  if (auto line = location->findInstanceOf<FileLineColLoc>())
    return line;
  return UnknownLoc::get(location.getContext());
}

LogicalResult Kernel::lowerBlock(Block &block) {
  int64_t before = sharedTop; // what loads of the block leave in shared memory ends with it
  for (Operation &op : block) {
    loc = placeOf(op.getLoc());
    for (Type type : op.getResultTypes())
      if (auto tile = dyn_cast<TileType>(type); tile && countOf(type) > mostElements)
        return refuse(&op, Diag::TileTooLarge, countOf(type), mostElements);
    if (failed(lowerOp(*this, &op)))
      return failure();
  }
  sharedTop = before;
  return success();
}

LogicalResult Kernel::lower(EntryOp entry, int level) {
  if (level > 0) {
    plan = std::make_unique<const Plan>(entry, arch);
    threads = int64_t(1) << plan->threadBits;
    scratch = plan->scratchBytes;
  }
  SmallVector<Type> parameters;
  for (Type type : entry.getArgumentTypes())
    parameters.push_back(memoryType(elementOf(type)));
  loc = placeOf(entry.getLoc());
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), parameters);
  function = make<LLVM::LLVMFuncOp>(entry.getSymName(), type);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  // Callers launch blocks of one thread: the driver takes the number of threads from here.
  function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  Block *body = function.addEntryBlock(b);
  // Arrays are made in a block of their own, before all other code.
  Block *start = b.createBlock(&function.getBody());
  goTo(body);
  branch(start);
  goTo(start);
  thread = specialRegister("tid.x");
  for (auto [argument, parameter] :
       llvm::zip(entry.getBody().getArguments(), body->getArguments())) {
    Type element = elementOf(argument.getType());
    define(
        argument,
        Tile{.element = element, .count = 1, .registers = {fromMemory(*this, element, parameter)}});
  }
  if (failed(lowerBlock(entry.getBody().front())))
    return failure();
  if (localBytes > mostLocal)
    return refuse(entry, Diag::LocalMemory, localBytes, mostLocal);
  if (plan && sharedBytes > plan->sharedLimit)
    return failure();
  if (auto shared = module.lookupSymbol<LLVM::GlobalOp>(sharedName)) {
    // As large as the kernel that needs most.
    auto known = shared->getAttrOfType<IntegerAttr>("tile.bytes");
    int64_t bytes = std::max(sharedBytes, known ? known.getInt() : 0);
    shared->setAttr("tile.bytes", b.getI64IntegerAttr(bytes));
    shared.setGlobalType(LLVM::LLVMArrayType::get(i8, unsigned(bytes)));
  }
  return success();
}

} // namespace tessera::tile_lower
