// SM90: TMA copies, products of a warpgroup, clusters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Atoms.h"
#include "tessera/cute_cxx/Shared.h"

#include <optional>
#include <tuple>

namespace tessera::cute {

//===--- layouts of shared memory for wgmma and TMA -------------------------------------------===//

namespace detail {
Layout<> gmma_atom(Format, int swizzle_bytes, GMMA::Major, Place);
template <class T, int Bytes, GMMA::Major M> struct GmmaAtom : Layout<> {
  GmmaAtom(Place at = Place::current()) : Layout<>(gmma_atom(format_of<T>, Bytes, M, at)) {}
};
} // namespace detail
namespace GMMA {
// Eight rows (K) or columns (MN) of 128, 64, 32 or 16 bytes, which a swizzle spreads over the banks
// (16: without a swizzle).
template <class T> using Layout_K_SW128_Atom = detail::GmmaAtom<T, 128, Major::K>;
template <class T> using Layout_K_SW64_Atom = detail::GmmaAtom<T, 64, Major::K>;
template <class T> using Layout_K_SW32_Atom = detail::GmmaAtom<T, 32, Major::K>;
template <class T> using Layout_K_INTER_Atom = detail::GmmaAtom<T, 16, Major::K>;
template <class T> using Layout_MN_SW128_Atom = detail::GmmaAtom<T, 128, Major::MN>;
template <class T> using Layout_MN_SW64_Atom = detail::GmmaAtom<T, 64, Major::MN>;
template <class T> using Layout_MN_SW32_Atom = detail::GmmaAtom<T, 32, Major::MN>;
template <class T> using Layout_MN_INTER_Atom = detail::GmmaAtom<T, 16, Major::MN>;
template <class T, Major M> using Layout_SW128_Atom = detail::GmmaAtom<T, 128, M>;
template <class T, Major M> using Layout_SW64_Atom = detail::GmmaAtom<T, 64, M>;
template <class T, Major M> using Layout_SW32_Atom = detail::GmmaAtom<T, 32, M>;
template <class T, Major M> using Layout_INTER_Atom = detail::GmmaAtom<T, 16, M>;
} // namespace GMMA

//===--- products of a warpgroup --------------------------------------------------------------===//

void warpgroup_arrive(Place = Place::current());
void warpgroup_commit_batch(Place = Place::current());
void warpgroup_wait(int pending, Place = Place::current());
template <int N> void warpgroup_wait(Place at = Place::current()) { warpgroup_wait(N, at); }
/// Does nothing: the order of wait and use is seen from the program.
inline void warpgroup_fence_operand(const Tensor &) {}
/// Makes earlier writes to shared memory visible to later TMA copies and wgmma.
void fence_view_async_shared(Place = Place::current());
inline void tma_store_fence(Place at = Place::current()) { fence_view_async_shared(at); }
/// The warpgroup takes more registers, or gives some back.
template <int N> void warpgroup_reg_alloc(Place = Place::current());
template <int N> void warpgroup_reg_dealloc(Place = Place::current());
namespace detail {
void set_registers(int count, bool more, Place);
}
template <int N> void warpgroup_reg_alloc(Place at) { detail::set_registers(N, true, at); }
template <int N> void warpgroup_reg_dealloc(Place at) { detail::set_registers(N, false, at); }

//===--- tensor copies ------------------------------------------------------------------------===//

struct SM90_TMA_LOAD {};
struct SM90_TMA_LOAD_MULTICAST {};
/// For a pair of blocks: the barrier of the first counts the bytes of both.
struct SM100_TMA_2SM_LOAD {};
struct SM100_TMA_2SM_LOAD_MULTICAST {};
struct SM90_TMA_STORE {};
struct SM90_TMA_REDUCE_ADD {}; // a store that adds to what is there

/// A TMA copy with its barrier, for `copy`.
struct ExecutableTma {
  Value tma;
  Barrier barrier;
  Num mask; // of the blocks that receive the box
};
/// Copies boxes of a tensor to or from shared memory. Made in the host function and passed to the
/// kernel.
class TmaCopy : public Value {
public:
  using Value::Value;
  TmaCopy() = default;
  /// The tensor of coordinates; its tiles name the boxes to copy.
  Tensor get_tma_tensor(const IntTuple &shape, Place = Place::current()) const;
  Tensor get_tma_tensor(Place = Place::current()) const;
  ExecutableTma with(const Barrier &barrier, const Num &mask = {}) const {
    return {*this, barrier, mask};
  }
};
namespace detail {
enum class TmaKind : uint8_t {
  Load,
  Multicast,
  Pair,
  PairMulticast,
  Store,
  Add
};
template <class Op> inline constexpr std::optional<TmaKind> tma_kind = {};
template <> inline constexpr std::optional<TmaKind> tma_kind<SM90_TMA_LOAD> = TmaKind::Load;
template <>
inline constexpr std::optional<TmaKind> tma_kind<SM90_TMA_LOAD_MULTICAST> = TmaKind::Multicast;
template <> inline constexpr std::optional<TmaKind> tma_kind<SM100_TMA_2SM_LOAD> = TmaKind::Pair;
template <>
inline constexpr std::optional<TmaKind> tma_kind<SM100_TMA_2SM_LOAD_MULTICAST> =
    TmaKind::PairMulticast;
template <> inline constexpr std::optional<TmaKind> tma_kind<SM90_TMA_STORE> = TmaKind::Store;
template <> inline constexpr std::optional<TmaKind> tma_kind<SM90_TMA_REDUCE_ADD> = TmaKind::Add;
template <class Op>
concept TmaOp = tma_kind<Op>.has_value();
TmaCopy tma_copy(TmaKind, const Tensor &, const Layout<> &smem, const Tiler &tile,
                 const Num &blocks, Place);
} // namespace detail
// Copies boxes of `tile` of a tensor; without a tile, boxes have the shape of the shared layout.
// `blocks` of a cluster receive what one multicast loads.
template <detail::TmaOp Op>
TmaCopy make_tma_copy(Op, const Tensor &t, const Layout<> &smem, Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, {}, 1, at);
}
template <detail::TmaOp Op>
TmaCopy make_tma_copy(Op, const Tensor &t, const Layout<> &smem, const Num &blocks,
                      Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, {}, blocks, at);
}
template <detail::TmaOp Op>
TmaCopy make_tma_copy(Op, const Tensor &t, const Layout<> &smem, const Tiler &tile,
                      const Num &blocks, Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, tile, blocks, at);
}
template <detail::TmaOp Op>
TmaCopy make_tma_atom(Op, const Tensor &t, const Layout<> &smem, Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, {}, 1, at);
}
template <detail::TmaOp Op>
TmaCopy make_tma_atom(Op, const Tensor &t, const Layout<> &smem, const Tiler &tile,
                      const Num &blocks = 1, Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, tile, blocks, at);
}

