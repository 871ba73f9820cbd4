// TMA: copies of a box, and tensor maps that the host makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/tma/TensorMapCalls.h"
#include "tessera/lower/families/tma/Tma.h"

#include "tessera/cute_nvgpu/families/tma/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

//===--- copies -------------------------------------------------------------------------------===//

namespace {
/// Where a copy reads or writes: coordinates in the order of the tensor map's modes, and the
/// filter's offsets, which stand after them.
struct Box {
  SmallVector<Value> coord, offsets;
};
Result<Box> boxOf(Expander &e, const View &view, atom::TmaMode mode, bool store = false) {
  bool along = mode == atom::TmaMode::Im2colW || mode == atom::TmaMode::Im2colW128;
  bool hasOffsets = !store && (along || mode == atom::TmaMode::Im2col);
  if (!view.iterator.isArithTuple())
    return Reason{"TmaCoordinates",
                  cat("expects a coordinate tensor on the side of global memory")};
  Box box;
  Type i32 = e.b.getI32Type();
  view.iterator.tuple.forEachLeaf(
      [&](const layout::Leaf &leaf) { box.coord.push_back(e.emit.value(leaf.value, i32)); });
  if (!hasOffsets)
    return box;
  // Offsets of the filter: rank - 2, or two: halo and offset along W.
  size_t leaves = box.coord.size(), rank = along ? leaves - 2 : (leaves + 2) / 2;
  if ((!along && leaves % 2) || rank < 3 || rank > 5)
    return Reason{"Im2colCoordinates", cat("expects 3, 4 or 5 coordinates and after them 1, 2 or "
                                           "3 offsets of the filter, but got ",
                                           leaves, " numbers")};
  for (Value offset : ArrayRef(box.coord).drop_front(rank))
    box.offsets.push_back(arith::TruncIOp::create(e.b, e.loc(), e.b.getI16Type(), offset));
  box.coord.truncate(rank);
  return box;
}

/// Shared memory as TMA sees it: it swizzles by itself, by the address. So the offset that a
/// swizzle is applied to, such as that of a block's part of a multicast, counts as it is.
Result<Value> linearPointer(Expander &e, const View &view) {
  Iterator begin = view.iterator;
  if (const layout::Composed *composed = view.layout.composed(); composed && composed->swizzle()) {
    TESSERA_TRY(Iterator at, e.emit.advance(begin, composed->offset));
    begin = std::move(at);
  }
  return e.emit.value(begin);
}

/// The mode of an atom that can be executed: one that carries its tensor map cannot.
Result<atom::TmaMode> modeOf(const CopyCall &call) {
  if (carriesTensorMap(call.atomType()))
    return Reason{"TmaPrefetchAtom", "expects an executable atom: atom.make_exec_tma makes one"};
  return call.row().key.mode;
}

Result<Done> tmaLoad(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(atom::TmaMode mode, modeOf(call));
  TESSERA_TRY(Box box, boxOf(e, call.src, mode));
  if (!fieldIfSet(call, "tma_bar"))
    return Reason{
        "TmaNoBarrier",
        "expects field tma_bar of the atom to be set: the barrier at which the copy ends"};
  TESSERA_TRY(Value dst, linearPointer(e, call.dst));
  Value mask = call.row().key.multicast ? field(call, "mcast_mask") : Value();
  ArchTmaLoadOp::create(e.b, e.loc(), field(call, "tma_descriptor_ptr"), dst,
                        field(call, "tma_bar"), box.coord, mask, box.offsets,
                        fieldIfSet(call, "cache_policy"), mode, uint32_t(call.row().key.ctas));
  return Done{};
}

Result<Done> tmaPrefetch(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(atom::TmaMode mode, modeOf(call));
  TESSERA_TRY(Box box, boxOf(e, call.src, mode));
  ArchTmaPrefetchOp::create(e.b, e.loc(), field(call, "tma_descriptor_ptr"), box.coord, box.offsets,
                            fieldIfSet(call, "cache_policy"), mode);
  return Done{};
}

Result<Done> tmaStore(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(atom::TmaMode mode, modeOf(call));
  TESSERA_TRY(Box box, boxOf(e, call.dst, mode, /*store=*/true));
  TESSERA_TRY(Value src, linearPointer(e, call.src));
  ArchTmaStoreOp::create(e.b, e.loc(), field(call, "tma_descriptor_ptr"), src, box.coord,
                         fieldIfSet(call, "cache_policy"), mode);
  return Done{};
}

Result<Done> tmaReduce(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(atom::TmaMode mode, modeOf(call));
  TESSERA_TRY(Box box, boxOf(e, call.dst, mode, /*store=*/true));
  TESSERA_TRY(Value src, linearPointer(e, call.src));
  ArchTmaReduceOp::create(e.b, e.loc(), field(call, "tma_descriptor_ptr"), src, box.coord,
                          fieldIfSet(call, "cache_policy"), mode, call.row().key.reduction);
  return Done{};
}

constexpr CopyRecipe copies[] = {
    {atom::CopyFamily::TmaLoad, tmaLoad},
    {atom::CopyFamily::TmaStore, tmaStore},
    {atom::CopyFamily::TmaReduce, tmaReduce},
};
constexpr CopyRecipe prefetches[] = {{atom::CopyFamily::TmaLoad, tmaPrefetch}};
} // namespace

