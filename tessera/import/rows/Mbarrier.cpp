// Rows: mbarrier objects, and how their addresses in other blocks of the cluster are written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

#include "tessera/atom/AddressSpace.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

namespace tessera::import {

//===--- addresses ----------------------------------------------------------------------------===//

// The vendor keeps shared::cluster addresses in !llvm.ptr<3>, LLVM 22 in !llvm.ptr<7>. Both name
// one 32-bit window, so the number stays; an addrspacecast would go through the generic space and
// back.
static constexpr unsigned sharedSpace = unsigned(atom::AddressSpace::Smem),
                          clusterSpace = unsigned(atom::AddressSpace::Dsmem);

static Value withSpace(ForeignOp &op, Value pointer, unsigned space) {
  Value number = op.value("llvm.ptrtoint", op.build().getI64Type(), pointer);
  return op.value("llvm.inttoptr", LLVM::LLVMPointerType::get(op.context(), space), number);
}

/// The operand of the op that defines `value`, if it is one of that name. The module is not
/// verified yet.
static Value operandOf(Value value, StringRef name) {
  Operation *op = value.getDefiningOp();
  return op && op->getName().getStringRef() == name && op->getNumOperands() == 1 ? op->getOperand(0)
                                                                                 : Value();
}

/// The pointer in the cluster's space; if `mapa` below or an `addrspacecast` of the file took it
/// out of there, without the way there and back.
static Value toClusterSpace(ForeignOp &op, Value pointer) {
  if (Value there = operandOf(pointer, "llvm.addrspacecast"))
    if (there.getType() == LLVM::LLVMPointerType::get(op.context(), clusterSpace))
      return there;
  if (Value number = operandOf(pointer, "llvm.inttoptr"))
    if (Value there = operandOf(number, "llvm.ptrtoint"))
      if (there.getType() == LLVM::LLVMPointerType::get(op.context(), clusterSpace))
        return there;
  return withSpace(op, pointer, clusterSpace);
}

/// The address of the same object in another block. CuTe DSL writes !llvm.ptr<3> for it.
static LogicalResult mapa(ForeignOp &op) {
  auto from = dyn_cast<LLVM::LLVMPointerType>(op.operand(0).getType());
  auto to = dyn_cast<LLVM::LLVMPointerType>(op.resultType());
  if (!from || from != to || from.getAddressSpace() != sharedSpace)
    return op.becomes("nvvm.mapa");
  Value there =
      op.value("nvvm.mapa", LLVM::LLVMPointerType::get(op.context(), clusterSpace), op.operands());
  return op.replace(withSpace(op, there, sharedSpace));
}

//===--- arrivals -----------------------------------------------------------------------------===//

namespace {
struct Transaction {
  StringLiteral kind, becomes;
  /// Whether operand 1 counts arrivals, and not bytes.
  bool counts = false;
};
constexpr Transaction transactions[] = {
    {"arrive", "nvvm.mbarrier.arrive", true},
    {"arrive_expect_tx", "nvvm.mbarrier.arrive.expect_tx"},
    {"arrive_drop", "nvvm.mbarrier.arrive_drop", true},
    {"arrive_drop_expect_tx", "nvvm.mbarrier.arrive_drop.expect_tx"},
    {"expect_tx", "nvvm.mbarrier.expect_tx"},
    {"complete_tx", "nvvm.mbarrier.complete_tx"},
};
} // namespace

static bool isOne(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().getStringRef() != "arith.constant")
    return false;
  auto number = dyn_cast_or_null<IntegerAttr>(op->getAttr("value"));
  return number && number.getValue().isOne();
}

/// `order` is `strong` (what the instruction does without a qualifier) or relaxed.
static LogicalResult takeOrder(ForeignOp &op, StringRef strong, NamedAttrList &attributes) {
  FailureOr<StringRef> order = op.takeEnumerator("order", "mem_order", strong);
  if (failed(order))
    return failure();
  if (*order == "relaxed")
    attributes.set("relaxed", op.build().getBoolAttr(true));
  else if (*order != strong)
    return op.refuse(Diag::PropertyValue, "order", (strong + " or relaxed").str(), *order);
  return success();
}

