// Atoms, fragments, copies and TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Builder.h"

#include "tessera/cute/Build.h"
#include "tessera/cute_nvgpu/families/tma/TensorMaps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::dsl {

Value Builder::make_atom(const Twine &text, ValueRange fields) {
  return MakeAtomOp::create(b, loc, type("!cute_nvgpu." + text), fields);
}

Value Builder::make_tiled_mma(Value atom, const Twine &atomLayout) {
  std::string text;
  llvm::raw_string_ostream(text) << "!cute.tiled_mma<" << atom.getType()
                                 << ", atom_layout_MNK = <\"" << atomLayout << "\">>";
  return MakeTiledMmaOp::create(b, loc, type(text), atom);
}

Value Builder::partition(Value mma, Value tensor, Num thread, int operand) {
  NamedAttrList attrs;
  attrs.set("operand_id", b.getI32IntegerAttr(operand));
  FailureOr<TiledMmaPartitionOp> op =
      build<TiledMmaPartitionOp>(b, loc, {mma, tensor, coord("?", thread.v)}, attrs);
  if (failed(op))
    stop("partition");
  return *op;
}
Value Builder::partition_A(Value mma, Value tensor, Num thread) {
  return partition(mma, tensor, thread, 0);
}
Value Builder::partition_B(Value mma, Value tensor, Num thread) {
  return partition(mma, tensor, thread, 1);
}
Value Builder::partition_C(Value mma, Value tensor, Num thread) {
  return partition(mma, tensor, thread, 2);
}

Value Builder::fragment(Value mma, Value partition, int operand) {
  NamedAttrList attrs;
  attrs.set("operand_id", b.getI32IntegerAttr(operand));
  FailureOr<MmaMakeFragmentOp> op = build<MmaMakeFragmentOp>(b, loc, {mma, partition}, attrs);
  if (failed(op))
    stop("make_fragment");
  return *op;
}
Value Builder::make_fragment_A(Value mma, Value partition) { return fragment(mma, partition, 0); }
Value Builder::make_fragment_B(Value mma, Value partition) { return fragment(mma, partition, 1); }
Value Builder::make_fragment_C(Value mma, const Twine &extent) {
  NamedAttrList attrs;
  attrs.set("operand_id", b.getI32IntegerAttr(2));
  FailureOr<TiledMmaPartitionShapeOp> shape =
      build<TiledMmaPartitionShapeOp>(b, loc, {mma, this->shape(extent)}, attrs);
  if (failed(shape))
    stop("partition_shape");
  return fragment(mma, *shape, 2);
}

Value Builder::set(Value atom, Attribute field, Value value) {
  return AtomSetValueOp::create(b, loc, atom.getType(), atom, value, field);
}
Value Builder::accumulate(Value mma, Num whether) {
  return set(mma, MmaFieldSm90Attr::get(b.getContext(), MmaFieldSm90::accum_c), whether.v);
}
void Builder::gemm(Value mma, Value d, Value a, Value bb, Value c) {
  GemmOp::create(b, loc, mma, d, a, bb, c, IntegerAttr());
}
void Builder::copy(Value atom, Value src, Value dst) {
  CopyOp::create(b, loc, atom, src, dst, Value());
}

//===--- TMA ----------------------------------------------------------------------------------===//

/// Coordinates of a tile -> modes of the tensor.
static Value tilerOf(Builder &builder, Value tensor, const Twine &tile) {
  Value identity = builder.make_identity_layout(builder.get_shape(builder.get_layout(tensor)));
  return builder.composition(identity, builder.tile(tile));
}