// Copies of A (M,K), B (N,K) and C (M,N) for a tile (M,N,K) of the block: blocks of a cluster (M,N)
// that have the same tile of A or B share it.
template <detail::TmaOp Op>
TmaCopy make_tma_copy_A_sm90(Op, const Tensor &t, const Layout<> &smem, const IntTuple &tile_mnk,
                             const IntTuple &cluster, Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, remove<1>(tile_mnk, at),
                          size<1>(cluster, at), at);
}
template <detail::TmaOp Op>
TmaCopy make_tma_copy_B_sm90(Op, const Tensor &t, const Layout<> &smem, const IntTuple &tile_mnk,
                             const IntTuple &cluster, Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, remove<0>(tile_mnk, at),
                          size<0>(cluster, at), at);
}
template <detail::TmaOp Op>
TmaCopy make_tma_copy_C_sm90(Op, const Tensor &t, const Layout<> &smem, const IntTuple &tile_mnk,
                             Place at = Place::current()) {
  return detail::tma_copy(*detail::tma_kind<Op>, t, smem, remove<2>(tile_mnk, at), 1, at);
}
/// Which blocks of the cluster receive a box: those of the modes that the coordinate leaves open,
/// or of the modes that are named. C++ knows the layout.
Num create_tma_multicast_mask(const Layout<> &blocks, const IntTuple &coord,
                              Place = Place::current());
