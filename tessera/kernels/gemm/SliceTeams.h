// SliceTeams: K in slices, for products with fewer tiles than there are multiprocessors. For the
// GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/GemmWalk.h"

#include <functional>

namespace tessera::kernels {

/// Each slice of K of a tile is computed by another block and put into a workspace. The block that
/// comes last adds up all slices, always in the order of slices, so that the same numbers give the
/// same result. No block waits for another. A tile is divided among teams of threads, each with a
/// counter of its own: the consumers of Hopper, or the whole block where warps multiply.
struct SliceTeams {
  /// In the host function: checks that the workspace has room for `tiles` tiles.
  static void check(const GemmConfig &, int teams, dsl::Num tiles, dsl::Num slices,
                    dsl::Tensor workspace, dsl::Tensor counters);

  int teams, threads, values; // threads of a team, sums of each
  int atOnce;                 // of these, as many as are added up together: more take registers
  bool integer;
  dsl::Tensor workspace, counters;
  dsl::Tensor flags;             // in shared memory, one for each team: whether its slice came last
  dsl::Num team, thread;         // of the team
  std::function<void()> barrier; // of the team

  /// Stores the sums of a slice. The last team adds up the whole tile and processes it.
  void store(const TilePosition &, dsl::Tensor sums, const std::function<void()> &whole) const;

private:
  /// Sums of the thread, `count` of them from a multiple of 4 on.
  dsl::Tensor partial(const TilePosition &, dsl::Num slice, int first, int count) const;
  dsl::Num comesLast(const TilePosition &) const;
};

} // namespace tessera::kernels
