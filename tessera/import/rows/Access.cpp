// Rows: loads, stores and atomics that state their memory semantics and caches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own loads and stores know neither caches nor scopes that PTX has, so each becomes the
// instruction itself (PTX ISA 9.0, 9.7.9.8 ld, 9.7.9.11 st, 9.7.13.5 atom, 9.7.13.7 red), with a
// clobber of memory that keeps other accesses on their side of it.
#include "tessera/import/rows/Rows.h"

#include "tessera/atom/AddressSpace.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tessera::import {

//===--- addresses ----------------------------------------------------------------------------===//

namespace {
/// An address as an operand of an instruction.
struct Address {
  /// .global, .shared::cta, ...; empty for a generic address.
  std::string space;
  Value number;
  /// r or l
  char constraint;
};
// By NVVM's numbers. Our dialects have no constant memory.
constexpr unsigned constantSpace = 4;
constexpr std::pair<unsigned, StringLiteral> spaces[] = {
    {unsigned(atom::AddressSpace::Generic), ""},
    {unsigned(atom::AddressSpace::Gmem), ".global"},
    {unsigned(atom::AddressSpace::Smem), ".shared"},
    {constantSpace, ".const"},
    {unsigned(atom::AddressSpace::Rmem), ".local"},
    {unsigned(atom::AddressSpace::Dsmem), ".shared::cluster"}};
} // namespace

static FailureOr<Address> addressOf(ForeignOp &op, unsigned operand, StringRef sharedSpace = "") {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(op.operand(operand).getType());
  const auto *found = std::end(spaces);
  if (pointer)
    found = llvm::find_if(spaces,
                          [&](const auto &row) { return row.first == pointer.getAddressSpace(); });
  if (found == std::end(spaces))
    return op.refuse(Diag::OperandType, operand, "a pointer", op.operand(operand).getType());
  std::string space = found->second.str();
  bool shared = StringRef(space).starts_with(".shared");
  if (shared && !sharedSpace.empty())
    space = (".shared::" + sharedSpace).str();
  // An address of shared memory has 32 bits.
  Type type = shared ? op.build().getI32Type() : op.build().getI64Type();
  return Address{space, op.value("llvm.ptrtoint", type, op.operand(operand)), shared ? 'r' : 'l'};
}

//===--- values -------------------------------------------------------------------------------===//

namespace {
/// How a value lies in registers: `count` words of `bits`.
struct Words {
  unsigned count, bits;

  /// .b32, .v4.b32
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : "") + ".b" + std::to_string(bits);
  }
  char constraint() const { return bits <= 16 ? 'h' : bits == 32 ? 'r' : 'l'; }
  /// Registers have at least 16 bits.
  unsigned registerBits() const { return std::max(bits, 16u); }
  /// $1 or {$1, $2}, from `first` on
  std::string operands(unsigned first) const {
    std::string out = count > 1 ? "{" : "";
    for (unsigned i = 0; i < count; ++i)
      out += (i ? ", $" : "$") + std::to_string(first + i);
    return out + (count > 1 ? "}" : "");
  }
};
} // namespace

/// One access moves 8 to 64 bits, or 2, 4 or 8 words.
static FailureOr<Words> wordsOf(ForeignOp &op, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  if (element.isIntOrFloat() && (!vector || vector.getRank() == 1)) {
    unsigned bits = element.getIntOrFloatBitWidth() * (vector ? vector.getNumElements() : 1);
    if (bits == 8 || bits == 16 || bits == 32 || (bits == 64 && !vector))
      return Words{1, bits};
    if (vector && (bits == 64 || bits == 128 || bits == 256))
      return Words{bits / 32, 32};
  }
  return op.refuse(Diag::AccessWidth, type);
}

/// The words of a value.
static SmallVector<Value> split(ForeignOp &op, Value value, Words words) {
  Builder &b = op.build();
  Type word = b.getIntegerType(words.bits), reg = b.getIntegerType(words.registerBits());
  SmallVector<Value> out;
  if (words.count > 1) {
    value = op.value("vector.bitcast", VectorType::get(words.count, word), value);
    for (int64_t i = 0; i < words.count; ++i)
      out.push_back(op.value(
          "vector.extract", word, value,
          b.getNamedAttr("static_position", b.getDenseI64ArrayAttr(ArrayRef<int64_t>(i)))));
    return out;
  }
  if (value.getType() != word)
    value = op.value("llvm.bitcast", word, value);
  return {reg == word ? value : op.value("arith.extui", reg, value)};
}

