// Thread-value partitioning: how tiled copies and tiled MMAs split a tensor among threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread-value (TV) layout maps (thread, value) to an index of a tile. Source of the laws: CUTLASS
// include/cute/atom/copy_atom.hpp and mma_atom.hpp.
#pragma once

#include "tessera/layout/Algebra.h"

namespace tessera::layout {

/// The atom of a copy, in elements of its value type: (thread, value) -> position, for the source, the
/// destination and the reference that tiled copies are built on.
struct CopyAtomLayouts {
  Layout src, dst, ref;
};

/// A copy atom repeated over threads and values: layoutTV maps (thread, value) to an index of the tile.
struct TiledCopy {
  CopyAtomLayouts atom;
  Layout layoutTV;
  Tile tiler;
};

enum class CopySide : uint8_t { Src, Dst };

/// (thread, value, rest): the tensor seen by all threads of the copy.
Result<AnyLayout> threadFragments(Arith &, const TiledCopy &, CopySide, const AnyLayout &tensor);
/// What thread `thread` (an integer coordinate) copies: (value, rest...) and where it starts.
Result<Sliced> partition(Arith &, const TiledCopy &, CopySide, const AnyLayout &tensor,
                         const Tree &thread);
/// A register fragment, made for another tiling of the same threads, in the order of this copy's values.
Result<Layout> retile(Arith &, const TiledCopy &, const Layout &fragment);

enum class MmaOperand : uint8_t { A, B, C };

/// The atom of an MMA: its extents, the threads that execute it and the TV layouts of A (M,K), B (N,K)
/// and C (M,N).
struct MmaAtomLayouts {
  int64_t m, n, k;
  Layout threads;
  Layout a, b, c;
};

/// An MMA atom repeated over threads (atomLayout, in M, N, K) and values (permutation, or `_`).
struct TiledMma {
  MmaAtomLayouts atom;
  Layout atomLayout;
  Tile permutation;
};

/// (V, M, N, K) -> thread index.
Result<Layout> threadLayout(Arith &, const TiledMma &);
/// Extent of the tile in one of M, N, K (mode 0, 1, 2).
Result<Int> tileSize(Arith &, const TiledMma &, int mode);
/// ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN))) for C, likewise (M,K) for A and (N,K) for B.
Result<AnyLayout> threadFragments(Arith &, const TiledMma &, MmaOperand, const AnyLayout &tensor);
/// What thread `thread` computes with: (FrgV, RestM, RestN...) and where it starts.
Result<Sliced> partition(Arith &, const TiledMma &, MmaOperand, const AnyLayout &tensor,
                         const Tree &thread);
/// The shape of a partition of a tensor of shape `shape`.
Result<Tree> partitionShape(Arith &, const TiledMma &, MmaOperand, const Tree &shape);

} // namespace tessera::layout
