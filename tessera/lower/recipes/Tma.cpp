// TMA: copies of a box, and tensor maps that the host makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/recipes/AtomCalls.h"

#include "tessera/cute_nvgpu/TensorMaps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

//===--- copies ---------------------------------------------------------------------------------------------------===//

namespace {
// Fields of tma_load, and of tma_store and tma_reduce.
enum LoadField : size_t { LoadDesc, LoadBarrier, LoadMask, LoadPolicy };
enum StoreField : size_t { StoreDesc, StorePolicy };

/// The coordinates of a box, in the order of the tensor map's modes.
Result<SmallVector<Value>> coordinates(Expander &e, const View &view) {
  if (!view.iterator.isArithTuple())
    return Reason{"TmaCoordinates", cat("expects a coordinate tensor on the side of global memory")};
  SmallVector<Value> values;
  Type i32 = e.b.getI32Type();
  view.iterator.tuple.forEachLeaf([&](const layout::Leaf &leaf) { values.push_back(e.emit.value(leaf.value, i32)); });
  return values;
}

/// Shared memory as TMA sees it: it swizzles by itself.
Value linearPointer(Expander &e, const View &view) { return e.emit.value(view.iterator); }
} // namespace

Result<Done> tmaLoad(CopyCall call) {
  Expander &e = call.e;
  auto type = cast<TmaLoadType>(call.atomType());
  TESSERA_TRY(SmallVector<Value> coord, coordinates(e, call.src));
  if (!call.value.fields[LoadBarrier])
    return Reason{"TmaNoBarrier", "expects field tma_bar of the atom to be set: who waits for the copy?"};
  Value mask = type.getMcast() ? e.emit.field(call.value, LoadMask) : Value();
  ArchTmaLoadOp::create(e.b, e.loc(), e.emit.field(call.value, LoadDesc), linearPointer(e, call.dst),
                        e.emit.field(call.value, LoadBarrier), coord, mask, /*offsets=*/ValueRange(),
                        e.field(call.value, LoadPolicy), type.getMode(), uint32_t(type.getNumCta()));
  return Done{};
}

Result<Done> tmaStore(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(SmallVector<Value> coord, coordinates(e, call.dst));
  ArchTmaStoreOp::create(e.b, e.loc(), e.emit.field(call.value, StoreDesc), linearPointer(e, call.src), coord,
                         e.field(call.value, StorePolicy), TmaStoreMode::tiled);
  return Done{};
}

//===--- tensor maps ------------------------------------------------------------------------------------------------===//

namespace {
/// Bytes between neighbours of a mode whose stride is in elements of `bits`.
Value bytesOf(Expander &e, layout::Int stride, int64_t bits) {
  Type i64 = e.b.getI64Type();
  layout::Int wide = stride;
  if (!stride.isStatic())
    wide = e.emit.leaf(e.emit.value(stride, i64));
  return e.emit.value(e.emit.div(e.emit.mul(wide, bits), 8), i64);
}

template <class Op> Result<MappedTensor> makeMap(Expander &e, Op op, const TensorMapPlan &plan) {
  View tensor = e.view(op.getTensor());
  atom::TmaRequest request = plan.request;
  request.gmem = tensor.layout.outer();
  TESSERA_TRY(std::vector<atom::TmaExtent> modes, atom::tmaModes(e.emit, request, plan.tiling.basis));
  SmallVector<Value> extents, strides;
  for (auto [i, mode] : llvm::enumerate(modes)) {
    extents.push_back(e.emit.value(mode.extent, e.b.getI64Type()));
    if (i)
      strides.push_back(bytesOf(e, mode.stride, request.internalBits));
  }
  SmallVector<int32_t> box(plan.tiling.box.begin(), plan.tiling.box.end());
  Value desc = MakeTmaDescTiledOp::create(e.b, e.loc(), tensorMapPointer(e.b.getContext()),
                                          e.emit.value(tensor.iterator), extents, strides,
                                          e.b.getDenseI32ArrayAttr(box), plan.format, plan.swizzle);
  Opaque atom{op.getAtom().getType()};
  atom.fields.push_back(e.emit.handle(desc));
  TESSERA_TRY(layout::Layout coords, atom::tmaCoordinates(e.emit, request, plan.tiling.basis));
  Datum declared = datumOf(op.getCoords().getType());
  View view{declared.as<View>()->iterator, std::move(coords)};
  auto known = [&](int64_t number, const layout::Int &leaf) { return e.emit.known(number, leaf.width); };
  return MappedTensor{std::move(atom), conformed(Datum(std::move(view)), op.getCoords().getType(), known)};
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

} // namespace tessera::lower