/// nvvm.mbarrier.txn(address, count or bytes): arrives, announces bytes, or both. Nobody gets the
/// state.
static LogicalResult transaction(ForeignOp &op) {
  FailureOr<StringRef> kind = op.takeEnumerator("kind", "mbar_txn_kind");
  FailureOr<StringRef> scope = op.takeEnumerator("scope", "mbar_scope", "cta");
  FailureOr<StringRef> space = op.takeEnumerator("space", "mbar_space", "cta");
  if (failed(kind) || failed(scope) || failed(space))
    return failure();
  const auto *found =
      llvm::find_if(transactions, [&](const Transaction &t) { return t.kind == *kind; });
  if (found == std::end(transactions))
    return op.refuse(
        Diag::PropertyValue, "kind",
        "arrive, arrive_expect_tx, arrive_drop, arrive_drop_expect_tx, expect_tx or complete_tx",
        *kind);
  if (*space != "cta" && *space != "cluster")
    return op.refuse(Diag::PropertyValue, "space", "cta or cluster", *space);
  // CuTe DSL states cta for arrivals at other CTAs too. They can be waited for only at the
  // cluster's scope (PTX ISA 8.5, 8.7: scopes must include each other's threads).
  if (*space == "cluster" && *scope == "cta")
    scope = StringRef("cluster");
  NamedAttrList attributes(op.property("scope", ("#nvvm.mem_scope<" + *scope + ">").str()));
  // expect_tx and complete_tx alone order nothing (PTX ISA 9.7.13.15.12), so there is nothing to
  // relax.
  NamedAttrList order;
  if (failed(takeOrder(op, found->kind.starts_with("arrive") ? "release" : "relaxed", order)))
    return failure();
  if (found->kind.starts_with("arrive"))
    attributes.append(order);
  Value address = *space == "cluster" ? toClusterSpace(op, op.operand(0)) : op.operand(0);
  SmallVector<Value> operands{address, op.operand(1)};
  // One arrival is the default; saying so needs sm_90 (LLVM 22 has no sm_80 form with a count).
  if (found->counts && isOne(op.operand(1)))
    operands.pop_back();
  op.create(found->becomes, {}, operands, attributes);
  return op.replace({});
}

//===--- waits --------------------------------------------------------------------------------===//

/// nvvm.mbarrier.wait.parity(address, parity): one look, or one look of bounded length.
static LogicalResult waitParity(ForeignOp &op) {
  static constexpr std::pair<StringLiteral, StringLiteral> kinds[] = {
      {"try", "nvvm.mbarrier.try_wait"}, {"test", "nvvm.mbarrier.test.wait"}};
  FailureOr<StringRef> kind = op.takeEnumerator("kind", "mbar_wait");
  FailureOr<StringRef> scope = op.takeEnumerator("scope", "mbar_scope", "cta");
  if (failed(kind) || failed(scope))
    return failure();
  const auto *found = llvm::find_if(kinds, [&](const auto &entry) { return entry.first == *kind; });
  if (found == std::end(kinds))
    return op.refuse(Diag::PropertyValue, "kind", "try or test", *kind);
  NamedAttrList attributes(op.property("scope", ("#nvvm.mem_scope<" + *scope + ">").str()));
  if (failed(takeOrder(op, "acquire", attributes)))
    return failure();
  return op.replace(op.value(found->second, op.resultType(), op.operands(), attributes));
}

/// nvvm.mbarrier.try_wait{.parity}.timelimit(address, state or parity, ns): one try that takes no
/// longer. PTX ISA 9.7.13.15.16.
static LogicalResult waitWithLimit(ForeignOp &op) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(op.operand(0).getType());
  if (!pointer || pointer.getAddressSpace() != sharedSpace)
    return op.refuse(Diag::OperandType, 0, "!llvm.ptr<3>", op.operand(0).getType());
  FailureOr<StringRef> scope = op.takeEnumerator("scope", "mem_scope", "cta"),
                       order = op.takeEnumerator("order", "mem_order", "acquire");
  if (failed(scope) || failed(order))
    return failure();
  if (*order != "acquire" && *order != "relaxed")
    return op.refuse(Diag::PropertyValue, "order", "acquire or relaxed", *order);
  bool parity = op.name().contains(".parity");
  bool usual = *order == "acquire" && *scope == "cta"; // what the instruction does without them
  Type i32 = op.build().getI32Type();
  std::string text = std::string("{ .reg .pred %p; mbarrier.try_wait") + (parity ? ".parity" : "") +
                     (usual ? "" : ("." + *order + "." + *scope).str()) +
                     ".shared::cta.b64 %p, [$1], $2, $3; selp.b32 $0, 1, 0, %p; }";
  Value address = op.value("llvm.ptrtoint", i32, op.operand(0));
  Value done =
      op.ptx(text, parity ? "=r,r,r,r" : "=r,r,l,r", i32, {address, op.operand(1), op.operand(2)});
  return op.replace(op.value("arith.trunci", op.build().getI1Type(), done));
}