/// The value of `type` that the result of an instruction has in words: one, or a struct of them.
static Value join(ForeignOp &op, Value result, Type type, Words words) {
  Builder &b = op.build();
  Type word = b.getIntegerType(words.bits);
  if (words.count > 1) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < words.count; ++i)
      values.push_back(
          op.value("llvm.extractvalue", word, result,
                   b.getNamedAttr("position", b.getDenseI64ArrayAttr(ArrayRef<int64_t>(i)))));
    Value all = op.value("vector.from_elements", VectorType::get(words.count, word), values);
    return all.getType() == type ? all : op.value("vector.bitcast", type, all);
  }
  if (result.getType() != word)
    result = op.value("arith.trunci", word, result);
  return type == word ? result : op.value("llvm.bitcast", type, result);
}

//===--- loads and stores ---------------------------------------------------------------------===//

/// `order`, `scope`, and what says how caches treat the access, as PTX writes them: the part
/// before the state space and the part after it.
static LogicalResult qualifiers(ForeignOp &op, bool load, std::string &before, std::string &after,
                                std::string &sharedSpace) {
  FailureOr<StringRef> order = op.takeEnumerator("order", "mem_order", "weak"),
                       scope = op.takeEnumerator("scope", "mem_scope", "none"),
                       evict = op.takeEnumerator("evict", "evict_kind", "none"),
                       cache = op.takeEnumerator(
                           "cacheModifier",
                           load ? "load_cache_modifier_ext" : "store_cache_modifier", "none"),
                       space = op.takeEnumerator("sharedSpace", "shared_space", "cta"),
                       prefetch = load ? op.takeEnumerator("prefetch", "l2_prefetch", "none")
                                       : FailureOr<StringRef>(StringRef("none"));
  if (failed(order) || failed(scope) || failed(evict) || failed(cache) || failed(space) ||
      failed(prefetch))
    return failure();
  bool scoped = llvm::is_contained<StringRef>({"relaxed", load ? "acquire" : "release"}, *order);
  if (!scoped && !llvm::is_contained<StringRef>({"weak", "volatile", "mmio"}, *order))
    return op.refuse(Diag::PropertyValue, "order",
                     load ? "weak, relaxed, acquire, volatile or mmio"
                          : "weak, relaxed, release, volatile or mmio",
                     *order);
  if (scoped && *scope == "none")
    return op.refuse(Diag::PropertyMissing, "scope", "cta, cluster, gpu or sys");
  if (*order == "mmio")
    before = ".mmio.relaxed.sys";
  else if (*order != "weak")
    before = ("." + *order + (scoped ? "." + *scope : "")).str();
  bool evicts = *evict != "none", caches = *cache != "none";
  if (evicts && caches)
    return op.refuse(Diag::CacheTwice, *evict, *cache);
  if (evicts)
    after += ".L1::" + (*evict == "evict_no_allocate" ? "no_allocate" : evict->str());
  if (caches)
    after += "." + cache->str();
  if (op.operands().size() > (load ? 1 : 2))
    after += ".L2::cache_hint";
  StringRef size = *prefetch;
  if (size.consume_front("size_") && size.consume_back("b"))
    after += (".L2::" + size + "B").str();
  else if (*prefetch != "none")
    return op.refuse(Diag::PropertyValue, "prefetch", "none, size_64b, size_128b or size_256b",
                     *prefetch);
  sharedSpace = space->str();
  return success();
}

static LogicalResult load(ForeignOp &op) {
  std::string before, after, sharedSpace;
  if (failed(qualifiers(op, true, before, after, sharedSpace)))
    return failure();
  FailureOr<bool> unified = op.takeFlag("unified", false);
  FailureOr<Address> address = addressOf(op, 0, sharedSpace);
  FailureOr<Words> words = wordsOf(op, op.resultType());
  if (failed(unified) || failed(address) || failed(words))
    return failure();
  if (*unified)
    return op.refuse(Diag::PropertyValue, "unified", "absent", "true");
  bool hint = op.operands().size() > 1;
  std::string outs = "=";
  outs += words->constraint();
  std::string constraints = outs;
  for (unsigned i = 1; i < words->count; ++i)
    constraints += "," + outs;
  constraints += std::string(",") + address->constraint + (hint ? ",l" : "");
  std::string text = "ld" + before + address->space + after + words->suffix() + " " +
                     words->operands(0) + ", [$" + std::to_string(words->count) + "]" +
                     (hint ? ", $" + std::to_string(words->count + 1) : "") + ";";
  Type reg = op.build().getIntegerType(words->registerBits());
  Type result =
      words->count == 1
          ? reg
          : LLVM::LLVMStructType::getLiteral(op.context(), SmallVector<Type>(words->count, reg));
  SmallVector<Value> operands = {address->number};
  if (hint)
    operands.push_back(op.operand(1));
  Value loaded = op.ptx(text, constraints, result, operands);
  return op.replace(join(op, loaded, op.resultType(), *words));
}

