// TensorMemory: the places of a product's operands in tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory has 128 data paths (lanes) of 512 columns of 32 bits. An offset counts elements: a
// column holds 32 / bits of them, and from one lane to the next are the elements of 65536 columns.
#pragma once

#include "tessera/atom/CopyRow.h"
#include "tessera/layout/Algebra.h"

#include <optional>

namespace tessera::atom {

/// Use of the data paths that one product leaves free.
enum class TensorTiling : uint8_t {
  Interleaved, // the next tile along M
  Apart,       // stay free: A in tensor memory and its accumulator have the same data paths
  Duplicated   // hold the same rows again: A in tensor memory for two blocks, or with .ws
};

struct TensorPlacement {
  int ctas = 1;
  bool weightStationary = false; // tcgen05.mma.ws
  TensorTiling tiling = TensorTiling::Interleaved;
  int64_t valueBits = 32;
  int64_t storageBits = 32; // 32 for accumulators of any type: one for each column
};

/// The layout of a partition ((M, N), more tiles...), where M is that of one block, in elements;
/// nothing if no product has such tiles. Source: CUTLASS
/// include/cute/atom/mma_traits_sm100_frag.hpp, tmem_frg and tmem_frg_ws.
std::optional<layout::Layout> tensorLayout(const TensorPlacement &, const layout::Tree &shape);

/// The elements of `bits` that one call reaches, in its order, as offsets from the pointer.
Result<layout::Layout> tensorAddresses(const CopyRow &, int64_t amount, int64_t bits);

/// A tiled copy of a tensor in tensor memory: (thread, value) -> element of a tile, and the tile.
struct TensorCopyTiling {
  layout::Layout layoutTV;
  layout::Tile tiler;
};
/// How a load, a store (by four warps, each in its quarter of the data paths) or a copy from shared
/// memory (by one thread) covers such a tensor with elements of `bits`. A reason if not all of the
/// instruction's addresses are in it. Source: CUTLASS make_tmem_copy, make_utccp_copy.
Result<TensorCopyTiling> tensorCopyTiling(const CopyRow &, int64_t amount, int64_t bits,
                                          const layout::Layout &tensor);

} // namespace tessera::atom
