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
    {.name = "nvvm.barrier.arrive",
     .form = "[ id = $ ] number_of_threads = $ attr-dict",
     .operands = {I32, I32},
     .optional = 1,
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
