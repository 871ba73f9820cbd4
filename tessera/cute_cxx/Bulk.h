// Copies in bulk of SM90: runs of bytes between global and shared memory, without a tensor map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   Copy_Atom<SM90_BULK_COPY_AUTO, half_t> bulk;
//   If(threadIdx.x == 0, [&] {
//     set_barrier_transaction_bytes(barrier, bytes);
//     copy(bulk.with(barrier), gX, sX);    // to shared memory; from it: copy(bulk, sX, gX)
//   });
#pragma once

#include "tessera/cute_cxx/Atoms.h"
#include "tessera/cute_cxx/Shared.h"

namespace tessera::cute {

struct SM90_BULK_COPY_G2S {};
struct SM90_BULK_COPY_S2G {};
struct SM90_BULK_COPY_AUTO {}; // one of the two, by the memory of the operands

namespace detail {
enum class BulkKind : uint8_t {
  Auto,
  ToShared,
  ToGlobal
};
template <class Op> inline constexpr bool is_bulk = false;
template <> inline constexpr bool is_bulk<SM90_BULK_COPY_AUTO> = true;
template <> inline constexpr bool is_bulk<SM90_BULK_COPY_G2S> = true;
template <> inline constexpr bool is_bulk<SM90_BULK_COPY_S2G> = true;
template <class Op>
inline constexpr BulkKind bulk_kind = std::is_same_v<Op, SM90_BULK_COPY_G2S>   ? BulkKind::ToShared
                                      : std::is_same_v<Op, SM90_BULK_COPY_S2G> ? BulkKind::ToGlobal
                                                                               : BulkKind::Auto;
} // namespace detail
/// A copy in bulk, and the barrier that counts the bytes of one to shared memory.
struct BulkCopy {
  detail::BulkKind kind;
  Barrier barrier = {};
  BulkCopy with(const Barrier &counts) const { return {kind, counts}; }
};
/// The copy of an instruction that needs no type of elements.
template <class Op, class... Bits> struct Copy_Traits;
template <class Op, class... Bits>
  requires detail::is_bulk<Op>
struct Copy_Traits<Op, Bits...> : BulkCopy {
  Copy_Traits() : BulkCopy{detail::bulk_kind<Op>} {}
};
template <class Op, ElementType T>
  requires detail::is_bulk<Op>
struct Copy_Atom<Op, T> : Copy_Traits<Op> {};
template <class Op, class... Bits, ElementType T>
  requires detail::is_bulk<Op>
struct Copy_Atom<Copy_Traits<Op, Bits...>, T> : Copy_Traits<Op, Bits...> {};

/// Called by one thread: each run of elements that are neighbours in both tensors is one
/// instruction, of a multiple of 16 bytes. tma_store_arrive and tma_store_wait end copies to global
/// memory, and tma_store_fence precedes them.
void copy(const BulkCopy &, const Tensor &from, const Tensor &to, Place = Place::current());

} // namespace tessera::cute
