// TMA, wgmma and clusters as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
void warpgroup_wait(int pending, Place at) { dsl::warpgroup_wait(pending, at); }
void fence_view_async_shared(Place at) { dsl::fence_async_shared(at); }
void detail::set_registers(int count, bool more, Place at) {
  dsl::set_max_registers(count, more, at);
}

//===--- tensor copies ------------------------------------------------------------------------===//

static dsl::TmaTensor tmaOf(const Value &v) { return held<dsl::TmaTensor>(v); }
/// Modes of a shared layout that are those of the tensor; a mode after them is of stages.
static std::pair<dsl::Layout, dsl::Tile> box(const Tensor &t, const Layout<> &smem,
                                             const IntTuple &tile, Place at) {
  Layout<> stage = smem;
  if (smem.rank() > t.rank()) {
    std::vector<int> modes;
    for (int i = 0; i < t.rank(); ++i)
      modes.push_back(i);
    stage = detail::select(smem, modes, at);
  }
  IntTuple extents = tile;
  if (!tile.is_set()) {
    std::vector<IntTuple> sizes;
    for (int i = 0; i < stage.rank(); ++i)
      sizes.push_back(size(stage.shape(at).mode(i, at), at));
    extents = IntTuple::of(sizes, at);
  }
  return {layoutOf(stage), tileOf(Tiler(extents, at))};
}
TmaCopy make_tma_copy(SM90_TMA_LOAD, const Tensor &t, const Layout<> &smem, Place at) {
  auto [stage, tile] = box(t, smem, {}, at);
  return made<TmaCopy>(dsl::make_tma_load(tensorOf(t), stage, tile, {}, at));
}
TmaCopy make_tma_copy(SM90_TMA_LOAD_MULTICAST, const Tensor &t, const Layout<> &smem,
                      const IntTuple &extents, int blocks, Place at) {
  auto [stage, tile] = box(t, smem, extents, at);
  return made<TmaCopy>(
      dsl::make_tma_load(tensorOf(t), stage, tile, {.multicast = blocks, .as = {}}, at));
}
TmaCopy make_tma_copy(SM90_TMA_STORE, const Tensor &t, const Layout<> &smem, Place at) {
  auto [stage, tile] = box(t, smem, {}, at);
  return made<TmaCopy>(dsl::make_tma_store(tensorOf(t), stage, tile, at));
}
Tensor TmaCopy::get_tma_tensor(Place) const { return tensorFrom(tmaOf(*this).coords); }
Tensor TmaCopy::get_tma_tensor(const IntTuple &, Place at) const { return get_tma_tensor(at); }

std::tuple<Tensor, Tensor> tma_partition(const TmaCopy &tma, const Num &block,
                                         const Layout<> &blocks, const Tensor &smem,
                                         const Tensor &gmem, Place at) {
  dsl::Atom atom = tmaOf(tma).atom;
  const Static *first = staticOf(block);
  dsl::TmaParts parts = first && first->number == 0 && layoutOf(blocks).get().rank() == 1
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
void detail::store_wait(int pending, Place at) { dsl::tma_store_wait(pending, at); }

//===--- clusters -----------------------------------------------------------------------------===//

void cluster_sync(Place at) { dsl::cluster_sync(at); }
Pointer map_to_block(const Pointer &p, const Num &block, Place at) {
  return made<Pointer>(dsl::map_to_rank(held<dsl::Pointer>(p), number(block, at), at));
}
void named_barrier_sync(const Num &id, int threads, Place at) {
  dsl::named_barrier(number(id, at), threads, at);
}
void named_barrier_arrive(const Num &id, int threads, Place at) {
  dsl::named_barrier_arrive(number(id, at), threads, at);
}

} // namespace tessera::cute
