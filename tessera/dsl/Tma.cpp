// TMA as operations of cute_nvgpu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Tma.h"

#include "tessera/cute_nvgpu/families/tma/TensorMaps.h"
#include "tessera/dsl/Call.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::dsl {

//===--- host ---------------------------------------------------------------------------------===//

/// Coordinates of a tile -> modes of the tensor.
static Layout tilerOf(const Tensor &tensor, const Tile &tile, Place at) {
  Layout whole = make_identity_layout(get_shape(get_layout(tensor, at), at), at);
  return composition(whole, tile, at);
}
/// The types of an atom, or a mistake.
static std::optional<TensorMapTypes> expected(Call &call, Result<TensorMapTypes> types) {
  if (types)
    return *types;
  call.fail(types.reason().text);
  return std::nullopt;
}

TmaTensor make_tma_load(Tensor tensor, const Layout &smem, const Tile &tile,
                        const TmaOptions &options, Place at) {
  Call call("make_tma_load", at, tensor, smem, tile);
  Value shared = call.value(smem);
  Value tiler = call.good() ? tilerOf(tensor, tile, at).ir() : Value();
  if (!call.good() || !tiler)
    return {Atom(Value()), Tensor(Value())};
  bool isMulticast = options.multicast > 1;
  auto kind = options.blocks == 2 && isMulticast ? atom::TiledLoad::Sm100PairMulticast
              : options.blocks == 2              ? atom::TiledLoad::Sm100Pair
              : isMulticast                      ? atom::TiledLoad::Sm90Multicast
                                                 : atom::TiledLoad::Sm90;
  Type as = options.as ? options.as->type(call.mlirContext()) : Type();
  auto types = expected(call, loadTypes(tensor.ir().getType(), shared.getType(), tiler.getType(),
                                        kind, options.multicast, as));
  auto op = types ? call.create<MakeNonExecTiledTmaLoadOp>(
                        types->atom, types->coords, tensor.ir(), shared, tiler, kind,
                        uint32_t(options.multicast), TmaDataFormatAttr(),
                        as ? TypeAttr::get(as) : TypeAttr())
                  : MakeNonExecTiledTmaLoadOp();
  return {Atom(op ? op.getAtom() : Value()), Tensor(op ? op.getCoords() : Value())};
}
template <class Op>
static TmaTensor storing(Call &call, Tensor tensor, const Layout &smem, const Tile &tile, Place at,
                         llvm::function_ref<Type(NonExecTiledTmaStoreType)> atomOf) {
  Value shared = call.value(smem);
  Value tiler = call.good() ? tilerOf(tensor, tile, at).ir() : Value();
  if (!call.good() || !tiler)
    return {Atom(Value()), Tensor(Value())};
  auto types = expected(call, storeTypes(tensor.ir().getType(), shared.getType(), tiler.getType()));
  auto op = types ? call.create<Op>(atomOf(cast<NonExecTiledTmaStoreType>(types->atom)),
                                    types->coords, tensor.ir(), shared, tiler)
                  : Op();
  return {Atom(op ? op.getAtom() : Value()), Tensor(op ? op.getCoords() : Value())};
}
TmaTensor make_tma_store(Tensor tensor, const Layout &smem, const Tile &tile, Place at) {
  Call call("make_tma_store", at, tensor, smem, tile);
  return storing<MakeNonExecTiledTmaStoreOp>(call, tensor, smem, tile, at,
                                             [](NonExecTiledTmaStoreType store) { return store; });
}
TmaTensor make_tma_add(Tensor tensor, const Layout &smem, const Tile &tile, Place at) {
  Call call("make_tma_add", at, tensor, smem, tile);
  return storing<MakeNonExecTiledTmaReduceOp>(
      call, tensor, smem, tile, at, [&](NonExecTiledTmaStoreType store) -> Type {
        return call.collecting([&] {
          return NonExecTiledTmaReduceType::getChecked(
              [&] { return emitError(call.location()); }, call.mlirContext(), atom::Reduction::Add,
              store.getValType(), store.getCopyBits(), store.getTmaGbasis(), store.getTmaFormat(),
              store.getInternalValType());
        });
      });
}