TmaTensor Builder::make_tma_load(Value tensor, Value smemLayout, const Twine &tile, int multicast,
                                 Type as) {
  Value tiler = tilerOf(*this, tensor, tile);
  auto kind = multicast > 1 ? atom::TiledLoad::Sm90Multicast : atom::TiledLoad::Sm90;
  Result<TensorMapTypes> types =
      loadTypes(tensor.getType(), smemLayout.getType(), tiler.getType(), kind, multicast, as);
  if (!types)
    stop(types.reason().text);
  auto op = MakeNonExecTiledTmaLoadOp::create(
      b, loc, types->atom, types->coords, tensor, smemLayout, tiler, kind, uint32_t(multicast),
      TmaDataFormatAttr(), as ? TypeAttr::get(as) : TypeAttr());
  return {op.getAtom(), op.getCoords()};
}
TmaTensor Builder::make_tma_store(Value tensor, Value smemLayout, const Twine &tile) {
  Value tiler = tilerOf(*this, tensor, tile);
  Result<TensorMapTypes> types =
      storeTypes(tensor.getType(), smemLayout.getType(), tiler.getType());
  if (!types)
    stop(types.reason().text);
  auto op = MakeNonExecTiledTmaStoreOp::create(b, loc, types->atom, types->coords, tensor,
                                               smemLayout, tiler);
  return {op.getAtom(), op.getCoords()};
}

TmaParts Builder::tma_partition(Value atom, Value smem, Value gmem, Value ctaCoord,
                                Value ctaLayout) {
  if (!ctaCoord) {
    ctaCoord = coord("0");
    ctaLayout = layout("1:0");
  }
  // The types follow from those of the operands.
  OperationState state(loc, TmaPartitionOp::getOperationName());
  state.addOperands({atom, ctaCoord, ctaLayout, smem, gmem});
  TypeDomain domain;
  Data in;
  for (Value operand : state.operands)
    in.push_back(datumOf(operand.getType()));
  Result<Data> out = TmaPartitionOp::evaluateOn(domain, in);
  if (!out)
    stop(out.reason().text);
  for (const Datum &datum : *out)
    state.addTypes(typeOf(b.getContext(), datum));
  Operation *op = b.create(state);
  return {op->getResult(0), op->getResult(1)};
}

void Builder::prefetch_tma_desc(Value atom) { PrefetchTmaDescOp::create(b, loc, atom); }

namespace {
/// The atom that is executed, from the one that carries the tensor map.
Type executable(Type type) {
  MLIRContext *context = type.getContext();
  auto none = IntTupleAttr::get(context, layout::Tree(std::vector<layout::Tree>()));
  if (auto load = dyn_cast<NonExecTiledTmaLoadType>(type))
    return TmaLoadType::get(context, load.getValType(), load.getCopyBits(), atom::TmaMode::Tiled, 1,
                            none, load.getKind() == atom::TiledLoad::Sm90Multicast,
                            load.getTmaGbasis());
  auto store = cast<NonExecTiledTmaStoreType>(type);
  return TmaStoreType::get(context, store.getValType(), store.getCopyBits(), atom::TmaMode::Tiled,
                           none, store.getTmaGbasis());
}
} // namespace

void Builder::tma_load(Value atom, Value gmem, Value smem, Value barrier, Num mask) {
  Value exec = MakeExecTmaOp::create(b, loc, executable(atom.getType()), atom);
  auto field = [&](CopyFieldTmaLoad which) {
    return CopyFieldTmaLoadAttr::get(b.getContext(), which);
  };
  exec = set(exec, field(CopyFieldTmaLoad::tma_bar), barrier);
  if (mask.v)
    exec = set(exec, field(CopyFieldTmaLoad::mcast_mask), mask.v);
  copy(exec, gmem, smem);
}
void Builder::tma_store(Value atom, Value smem, Value gmem) {
  Value exec = MakeExecTmaOp::create(b, loc, executable(atom.getType()), atom);
  copy(exec, smem, gmem);
}
void Builder::tma_store_commit() { NVVM::CpAsyncBulkCommitGroupOp::create(b, loc); }
void Builder::tma_store_wait(int pending) {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, b.getI32IntegerAttr(pending), b.getUnitAttr());
}

} // namespace tessera::dsl
