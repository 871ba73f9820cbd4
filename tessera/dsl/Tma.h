// TMA: tensor maps made by the host, and copies of boxes by the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Atoms.h"
#include "tessera/dsl/Barriers.h"

#include <optional>
#include <tuple>

namespace tessera::dsl {

/// A TMA atom with its tensor map, and the tensor of coordinates that it copies by.
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
  int multicast = 1;              // blocks of the cluster that get each box
  std::optional<Element> as = {}; // what the elements are copied as, if not as what they are
  int blocks = 1;                 // 2: of a pair, whose first block's barrier counts the bytes
};

/// In host code: boxes of `tile` of a tensor, to or from shared memory of this layout.
TmaTensor make_tma_load(Tensor, const Layout &smem, const Tile &tile, const TmaOptions & = {},
                        Place = Place::current());
TmaTensor make_tma_store(Tensor, const Layout &smem, const Tile &tile, Place = Place::current());

/// A block's part of tensors whose first mode is what boxes are cut from. In a cluster each block
/// loads its slice of what all get.
TmaParts tma_partition(Atom, Tensor smem, Tensor gmem, Place = Place::current());
TmaParts tma_partition(Atom, Tensor smem, Tensor gmem, Num rank, const Layout &blocks,
                       Place = Place::current());

void prefetch_tma_desc(Atom, Place = Place::current());
/// By a warp. The barrier counts the bytes as they arrive; with a mask, those of each block whose
/// bit is set, an i16.
void tma_load(Atom, Tensor gmem, Tensor smem, Barrier, Num mask = {}, Place = Place::current());
void tma_store(Atom, Tensor smem, Tensor gmem, Place = Place::current());
void tma_store_commit(Place = Place::current());
/// Until the sources of all but the last `pending` groups may be overwritten.
void tma_store_wait(int pending, Place = Place::current());

} // namespace tessera::dsl