//===--- device -------------------------------------------------------------------------------===//

static TmaParts partsOf(Call &call, const Atom &atom, const Tensor &smem, const Tensor &gmem,
                        const Coord &rank, const Layout &blocks) {
  TmaParts parts{Tensor(Value()), Tensor(Value())};
  Value who = call.value(rank, layout::TreeKind::Coord), all = call.value(blocks);
  if (!call.good())
    return parts;
  // The types follow from those of the operands.
  SmallVector<Value> operands{atom.ir(), who, all, smem.ir(), gmem.ir()};
  TypeDomain domain;
  Data in;
  for (Value operand : operands)
    in.push_back(datumOf(operand.getType()));
  Result<Data> out = TmaPartitionOp::evaluateOn(domain, in);
  if (!out) {
    call.fail(out.reason().text);
    return parts;
  }
  SmallVector<Type> types;
  for (const Datum &datum : *out)
    types.push_back(typeOf(call.mlirContext(), datum));
  if (auto op = call.create<TmaPartitionOp>(types, operands))
    parts = {Tensor(op->getResult(0)), Tensor(op->getResult(1))};
  return parts;
}
TmaParts tma_partition(Atom atom, Tensor smem, Tensor gmem, Num rank, const Layout &blocks,
                       Place at) {
  Call call("tma_partition", at, atom, smem, gmem, rank, blocks);
  return partsOf(call, atom, smem, gmem, rank, blocks);
}
TmaParts tma_partition(Atom atom, Tensor smem, Tensor gmem, Place at) {
  Call call("tma_partition", at, atom, smem, gmem);
  return partsOf(call, atom, smem, gmem, 0, layout::Layout{int64_t(1), int64_t(0)});
}

void prefetch_tma_desc(Atom atom, Place at) {
  Call call("prefetch_tma_desc", at, atom);
  call.create<PrefetchTmaDescOp>(atom.ir());
}

/// The atom that is executed, from the one that carries the tensor map; null after a mistake.
static Value executable(Call &call, const Atom &atom) {
  if (!call.good())
    return {};
  Type runs = executableOf(atom.ir().getType());
  if (!runs)
    call.fail("expects an atom of make_tma_load, make_tma_store or make_tma_add");
  auto op = runs ? call.create<MakeExecTmaOp>(runs, atom.ir()) : MakeExecTmaOp();
  return op ? op->getResult(0) : Value();
}
void tma_load(Atom atom, Tensor gmem, Tensor smem, Barrier barrier, Num mask, Place at) {
  Call call("tma_load", at, atom, gmem, smem, barrier.address());
  Atom exec(executable(call, atom));
  auto field = [&](CopyFieldTmaLoad which) -> Attribute {
    return CopyFieldTmaLoadAttr::get(call.mlirContext(), which);
  };
  if (!call.good())
    return;
  exec = with_field(exec, field(CopyFieldTmaLoad::tma_bar), barrier.address(), at);
  if (mask)
    exec = with_field(exec, field(CopyFieldTmaLoad::mcast_mask), mask, at);
  copy(exec, gmem, smem, at);
}
void tma_store(Atom atom, Tensor smem, Tensor gmem, Place at) {
  Call call("tma_store", at, atom, smem, gmem);
  Atom exec(executable(call, atom));
  copy(exec, smem, gmem, at);
}
void tma_store_commit(Place at) {
  Call("tma_store_commit", at).create<NVVM::CpAsyncBulkCommitGroupOp>();
}
void tma_store_wait(int pending, Place at) {
  Call call("tma_store_wait", at);
  if (call.good())
    call.create<NVVM::CpAsyncBulkWaitGroupOp>(call.builder().getI32IntegerAttr(pending),
                                              call.builder().getUnitAttr());
}

} // namespace tessera::dsl
