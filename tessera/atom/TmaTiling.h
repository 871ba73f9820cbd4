// TmaTiling: the box of a tensor that one TMA instruction moves, and the tensor as seen by the
// tensor map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modes of a tensor map are ordered by the shared memory that the box fills: its mode 0 is
// contiguous in both. Source of the algorithm: CUTLASS include/cute/atom/copy_traits_sm90_tma.hpp,
// construct_tma_gbasis.
#pragma once

#include "tessera/base/Result.h"
#include "tessera/layout/Algebra.h"

namespace tessera::atom {

/// The copy that a TMA atom is asked for.
struct TmaRequest {
  layout::Layout gmem; // the tensor in elements
  layout::AnyLayout
      smem; // one CTA's tile in shared memory, static, in elements; its swizzle is left aside
  layout::Layout
      ctaVMap; // coordinates of the tile -> modes of gmem: a static shape and basis strides
  int64_t elementBits = 0;
  int64_t internalBits = 0; // of the type that the tensor map states
  int64_t multicast = 1;    // blocks that load a part of the tile each, and receive the whole
};

struct TmaTiling {
  /// Mode i of the tensor map: its box before multicast : the modes of gmem that it walks.
  /// "(64,128,1):(1@1,1@0,1@2)".
  layout::Layout basis;
  /// The box that one block loads, in elements of the tensor map.
  std::vector<int64_t> box;

  /// Elements of the tensor map in the box before multicast.
  int64_t elements() const;
};

/// A mode of the tensor map: extent in its elements, stride in its elements (1 for mode 0).
struct TmaExtent {
  layout::Int extent, stride;
};

/// Fails if no run of shared memory is a run of one mode of the tensor.
Result<TmaTiling> tmaTiling(layout::Arith &, const TmaRequest &);
/// The modes of the tensor map, for the tensor of the request, whose leaves may be dynamic.
Result<std::vector<TmaExtent>> tmaModes(layout::Arith &, const TmaRequest &,
                                        const layout::Layout &basis);
/// The layout of the coordinate tensor: coordinates of gmem -> coordinates of the tensor map. Modes
/// of extent 1 or stride 0 do not move.
Result<layout::Layout> tmaCoordinates(layout::Arith &, const TmaRequest &,
                                      const layout::Layout &basis);

/// The tensors that one block of a cluster copies.
struct TmaPartition {
  layout::AnyLayout smem;
  std::vector<layout::AnyLayout> targets; // tensors with the same mode 0
  int64_t elements = 0;                   // moved by one instruction, all blocks together
  layout::Layout ctaLayout;
  layout::Tree ctaCoord;
};
/// Mode 0 of each tensor as (one instruction, its repetitions), in the order of shared memory, with
/// the other modes unchanged; `smem` comes first. The offset is the block's share of the box.
/// Source: CUTLASS copy_traits_sm90_tma.hpp, tma_partition.
Result<std::vector<layout::Sliced>> tmaPartition(layout::Arith &, const TmaPartition &);

} // namespace tessera::atom
