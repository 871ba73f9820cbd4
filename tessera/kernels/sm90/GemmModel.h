// GemmModel: estimates the time of a GEMM configuration for a shape from properties of the GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work goes to multiprocessors in rounds of blocks. Three things run at once, and the slowest
// decides, the more so the slower it is than the others (`sharpness`): the tensor cores of the
// busiest multiprocessor; its reads from the L2 cache, limited by rate or by the stages in flight;
// and the reads of all multiprocessors together from the cache and from memory. Before and after
// come the launch, the first loads, which nothing hides, and the way of the accumulator to D, which
// the ping-pong form hides except for the last tile. Slices of K that meet in a cluster also
// exchange their sums.
//
// Worked example, H200, 64 x 4096 x 4096 of bf16, swapped, tiles of 64 x 64, seven stages, two
// slices of K: 64 tiles make 128 blocks, one for each of 132 multiprocessors. A block has 32 tiles
// of K; each takes 140 cycles of products, as these read 128 rows of 128 bytes at 117 bytes a
// cycle, and 89 besides, together 7,300 cycles or 4.6 us at 1.61 GHz, and (64 + 64) x 128 bytes
// from the cache, 125 cycles at 131 bytes, 3.1 us with the wait for the last. The operands are 34.6
// MB, which the cache still has, 4.7 us. Together, at a sharpness of 5.4, that is 5.3 us. The
// launch, 128 blocks, a cluster of two, the first stage and sums to D are 2.7 us, the exchange
// of 2.1 MB of sums 0.5: 8.5 us in all. Measured: 7.7.
#pragma once

#include "tessera/kernels/sm90/GemmRates.h"
#include "tessera/kernels/sm90/GemmTable.h"

namespace tessera::kernels {

/// The parts of a configuration's time, in microseconds.
struct GemmEstimate {
  GemmSchedule schedule;
  double total = 0, tensorCores = 0, cache = 0, memory = 0, fixed = 0;
  int64_t blocks = 0;

  /// The limiting part: "tensor cores", "L2 cache", "memory" or "launch".
  std::string_view limit() const;
};
GemmEstimate estimate(const GemmConfig &, const GemmShape &, const GpuRates &);

/// All configurations for the shape and types that can be built and need no workspace, by estimated
/// time.
std::vector<GemmEstimate> plans(const GemmConfig &, const GemmShape &, const GpuRates &);

/// Schedules worth trying for a shape: the table's row for it, then the plans, without duplicates.
std::vector<GemmSchedule> candidates(const GemmConfig &, const GemmShape &, const GemmTable &,
                                     const GpuRates &);

} // namespace tessera::kernels
