// TMA, wgmma and clusters as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/KernelMemory.h"
#include "tessera/cute_cxx/Node.h"

using namespace tessera;

namespace tessera::cute {

/// CUTLASS include/cute/atom/mma_traits_sm90_gmma.hpp: eight rows of so many bytes, whose 16-byte
/// pieces are spread over the banks.
Layout<> detail::gmma_atom(Format format, int bytes, GMMA::Major major, Place at) {
  int64_t elements = bytes * 8 / dsl::Element(format).bits();
  constexpr int64_t rows = 8;
  Layout<> plain = major == GMMA::Major::K
                       ? make_layout(make_shape(rows, elements), make_stride(elements, 1), at)
                       : make_layout(make_shape(elements, rows), make_stride(1, elements), at);
  int bits = bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
  return bits ? layoutFrom(dsl::make_swizzled({bits, 4, 3}, layoutOf(plain), at), true) : plain;
}

void warpgroup_arrive(Place at) { dsl::warpgroup_arrive(at); }
void warpgroup_commit_batch(Place at) { dsl::warpgroup_commit(at); }
void warpgroup_wait(int pending, Place at) {
  constexpr int most = 7; // as CuTe C++ says
  if (isWithin("warpgroup_wait", "a number of pending groups", pending, 0, most, at))
    dsl::warpgroup_wait(pending, at);
}
void fence_view_async_shared(Place at) { dsl::fence_async_shared(at); }
void detail::set_registers(int count, bool more, Place at) {
  dsl::set_max_registers(count, more, at);
}

//===--- tensor copies ------------------------------------------------------------------------===//

static dsl::TmaTensor tmaOf(const Value &v) { return held<dsl::TmaTensor>(v); }
/// A shared layout ((M,K),Ms,Ks,...) as a product of tcgen05 takes it, as (M,K), where that is the
/// tile; another one itself. ((8,16),(64,1),...) is a layout (M,K,...) whose modes are nested.
static Layout<> byModesOfTensor(const Layout<> &smem, const IntTuple &tile, Place at) {
  if (smem.is_poisoned() || !tile.is_set() || tile.is_poisoned() || tile.rank() != 2 ||
      smem.rank() < 3 || smem.mode(0, at).rank() != 2 || !smem.is_static() || !tile.is_static())
    return smem;
  Layout<> outer = get_nonswizzle_portion(smem, at), first = outer.mode(0, at);
  auto covers = [&](const Num &m, const Num &k) {
    return int64_t(m) == int64_t(size<0>(tile)) && int64_t(k) == int64_t(size<1>(tile));
  };
  if (covers(size<0>(outer, at), size<1>(outer, at)) ||
      !covers(Operand(size<0>(first, at), at) * Operand(size<1>(outer, at), at),
              Operand(size<1>(first, at), at) * Operand(size<2>(outer, at), at)))
    return smem;
  Layout<> whole = coalesce(make_layout(make_layout(first.mode(0, at), outer.mode(1, at), at),
                                        make_layout(first.mode(1, at), outer.mode(2, at), at), at),
                            make_tuple(1, 1), at);
  dsl::Layout own = layoutOf(smem);
  return layoutFrom(dsl::Layout(own.get().withOuter(layout::Layout(layoutOf(whole).get().outer()))),
                    held<LayoutValue>(smem).onPointer);
}
/// Modes of a shared layout that are those of the tensor; a mode after them is of stages.
static std::pair<dsl::Layout, dsl::Tile> boxOf(const Tensor &t, const Layout<> &given,
                                               const Tiler &tiler, Place at) {
  IntTuple tile = tiler.is_set() ? tiler.shape(at) : IntTuple();
  Layout<> smem = byModesOfTensor(given, tile, at), stage = smem;
  if (smem.rank() > t.rank()) {
    std::vector<int> modes;
    for (int i = 0; i < t.rank(); ++i)
      modes.push_back(i);
    stage = detail::select(smem, modes, at);
  }
  if (tiler.is_set())
    return {layoutOf(stage), tileOf(tiler)};
  std::vector<IntTuple> sizes;
  for (int i = 0; i < stage.rank(); ++i)
    sizes.push_back(size(stage.shape(at).mode(i, at), at));
  return {layoutOf(stage), tileOf(Tiler(IntTuple::of(sizes, at), at))};
}
TmaCopy detail::tma_copy(TmaKind kind, const Tensor &t, const Layout<> &smem, const Tiler &tile,
                         const Num &blocks, Place at) {
  const Static *count = staticOf(blocks);
  if (KernelMemory::isOfThread()) {
    mistake("make_tma_copy",
            "expects a host function: make it there, and pass it to the kernel at the launch", at);
    return made<TmaCopy>(dsl::TmaTensor{dsl::Atom(mlir::Value()), dsl::Tensor(mlir::Value())});
  }
  bool isMulticast = kind == TmaKind::Multicast || kind == TmaKind::PairMulticast;
  if (!blocks.is_poisoned() &&
      (!count || count->number < 1 || (!isMulticast && count->number > 1))) {
    mistake("make_tma_copy",
            isMulticast ? "expects the number of blocks that a multicast reaches, which C++ knows"
                        : cat("expects 1 block where a copy does not multicast, but got ",
                              count ? cat(count->number) : std::string("a number of the device"),
                              "; take SM90_TMA_LOAD_MULTICAST"),
            at);
    count = nullptr;
  }
  if (!count || t.is_poisoned() || smem.is_poisoned() || tile.is_poisoned())
    return made<TmaCopy>(dsl::TmaTensor{dsl::Atom(mlir::Value()), dsl::Tensor(mlir::Value())});
  auto [stage, box] = boxOf(t, smem, tile, at);
  switch (kind) {
  case TmaKind::Load:
  case TmaKind::Multicast:
    return made<TmaCopy>(dsl::make_tma_load(tensorOf(t), stage, box,
                                            {.multicast = int(count->number), .as = {}}, at));
  case TmaKind::Pair:
  case TmaKind::PairMulticast:
    return made<TmaCopy>(dsl::make_tma_load(
        tensorOf(t), stage, box, {.multicast = int(count->number), .as = {}, .blocks = 2}, at));
  case TmaKind::Store: return made<TmaCopy>(dsl::make_tma_store(tensorOf(t), stage, box, at));
  case TmaKind::Add: return made<TmaCopy>(dsl::make_tma_add(tensorOf(t), stage, box, at));
  }
  return {};
}
Tensor TmaCopy::get_tma_tensor(Place) const { return tensorFrom(tmaOf(*this).coords); }
Tensor TmaCopy::get_tma_tensor(const IntTuple &, Place at) const { return get_tma_tensor(at); }

Num create_tma_multicast_mask(const Layout<> &blocks, const IntTuple &coord, Place at) {
  constexpr int64_t most = 16; // blocks of a cluster
  auto [open, first] = slice_and_offset(coord, blocks, at);
  if (open.is_poisoned() || first.is_poisoned())
    return num(dsl::Num(mlir::Value()));
  Num reach = cosize(blocks, at);
  if (reach.is_poisoned() ||
      !isWithin("create_tma_multicast_mask", "a cluster", reach, 1, most, at))
    return num(dsl::Num(mlir::Value()));
  int64_t mask = 0;
  for (int64_t i = 0, n = open.rank() ? int64_t(size(open, at)) : 1; i < n; ++i)
    mask |= int64_t(1) << (open.rank() ? int64_t(open.at(i, at)) : 0);
  return Operand(Num(mask), at) << Operand(Num(first, at), at);
}
std::tuple<Tensor, Tensor> tma_partition(const TmaCopy &tma, const Num &block,
                                         const Layout<> &blocks, const Tensor &smem,
                                         const Tensor &gmem, Place at) {
  dsl::Atom atom = tmaOf(tma).atom;
  Num count = size(blocks, at);
  dsl::TmaParts parts = count.is_static() && int64_t(count) == 1
                            ? dsl::tma_partition(atom, tensorOf(smem), tensorOf(gmem), at)
                            : dsl::tma_partition(atom, tensorOf(smem), tensorOf(gmem),
                                                 number(block, at), layoutOf(blocks), at);
  return {tensorFrom(parts.gmem), tensorFrom(parts.smem)};
}
void prefetch_tma_descriptor(const TmaCopy &tma, Place at) {
  dsl::prefetch_tma_desc(tmaOf(tma).atom, at);
}
void copy(const ExecutableTma &load, const Tensor &from, const Tensor &to, Place at) {
  dsl::Num mask =
      load.mask.is_set() ? dsl::convert(number(load.mask, at), dsl::i16, at) : dsl::Num();
  dsl::tma_load(tmaOf(load.tma).atom, tensorOf(from), tensorOf(to),
                held<dsl::Barrier>(load.barrier), mask, at);
}
void copy(const TmaCopy &store, const Tensor &from, const Tensor &to, Place at) {
  dsl::tma_store(tmaOf(store).atom, tensorOf(from), tensorOf(to), at);
}
void tma_store_arrive(Place at) { dsl::tma_store_commit(at); }
void detail::store_wait(int pending, Place at) {
  if (isWithin("tma_store_wait", "a number of pending groups", pending, 0, INT32_MAX, at))
    dsl::tma_store_wait(pending, at);
}

//===--- clusters -----------------------------------------------------------------------------===//

void cluster_sync(Place at) { dsl::cluster_sync(at); }
void cluster_arrive(Place at) { dsl::cluster_arrive(true, at); }
void cluster_arrive_relaxed(Place at) { dsl::cluster_arrive(false, at); }
void cluster_wait(Place at) { dsl::cluster_wait(at); }
Pointer map_to_block(const Pointer &p, const Num &block, Place at) {
  return made<Pointer>(dsl::map_to_rank(held<dsl::Pointer>(p), number(block, at), at));
}
/// PTX has 16 barriers, at which whole warps arrive.
static bool isBarrier(const char *call, const Num &id, int threads, Place at) {
  constexpr int lanes = 32, most = 1024;
  if (!isWithin(call, "a barrier", id, 0, 15, at) ||
      !isWithin(call, "a number of threads", threads, lanes, most, at))
    return false;
  if (threads % lanes == 0)
    return true;
  mistake(call, cat("expects a multiple of ", lanes, " threads, but got ", threads), at);
  return false;
}
void named_barrier_sync(const Num &id, int threads, Place at) {
  if (isBarrier("named_barrier_sync", id, threads, at))
    dsl::named_barrier(number(id, at), threads, at);
}
void named_barrier_arrive(const Num &id, int threads, Place at) {
  if (isBarrier("named_barrier_arrive", id, threads, at))
    dsl::named_barrier_arrive(number(id, at), threads, at);
}

} // namespace tessera::cute