using enum Slot;
using enum Witness;

// The .shared names are those of upstream before LLVM 22, where the address space of the operand
// says it. try_wait.parity.shared waits until the phase is over (a loop around the instruction,
// with a time limit in ns per try), as nvvm.mbarrier.try_wait.parity of LLVM 22 does.
static constexpr Row table[] = {
    {.name = "nvvm.mbarrier.try_wait.timelimit",
     .operands = {Any, I64, I32},
     .result = I1,
     .rewrite = waitWithLimit,
     .witness = Family},
    {.name = "nvvm.mbarrier.try_wait.parity.timelimit",
     .operands = {Any, I32, I32},
     .result = I1,
     .rewrite = waitWithLimit,
     .witness = Family},
    {.name = "nvvm.mbarrier.init.shared",
     .form = "$ , $ [ , predicate = $ ] attr-dict : types",
     .operands = {Shared, I32, I1},
     .optional = 1,
     .becomes = "nvvm.mbarrier.init"},
    {.name = "nvvm.mbarrier.inval.shared",
     .form = "$ attr-dict : types",
     .operands = {Shared},
     .becomes = "nvvm.mbarrier.inval",
     .witness = Family},
    {.name = "nvvm.mbarrier.arrive.shared",
     .form = "$ attr-dict : types -> results",
     .operands = {Shared},
     .result = I64,
     .becomes = "nvvm.mbarrier.arrive",
     .witness = Family},
    {.name = "nvvm.mbarrier.arrive.nocomplete.shared",
     .form = "$ , $ attr-dict : types -> results",
     .operands = {Shared, I32},
     .result = I64,
     .becomes = "nvvm.mbarrier.arrive.nocomplete",
     .witness = Family},
    {.name = "nvvm.mbarrier.arrive.expect_tx.shared",
     .form = "$ , $ [ , predicate = $ ] attr-dict : types",
     .operands = {Shared, I32, I1},
     .optional = 1,
     .becomes = "nvvm.mbarrier.arrive.expect_tx",
     .witness = Family},
    {.name = "nvvm.mbarrier.txn",
     .form = "$ , $ attr-dict : types",
     .operands = {Shared, I32},
     .rewrite = transaction},
    {.name = "nvvm.mbarrier.wait.parity",
     .form = "$ , $ attr-dict : types -> results",
     .operands = {Shared, I32},
     .result = I1,
     .rewrite = waitParity},
    {.name = "nvvm.mbarrier.try_wait.parity.shared",
     .form = "$ , $ , $ attr-dict : types",
     .operands = {Shared, I32, I32},
     .becomes = "nvvm.mbarrier.try_wait.parity",
     .edits = {drop("useIntrinsic")}},
    {.name = "nvvm.mbarrier.test.wait.shared",
     .form = "$ , $ attr-dict : types -> results",
     .operands = {Shared, I64},
     .result = I1,
     .becomes = "nvvm.mbarrier.test.wait",
     .witness = Family},
    {.name = "nvvm.mapa",
     .form = "$ , $ attr-dict : type(0) -> results",
     .operands = {Any, I32},
     .result = Any,
     .rewrite = mapa,
     .witness = Family},
    {.name = "nvvm.mapa.shared.cluster",
     .form = "$ , $ attr-dict : types -> short-ptr",
     .operands = {Shared, I32},
     .result = Shared,
     .rewrite = mapa},
};

llvm::ArrayRef<Row> mbarrierRows() { return table; }

} // namespace tessera::import
