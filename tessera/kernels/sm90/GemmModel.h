// GemmModel: how long a configuration of the GEMM takes for a shape, from what the GPU is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work goes to multiprocessors in rounds of blocks. It takes as long as the slowest of three that
// run at once: the tensor cores of the busiest multiprocessor; what that one takes from the L2
// cache, by its rate or by the stages that are in flight; what all of them together take from the
// cache and from memory. Before and after come the launch, the first loads, which nothing hides,
// and the way of the sums to D; slices of K that meet in a cluster exchange their sums besides.
//
// Worked example, H200, 64 x 4096 x 4096 of bf16, swapped, tiles of 64 x 64, two slices of K: 64
// tiles make 128 blocks, one for each of 132 multiprocessors. A block has 32 tiles of K of (64 +
// 64) x 128 bytes: 524,288 bytes at 77.5 a cycle are 6,765 cycles, 4.1 us at 1.64 GHz. Its products
// are 32 times 128 cycles and 62 besides, 3.7 us. The operands are 34.1 MB, which the cache has and
// gives in 4.2 us: that decides. The launch, a cluster of two and the first stage are 2.1 us, 128
// blocks 0.5, sums to D less than 0.1, the exchange of 2 MB 1.5: 8.4 in all. Measured: 8.0.
#pragma once

#include "tessera/kernels/sm90/GemmTable.h"

namespace tessera::kernels {

/// What the model knows of a GPU: a row of Gpus.def.
struct GpuRates {
  std::string_view name; // as the driver says it
  int sms;               // multiprocessors
  double gigahertz;      // while tensor cores work
  double memory, cached; // bytes in a nanosecond: of device memory as copies reach it, of operands
                         // that the L2 cache still has
  double l2,
      l2OfOne;    // bytes that the cache gives all multiprocessors in a nanosecond, one in a cycle
  double l2Bytes; // what the cache keeps of operands
  double latency; // cycles until a load has come from the cache
  double memoryLatency;          // nanoseconds until it has come from busy memory
  double stage;                  // cycles that the products of a stage take besides themselves
  double launch, cluster, slice; // microseconds: of a launch, with clusters besides, for each block
                                 // of a cluster after the first
  double block;       // microseconds that each block adds to a launch
  double exchange;    // bytes of sums that clusters exchange in a nanosecond
  double first, last; // microseconds: until a stage is there; from 128 x 128 sums to D
};
/// The row of a GPU, or of the one that most was measured on.
const GpuRates &ratesOf(std::string_view name = "");

/// Where the time of a configuration goes, in microseconds.
struct GemmEstimate {
  GemmSchedule schedule;
  double total = 0, tensorCores = 0, cache = 0, memory = 0, fixed = 0;
  int64_t blocks = 0;

  /// What decides: "tensor cores", "L2 cache", "memory" or "launch".
  std::string_view limit() const;
};
GemmEstimate estimate(const GemmConfig &, const GemmShape &, const GpuRates &);

/// All configurations of the shape and types that can be built and need no workspace, the fastest
/// by estimate first.
std::vector<GemmEstimate> plans(const GemmConfig &, const GemmShape &, const GpuRates &);

/// What is worth trying for a shape: the table's row, then the plans; none twice.
std::vector<GemmSchedule> candidates(const GemmConfig &, const GemmShape &, const GemmTable &,
                                     const GpuRates &);

} // namespace tessera::kernels