static LogicalResult store(ForeignOp &op) {
  std::string before, after, sharedSpace;
  if (failed(qualifiers(op, false, before, after, sharedSpace)))
    return failure();
  FailureOr<Address> address = addressOf(op, 1, sharedSpace);
  FailureOr<Words> words = wordsOf(op, op.operand(0).getType());
  if (failed(address) || failed(words))
    return failure();
  bool hint = op.operands().size() > 2;
  SmallVector<Value> operands = {address->number};
  std::string constraints(1, address->constraint);
  for (Value word : split(op, op.operand(0), *words)) {
    operands.push_back(word);
    constraints += std::string(",") + words->constraint();
  }
  if (hint) {
    operands.push_back(op.operand(2));
    constraints += ",l";
  }
  std::string text = "st" + before + address->space + after + words->suffix() + " [$0], " +
                     words->operands(1) + (hint ? ", $" + std::to_string(words->count + 1) : "") +
                     ";";
  op.ptx(text, constraints, Type(), operands);
  return op.replace({});
}

//===--- atomics ------------------------------------------------------------------------------===//

namespace {
/// The operand types of an operation: the letters of its integer type, and whether it adds floats.
struct AtomicRow {
  StringLiteral op, ptx, integer;
  bool floats = false, narrow = false;
};
constexpr AtomicRow atomicRows[] = {
    {"and", "and", "b"},
    {"or", "or", "b"},
    {"xor", "xor", "b"},
    {"exch", "exch", "b"},
    {"add", "add", "u", true},
    {"fadd", "add", "u", true},
    {"sub", "add", "u"},
    {"min", "min", "s"},
    {"max", "max", "s"},
    {"umin", "min", "u"},
    {"umax", "max", "u"},
    {"inc", "inc", "u", false, true},
    {"dec", "dec", "u", false, true},
};
} // namespace

/// The type at the end of the instruction; empty if it takes none such.
static std::string atomicType(const AtomicRow &row, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  bool pair = vector && vector.getRank() == 1 && vector.getNumElements() == 2;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer.getWidth();
    return bits == 32 || (bits == 64 && !row.narrow)
               ? "." + row.integer.str() + std::to_string(bits)
               : "";
  }
  if (row.op == "exch" && (type.isF32() || type.isF64()))
    return ".b" + std::to_string(type.getIntOrFloatBitWidth());
  if (!row.floats || (vector && !pair))
    return "";
  if (type.isF32() || type.isF64())
    return ".f" + std::to_string(type.getIntOrFloatBitWidth());
  if (element.isF16() || element.isBF16())
    return std::string(".noftz.") + (element.isF16() ? "f16" : "bf16") + (pair ? "x2" : "");
  return "";
}

