// GemmModel: estimates the time of a GEMM configuration for a shape from properties of the GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work goes to multiprocessors in rounds of blocks. Four things run at once, and the slowest
// decides, the more so the slower it is than the others (`sharpness`): the tensor cores of the
// busiest multiprocessor, whose clock sinks while they work long (`heat`); loads from the L2 cache,
// for one multiprocessor and for all, and with them the rows of boxes beyond the edges of A and B,
// which the hardware fills with zeros more slowly than it loads; memory, of which one
// multiprocessor gets a part only; and the stages of a block, each of which waits for a load, a
// long time where memory is busy. Before and after come the launch, the first loads, which nothing
// hides, and the way of the accumulator to D, which the ping-pong form hides except for the last
// tile. Where a block has one tile, each round begins and ends like that. Slices of K that meet in
// a cluster also exchange their sums.
//
// The edges matter: on an H200 192 x 4096 x 14336 took 90 us in tiles of 128 x 64, 256 x
// 4096 x 14336 46 us. All multiprocessors together fill ten to twenty rows of 128 bytes in a
// nanosecond besides what they load.
//
// Worked example, H200, 64 x 4096 x 4096 of bf16, swapped, tiles of 64 x 64, seven stages, two
// slices of K: 64 tiles make 128 blocks, one for each of 132 multiprocessors. A block has 32 tiles
// of K; each takes 135 cycles of products, as these read 128 rows of 128 bytes at 121 bytes a
// cycle, and 104 besides, together 7,630 cycles or 3.9 us at 1.98 GHz. All blocks read 67 MB from
// the cache, 3.1 us. The operands are 34.6 MB, which the cache still has, 4.7 us. A block has
// seven loads on their way and waits 710 ns for each, 3.2 us for 32. Together, at a sharpness of
// 4.5, that is 5.4 us. The launch, 128 blocks, a cluster of two, the first stage and sums to D are
// 2.3 us, the exchange of 2.1 MB of sums 0.6: 8.3 us in all. Measured: 7.7.
#pragma once

#include "tessera/kernels/choice/GemmRates.h"
#include "tessera/kernels/choice/GemmTable.h"

namespace tessera::kernels {

/// The parts of a configuration's time, in microseconds.
struct GemmEstimate {
  GemmSchedule schedule;
  double total = 0, tensorCores = 0, cache = 0, memory = 0, waits = 0, edges = 0, fixed = 0;
  int64_t blocks = 0;

  /// The limiting part: "tensor cores", "L2 cache", "memory", "stages", "edges" or "launch".
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