const Unit tmaUnit = {{}, copies, prefetches, addTmaPatterns};

//===--- tensor maps --------------------------------------------------------------------------===//

namespace {
/// Bytes between neighbours of a mode whose stride is in elements of `bits`. A stride of 64 bits
/// can be so large that its bytes wrap and look like a good stride: what no tensor map takes
/// (negative, or from 2^40 bytes on; CUDA Driver API, cuTensorMapEncodeTiled) stays so, but wraps
/// no more.
Value bytesOf(Expander &e, layout::Int stride, int64_t bits) {
  constexpr int64_t tooMany = int64_t(1) << 40;
  Type i64 = e.b.getI64Type();
  layout::Int wide = stride;
  if (!stride.isStatic())
    wide = e.emit.leaf(e.emit.value(stride, i64));
  if (!stride.isStatic() && stride.width == layout::Width::I64)
    wide = e.emit.min(e.emit.max(wide, -tooMany), tooMany);
  return e.emit.value(e.emit.div(e.emit.mul(wide, bits), 8), i64);
}

/// Extents, and strides in bytes of the modes after the first.
struct MapModes {
  SmallVector<Value> extents, strides;
};
Result<MapModes> modesOf(Expander &e, const atom::TmaRequest &request, const layout::Layout &basis,
                         Type extent) {
  TESSERA_TRY(std::vector<atom::TmaExtent> modes, atom::tmaModes(e.emit, request, basis));
  MapModes out;
  for (auto [i, mode] : llvm::enumerate(modes)) {
    out.extents.push_back(e.emit.value(mode.extent, extent));
    if (i)
      out.strides.push_back(bytesOf(e, mode.stride, request.internalBits));
  }
  // The first stride is 1 in a tensor map. A tensor with another one has no map: an extent of 0 is
  // refused by whatever encodes it.
  if (layout::Int first = modes.front().stride; !first.isStatic()) {
    Value stride = e.emit.value(first);
    auto number = [&](Type type, int64_t n) -> Value {
      return arith::ConstantOp::create(e.b, e.loc(), e.b.getIntegerAttr(type, n));
    };
    Value contiguous = arith::CmpIOp::create(e.b, e.loc(), arith::CmpIPredicate::eq, stride,
                                             number(stride.getType(), 1));
    out.extents.front() =
        arith::SelectOp::create(e.b, e.loc(), contiguous, out.extents.front(), number(extent, 0));
  }
  return out;
}

template <class Op> Result<MappedTensor> makeMap(Expander &e, Op op, const TensorMapPlan &plan) {
  View tensor = e.view(op.getTensor());
  atom::TmaRequest request = plan.request;
  request.gmem = tensor.layout.outer();
  TESSERA_TRY(MapModes modes, modesOf(e, request, plan.tiling.basis, e.b.getI64Type()));
  SmallVector<int32_t> box(plan.tiling.box.begin(), plan.tiling.box.end());
  Value desc = MakeTmaDescTiledOp::create(
      e.b, e.loc(), tensorMapPointer(e.b.getContext()), e.emit.value(tensor.iterator),
      modes.extents, modes.strides, e.b.getDenseI32ArrayAttr(box), plan.format, plan.swizzle);
  Opaque atom{op.getAtom().getType()};
  atom.fields.push_back(e.emit.handle(desc));
  TESSERA_TRY(layout::Layout coords, atom::tmaCoordinates(e.emit, request, plan.tiling.basis));
  Datum declared = datumOf(op.getCoords().getType());
  View view{declared.as<View>()->iterator, std::move(coords)};
  auto known = [&](int64_t number, const layout::Int &leaf) {
    return e.emit.known(number, leaf.width);
  };
  return MappedTensor{std::move(atom),
                      conformed(Datum(std::move(view)), op.getCoords().getType(), known)};
}
} // namespace

Result<MappedTensor> tensorMap(Expander &e, MakeNonExecTiledTmaLoadOp op) {
  TESSERA_TRY(TensorMapPlan plan, planOf(op));
  return makeMap(e, op, plan);
}

Result<MappedTensor> tensorMap(Expander &e, MakeNonExecTiledTmaStoreOp op) {
  TESSERA_TRY(TensorMapPlan plan, planOf(op));
  return makeMap(e, op, plan);
}

Result<MappedTensor> tensorMap(Expander &e, MakeNonExecTiledTmaReduceOp op) {
  TESSERA_TRY(TensorMapPlan plan, planOf(op));
  return makeMap(e, op, plan);
}

Result<Done> updateTensorMap(Expander &e, UpdateTmaDescOp op) {
  TensorMapPlan plan = *planOf(op.getAtom().getType(), op.getTensor().getType());
  View tensor = e.view(op.getTensor());
  plan.request.gmem = tensor.layout.outer();
  TESSERA_TRY(MapModes modes, modesOf(e, plan.request, plan.tiling.basis, e.b.getI32Type()));
  ArchReplaceTmaDescOp::create(e.b, e.loc(), e.emit.value(*e.datum(op.getDesc()).as<Iterator>()),
                               e.emit.value(tensor.iterator), modes.extents, modes.strides);
  return Done{};
}

} // namespace tessera::lower