static LogicalResult atomic(ForeignOp &op) {
  FailureOr<StringRef> kind = op.takeEnumerator("op", "atomic_op"),
                       order = op.takeEnumerator("memOrder", "mem_order", "none"),
                       scope = op.takeEnumerator("syncscope", "mem_scope", "none");
  if (failed(kind) || failed(order) || failed(scope))
    return failure();
  if (*kind == "cas")
    return op.refuse(Diag::CompareAndSwap);
  const auto *row =
      llvm::find_if(atomicRows, [&](const AtomicRow &row) { return row.op == *kind; });
  if (row == std::end(atomicRows))
    return op.refuse(Diag::PropertyValue, "op", "an operation of atom", *kind);
  if (!llvm::is_contained<StringRef>({"none", "relaxed", "acquire", "release", "acq_rel"}, *order))
    return op.refuse(Diag::PropertyValue, "memOrder", "relaxed, acquire, release or acq_rel",
                     *order);
  Type type = op.resultType();
  std::string suffix = atomicType(*row, type);
  if (op.operands().size() != 2)
    return op.refuse(Diag::OperandCount, 2, op.operands().size());
  if (op.operand(1).getType() != type)
    return op.refuse(Diag::ResultType, op.operand(1).getType(), type);
  if (suffix.empty())
    return op.refuse(Diag::AtomicType, *kind, type);
  FailureOr<Address> address = addressOf(op, 0);
  FailureOr<Words> words = wordsOf(op, type);
  if (failed(address) || failed(words))
    return failure();
  Value value = op.operand(1);
  if (*kind == "sub")
    value = op.value("arith.subi", type,
                     {op.value("arith.constant", type, {},
                               op.build().getNamedAttr("value", op.build().getZeroAttr(type))),
                      value});
  std::string text = "atom" + (*order == "none" ? "" : "." + order->str()) +
                     (*scope == "none" ? "" : "." + scope->str()) + address->space + "." +
                     row->ptx.str() + suffix + " $0, [$1], $2;";
  std::string constraints = std::string("=") + words->constraint() + "," + address->constraint +
                            "," + words->constraint();
  Type reg = op.build().getIntegerType(words->registerBits());
  SmallVector<Value> operands = {address->number};
  llvm::append_range(operands, split(op, value, *words));
  return op.replace(join(op, op.ptx(text, constraints, reg, operands), type, *words));
}

/// nvvm.red(address, value, policy): an atomic whose old value nobody gets. Operation and type are
/// those of the instruction.
static LogicalResult reduction(ForeignOp &op) {
  FailureOr<StringRef> kind = op.takeEnumerator("op", "red_op"),
                       number = op.takeEnumerator("type", "red_type"),
                       order = op.takeEnumerator("memOrder", "mem_order", "none"),
                       scope = op.takeEnumerator("memScope", "mem_scope", "none");
  if (failed(kind) || failed(number) || failed(order) || failed(scope))
    return failure();
  if (!llvm::is_contained<StringRef>({"and", "or", "xor", "add", "inc", "dec", "min", "max"},
                                     *kind))
    return op.refuse(Diag::PropertyValue, "op", "and, or, xor, add, inc, dec, min or max", *kind);
  if (!llvm::is_contained<StringRef>({"none", "relaxed", "release"}, *order))
    return op.refuse(Diag::PropertyValue, "memOrder", "relaxed or release", *order);
  FailureOr<Address> address = addressOf(op, 0);
  FailureOr<Words> words = wordsOf(op, op.operand(1).getType());
  if (failed(address) || failed(words))
    return failure();
  bool hint = op.operands().size() > 2;
  // PTX ISA 9.7.13.7: sums of 16-bit floats keep subnormals, and say so.
  bool narrow = number->contains("f16") && *kind == "add";
  std::string text = "red" + (*order == "none" ? "" : "." + order->str()) +
                     (*scope == "none" ? "" : "." + scope->str()) + address->space + "." +
                     kind->str() + (narrow ? ".noftz" : "") + (hint ? ".L2::cache_hint" : "") +
                     "." + number->str() + " [$0], $1" + (hint ? ", $2" : "") + ";";
  std::string constraints(1, address->constraint);
  SmallVector<Value> operands = {address->number};
  for (Value word : split(op, op.operand(1), *words)) {
    operands.push_back(word);
    constraints += std::string(",") + words->constraint();
  }
  if (operands.size() != 2)
    return op.refuse(Diag::AtomicType, *kind, op.operand(1).getType());
  if (hint) {
    operands.push_back(op.operand(2));
    constraints += ",l";
  }
  op.ptx(text, constraints, Type(), operands);
  return op.replace({});
}

using enum Slot;
using enum Witness;

// The forms of the custom assembly have not been seen.
static constexpr Row table[] = {
    {.name = "nvvm.load.ext",
     .operands = {Any, I64},
     .optional = 1,
     .result = Any,
     .rewrite = load,
     .witness = Family},
    {.name = "nvvm.store.ext",
     .operands = {Any, Any, I64},
     .optional = 1,
     .rewrite = store,
     .witness = Family},
    {.name = "nvvm.atomicrmw",
     .operands = {Any, Any, Any},
     .optional = 1,
     .result = Any,
     .rewrite = atomic,
     .witness = Family},
    {.name = "nvvm.red",
     .operands = {Any, Any, I64},
     .optional = 1,
     .rewrite = reduction,
     .witness = Family},
};

llvm::ArrayRef<Row> accessRows() { return table; }

} // namespace tessera::import