template <int Mode, int... Modes>
Num create_tma_multicast_mask(const Layout<> &blocks, const IntTuple &coord,
                              Place at = Place::current()) {
  IntTuple open = replace<Mode>(coord, _, at);
  if constexpr (sizeof...(Modes) == 0)
    return create_tma_multicast_mask(blocks, open, at);
  else
    return create_tma_multicast_mask<Modes...>(blocks, open, at);
}

/// What a block copies: (box, rest...) of the tensor and of shared memory. Their mode 0 is the
/// tile.
std::tuple<Tensor, Tensor> tma_partition(const TmaCopy &, const Num &block, const Layout<> &blocks,
                                         const Tensor &smem, const Tensor &gmem,
                                         Place = Place::current());
void prefetch_tma_descriptor(const TmaCopy &, Place = Place::current());
/// Called by one warp, or by one thread of it.
void copy(const ExecutableTma &, const Tensor &from, const Tensor &to, Place = Place::current());
void copy(const TmaCopy &store, const Tensor &from, const Tensor &to, Place = Place::current());
void tma_store_arrive(Place = Place::current());
template <int N> void tma_store_wait(Place = Place::current());
namespace detail {
void store_wait(int pending, Place);
}
template <int N> void tma_store_wait(Place at) { detail::store_wait(N, at); }

//===--- clusters -----------------------------------------------------------------------------===//

// The barrier of all threads of the cluster: arrive and wait, together or apart. What was written
// before a relaxed arrival may not be seen after the wait.
void cluster_sync(Place = Place::current());
void cluster_arrive(Place = Place::current());
void cluster_arrive_relaxed(Place = Place::current());
void cluster_wait(Place = Place::current());
// The block in its cluster, and the blocks of a cluster, along each axis; the cluster in the grid,
// and the clusters of the grid.
constexpr SpecialRegisters block_id_in_cluster() {
  return {{"cluster.ctaid.x"}, {"cluster.ctaid.y"}, {"cluster.ctaid.z"}};
}
constexpr SpecialRegisters cluster_shape() {
  return {{"cluster.nctaid.x"}, {"cluster.nctaid.y"}, {"cluster.nctaid.z"}};
}
constexpr SpecialRegisters cluster_id_in_grid() {
  return {{"clusterid.x"}, {"clusterid.y"}, {"clusterid.z"}};
}
constexpr SpecialRegisters cluster_grid_dims() {
  return {{"nclusterid.x"}, {"nclusterid.y"}, {"nclusterid.z"}};
}
/// The same place in the shared memory of another block of the cluster.
Pointer map_to_block(const Pointer &, const Num &block, Place = Place::current());
/// Named barriers, 0 to 15, of `threads` threads.
void named_barrier_sync(const Num &id, int threads, Place = Place::current());
void named_barrier_arrive(const Num &id, int threads, Place = Place::current());
/// CUTLASS's name for them: its barrier 0 is 8, as it keeps the first ones for itself.
struct NamedBarrier {
  static constexpr int ReservedNamedBarrierCount = 8;
  static void sync(int threads, const Num &id, Place at = Place::current()) {
    named_barrier_sync(Operand(id, at) + Operand(ReservedNamedBarrierCount, at), threads, at);
  }
  static void arrive(int threads, const Num &id, Place at = Place::current()) {
    named_barrier_arrive(Operand(id, at) + Operand(ReservedNamedBarrierCount, at), threads, at);
  }
};

} // namespace tessera::cute
