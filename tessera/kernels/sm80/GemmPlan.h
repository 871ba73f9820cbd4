// GemmPlan: how the warps of a block divide a tile of D, and what is in shared memory. For the
// parts of the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/kernels/gemm/GemmType.h"
#include "tessera/kernels/sm80/Gemm.h"
#include "tessera/kernels/sm80/Tiles.h"

namespace tessera::kernels::sm80 {

/// A tile of D and the warps that share it, in rows and columns.
struct TileOfWarps {
  int tileM, tileN, warpsM, warpsN;
  bool onTuring; // where loads take registers, too

  int rows() const { return tileM / warpsM; } // of a warp
  int columns() const { return tileN / warpsN; }
  int threads() const { return warpsM * warpsN * atom::Threads::ofWarp; }
};

struct GemmPlan {
  /// Bytes of A of a tile of K: more where B is narrow, so that its lines are 32 bytes at least,
  /// and where 128 elements of K share factors.
  static int kBytesOf(const GemmConfig &c) {
    return (c.groupScales || c.factors ? 4 : 2) * StagedTile::stepBytes;
  }
  static constexpr int rowsStored = 16; // by a warp at once
  static constexpr int padding = 8;     // numbers after a row of sums

  explicit GemmPlan(const GemmConfig &);
  const GemmConfig c;
  TileOfWarps tile;
  StagedTile a, b;
  dsl::SharedMemory memory;
  dsl::Region stages; // A and B of each
  dsl::Region sums;   // of each warp: the same place, when the last product is made
  dsl::Region slice;  // of K: whether it came last, and where the block is (Gemm::keepSlice)
  static constexpr int wordsOfSlice = 4;

  /// The tile with these extents on the target; null if there is none.
  static const TileOfWarps *find(const GemmConfig &);
  /// Whether copies to shared memory need no registers.
  static bool copiesAsync(const atom::Target &);
  int stageBytes() const { return a.bytes() + b.bytes(); }
  int sumsPitch() const { return tile.columns() + padding; }
  int sumsOfWarp() const { return rowsStored * sumsPitch(); }
  dsl::Element elementD() const { return *dsl::Element::named(c.d); }
  dsl::Element sum() const { return findGemmType(c.a)->sum(); }
};

} // namespace tessera::kernels::sm80
