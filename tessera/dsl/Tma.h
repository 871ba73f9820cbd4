// TMA: tensor maps made by the host, and copies of boxes by the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Atoms.h"
#include "tessera/dsl/Barriers.h"

#include <optional>
#include <tuple>

namespace tessera::dsl {

/// A TMA atom with its tensor map, and the tensor of coordinates that names the boxes to copy.
struct TmaTensor {
  Atom atom;
  Tensor coords;
  auto members() { return std::tie(atom, coords); }
};
/// What a block copies: (box, rest...) of shared memory and of the tensor.
struct TmaParts {
  Tensor smem, gmem;
};
struct TmaOptions {
  int multicast = 1;              // blocks of the cluster that receive each box
  std::optional<Element> as = {}; // element type to copy as, if not the tensor's own
  int blocks = 1;                 // 2: a pair of blocks; the barrier of the first counts the bytes
};

/// In host code: an atom for boxes of `tile` of a tensor, to or from shared memory of this layout.
TmaTensor make_tma_load(Tensor, const Layout &smem, const Tile &tile, const TmaOptions & = {},
                        Place = Place::current());
TmaTensor make_tma_store(Tensor, const Layout &smem, const Tile &tile, Place = Place::current());
/// A store that adds to what is there. tma_store executes it.
TmaTensor make_tma_add(Tensor, const Layout &smem, const Tile &tile, Place = Place::current());

/// A block's part of tensors whose first mode boxes are cut from. In a cluster each block loads its
/// slice of what all blocks receive.
TmaParts tma_partition(Atom, Tensor smem, Tensor gmem, Place = Place::current());
TmaParts tma_partition(Atom, Tensor smem, Tensor gmem, Num rank, const Layout &blocks,
                       Place = Place::current());

void prefetch_tma_desc(Atom, Place = Place::current());
/// Called by a warp. The barrier counts the bytes as they arrive. With a mask, an i16, the barriers
/// of the blocks whose bits are set do so.
void tma_load(Atom, Tensor gmem, Tensor smem, Barrier, Num mask = {}, Place = Place::current());
void tma_store(Atom, Tensor smem, Tensor gmem, Place = Place::current());
void tma_store_commit(Place = Place::current());
/// Waits until the sources of all but the last `pending` groups may be overwritten.
void tma_store_wait(int pending, Place = Place::current());

} // namespace tessera::dsl
