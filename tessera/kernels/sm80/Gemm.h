// The GEMM of warps, for targets with mma.sync and neither wgmma nor tcgen05: Turing, Ampere, Ada,
// and Blackwell's sm_120 and sm_121.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has a tile of D, which its warps divide among them. All of them load: tiles of A and B of
// 64 bytes of K come to a ring of stages in shared memory by cp.async, or on sm_75 through
// registers to one of two stages, and from there to registers by ldmatrix. A step of 32 bytes of K
// is loaded while the step before is multiplied. The sums go to D through shared memory, so that
// each lane reads C and writes D in pieces of 16 bytes. The grid has a block for each tile.
#pragma once

#include "tessera/kernels/gemm/GemmKernel.h"
#include "tessera/kernels/gemm/GemmShape.h"

#include <vector>

namespace tessera::kernels::sm80 {

/// The row of these targets in choice/GemmKernels.cpp.
extern const GemmKernel gemmKernel;
void buildGemm(const GemmConfig &);

/// Multiprocessors of the largest GPU of a target, for which products are planned if nobody says
/// how many there are.
int multiprocessors(const atom::Target &);

/// A tile for a shape, with the parts of its estimated time in cycles of a multiprocessor. From
/// data sheets: nobody has timed this kernel.
struct GemmEstimate {
  int tileM, tileN, stages, splitK;
  int64_t blocks = 0;     // tiles of D, times slices of K
  int64_t together = 0;   // of these on a multiprocessor at once
  int64_t rounds = 0;     // until all are done
  double total = 0;       // the slower of the next two, and the fixed part
  double tensorCores = 0; // products
  double loads = 0;
  double fixed = 0; // the first loads of each round, the way to D, and that of slices to memory

  void applyTo(GemmConfig &) const;
};
/// All tiles, each with all numbers of slices, that are not refused for the types and target, the
/// fastest first.
std::vector<GemmEstimate> plans(const GemmConfig &, const GemmShape &);
/// The configuration with the tile that large products get on its target.
GemmConfig withDefaultTile(const GemmConfig &);

} // namespace tessera::kernels::sm80
