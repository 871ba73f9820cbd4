// Rows: barriers of blocks and clusters, fences, dependent launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

using namespace mlir;

namespace tessera::import {

/// nvvm.barrier(id?, threads?): LLVM 22 adds a reduction, which is not there, and wants the id, 0
/// if not given, where there is a number of threads. Three sizes are LLVM 22's spelling already.
static LogicalResult barrier(ForeignOp &op) {
  static constexpr StringLiteral sizesName = "operandSegmentSizes";
  static constexpr StringLiteral meaning = "array<i32: id, threads>, 1 for each that is there";
  Attribute given = op.get(sizesName);
  if (!given)
    return op.refuse(Diag::PropertyMissing, sizesName, meaning);
  auto sizes = dyn_cast<DenseI32ArrayAttr>(given);
  if (sizes && sizes.size() == 3)
    return op.becomes("nvvm.barrier");
  op.take(sizesName);
  auto isPresence = [](int32_t size) { return size == 0 || size == 1; };
  if (!sizes || sizes.size() != 2 || !llvm::all_of(sizes.asArrayRef(), isPresence) ||
      sizes[0] + sizes[1] != int32_t(op.operands().size()))
    return op.refuse(Diag::PropertyValue, sizesName, meaning, given);
  Builder &b = op.build();
  SmallVector<Value> operands(op.operands());
  if (!sizes[0] && sizes[1])
    operands.insert(operands.begin(), op.value("arith.constant", b.getI32Type(), {},
                                               op.property("value", "0 : i32")));
  int32_t all[] = {int32_t(!operands.empty()), sizes[1], 0};
  op.create("nvvm.barrier", {}, operands, b.getNamedAttr(sizesName, b.getDenseI32ArrayAttr(all)));
  return op.replace({});
}

/// A unit attribute, or a Boolean.
static FailureOr<bool> takeMark(ForeignOp &op, StringRef property) {
  if (isa_and_nonnull<UnitAttr>(op.get(property))) {
    op.take(property);
    return true;
  }
  return op.takeFlag(property, false);
}

/// nvvm.barrier.cta.{sync, arrive}(id, count?): the instruction itself. PTX ISA 9.7.13.1.
static LogicalResult barrierCta(ForeignOp &op) {
  FailureOr<bool> aligned = takeMark(op, "aligned");
  if (failed(aligned))
    return failure();
  bool counted = op.operands().size() > 1;
  std::string text = "barrier.cta" + op.name().substr(StringRef("nvvm.barrier.cta").size()).str() +
                     (*aligned ? ".aligned" : "") + " $0" + (counted ? ", $1;" : ";");
  op.ptx(text, counted ? "r,r" : "r", Type(), op.operands());
  return op.replace({});
}

/// nvvm.barrier.cta.red(predicate, id, count?): and, or, popc of the predicates of all threads.
static LogicalResult barrierReduction(ForeignOp &op) {
  FailureOr<bool> aligned = takeMark(op, "aligned");
  FailureOr<StringRef> kind = op.takeEnumerator("kind", "barrier_redux_kind");
  if (failed(aligned) || failed(kind))
    return failure();
  if (!llvm::is_contained<StringRef>({"and", "or", "popc"}, *kind))
    return op.refuse(Diag::PropertyValue, "kind", "and, or or popc", *kind);
  bool counts = *kind == "popc", counted = op.operands().size() > 2;
  Type i32 = op.build().getI32Type();
  if (op.resultType() != (counts ? i32 : Type(op.build().getI1Type())))
    return op.refuse(Diag::ResultType, counts ? i32 : Type(op.build().getI1Type()),
                     op.resultType());
  std::string call = "barrier.cta.red." + kind->str() + (*aligned ? ".aligned" : "") +
                     (counts ? ".u32 $0" : ".pred %q") + ", $2" + (counted ? ", $3" : "") + ", %p;";
  std::string text = "{ .reg .pred %p, %q; setp.ne.b32 %p, $1, 0; " + call +
                     (counts ? " }" : " selp.b32 $0, 1, 0, %q; }");
  SmallVector<Value> operands(op.operands());
  operands[0] = op.value("arith.extui", i32, operands[0]);
  Value result = op.ptx(text, counted ? "=r,r,r,r" : "=r,r,r", i32, operands);
  return op.replace(counts ? result : op.value("arith.trunci", op.resultType(), result));
}

using enum Slot;
using enum Witness;

// `useIntrinsic` chooses between an intrinsic and inline assembly of the same instruction
// (fence.mbarrier_init.release.cluster, fence.proxy.async.shared::cta). nvvm.cluster.* without
// `aligned` is the non-aligned instruction in both. LLVM's fence with a syncscope prints as PTX's
// fence.acq_rel.
static constexpr Row table[] = {
    {.name = "nvvm.barrier",
     .form = "[ id = $ ] [ number_of_threads = $ ] attr-dict",
     .operands = {I32, I32},
     .optional = 2,
     .segmented = true,
     .rewrite = barrier},
    {.name = "nvvm.barrier0", .form = "attr-dict", .witness = Family},
    {.name = "nvvm.barrier.arrive",
     .form = "[ id = $ ] number_of_threads = $ attr-dict",
     .operands = {I32, I32},
     .optional = 1,
     .witness = Family},
    {.name = "nvvm.barrier.cta.sync",
     .operands = {I32, I32},
     .optional = 1,
     .rewrite = barrierCta,
     .witness = Family},
    {.name = "nvvm.barrier.cta.arrive",
     .operands = {I32, I32},
     .rewrite = barrierCta,
     .witness = Family},
    {.name = "nvvm.barrier.cta.red",
     .operands = {I1, I32, I32},
     .optional = 1,
     .result = Any,
     .rewrite = barrierReduction,
     .witness = Family},
    {.name = "nvvm.cluster.arrive", .form = "attr-dict"},
    {.name = "nvvm.cluster.arrive.relaxed", .form = "attr-dict"},
    {.name = "nvvm.cluster.wait", .form = "attr-dict"},
    {.name = "nvvm.fence.mbarrier.init", .form = "attr-dict", .edits = {drop("useIntrinsic")}},
    {.name = "nvvm.fence.proxy", .form = "attr-dict", .edits = {drop("useIntrinsic")}},
    {.name = "nvvm.fence.sc.cluster", .form = "attr-dict", .witness = Family},
    {.name = "nvvm.fence.acq_rel.cta",
     .form = "attr-dict",
     .becomes = "llvm.fence",
     .edits = {set("ordering", "6 : i64"), set("syncscope", "\"block\"")},
     .witness = Family},
    {.name = "nvvm.fence.acq_rel.cluster",
     .form = "attr-dict",
     .becomes = "llvm.fence",
     .edits = {set("ordering", "6 : i64"), set("syncscope", "\"cluster\"")},
     .witness = Family},
    {.name = "nvvm.fence.acq_rel.gpu",
     .form = "attr-dict",
     .becomes = "llvm.fence",
     .edits = {set("ordering", "6 : i64"), set("syncscope", "\"device\"")},
     .witness = Family},
    {.name = "nvvm.fence.acq_rel.sys",
     .form = "attr-dict",
     .becomes = "llvm.fence",
     .edits = {set("ordering", "6 : i64")},
     .witness = Family},
    {.name = "nvvm.griddepcontrol.wait",
     .form = "attr-dict",
     .becomes = "nvvm.griddepcontrol",
     .edits = {set("kind", "#nvvm<grid_dep_action wait>")},
     .witness = Family},
    {.name = "nvvm.griddepcontrol.launch.dependents",
     .form = "attr-dict",
     .becomes = "nvvm.griddepcontrol",
     .edits = {set("kind", "#nvvm<grid_dep_action launch_dependents>")},
     .witness = Family},
};

llvm::ArrayRef<Row> barrierRows() { return table; }

} // namespace tessera::import
