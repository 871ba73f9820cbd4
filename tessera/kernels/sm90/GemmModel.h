// GemmModel: how long a configuration of the GEMM takes for a shape, from what the GPU is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work goes to multiprocessors in rounds of blocks. It takes as long as the slowest of three that
// run at once: the tensor cores of the busiest multiprocessor; what that one takes from the L2
// cache, by its rate or by the stages that are in flight; what all of them together take from the
// cache and from memory. Before and after come the launch, the first loads, which nothing hides,
// and the way of the sums to D, which the ping-pong form hides except for the last tile's; slices
// of K that meet in a cluster exchange their sums besides.
//
// Worked example, H200, 64 x 4096 x 4096 of bf16, swapped, tiles of 64 x 64, two slices of K: 64
// tiles make 128 blocks, one for each of 132 multiprocessors. A block has 32 tiles of K; each takes
// 128 cycles of products and 97 besides, together 7,200 cycles or 4.5 us at 1.61 GHz, and (64 + 64)
// x 128 bytes from the cache, 175 cycles at 93.4 bytes. The operands are 34.6 MB, which the cache
// still has, 4 us. So the tensor cores decide. The launch, 128 blocks, a cluster of two and the
// first stage are 2.8 us, the exchange of 2.1 MB of sums 1.2: 8.4 us in all. Measured: 8.0.
#pragma once

#include "tessera/kernels/sm90/GemmTable.h"

namespace tessera::kernels {

/// What the model knows of a GPU: a row of Gpus.def.
struct GpuRates {
  /// As the driver says it.
  std::string_view name;
  /// Multiprocessors, and those that clusters of 4 and 8 reach.
  int sms, clusterSms;
  /// While tensor cores work.
  double gigahertz;
  /// Bytes in a nanosecond: of device memory as copies reach it, and of operands that the L2 cache
  /// still has. A part of the multiprocessors reaches that part to the power `spread` of either.
  double memory, cached, spread;
  /// Bytes that the cache gives all multiprocessors in a nanosecond, one in a cycle; its bytes.
  double l2, l2OfOne, l2Bytes;
  /// Loads of rows that do not begin at multiples of 128 bytes cost so much more.
  double misaligned;
  /// Until a load has come: cycles from the cache, nanoseconds from busy memory.
  double latency, memoryLatency;
  /// Cycles that the products of a stage take besides themselves, with factors of blocks more, and
  /// for each 64 rows of a stage of B that are widened from 4 and from 8 bits.
  double stage, scaling, widening4, widening8;
  /// Microseconds: of a launch, with clusters besides, for each block of a cluster after the first,
  /// for each block.
  double launch, cluster, slice, block;
  /// Bytes of sums that clusters exchange in a nanosecond.
  double exchange;
  /// Microseconds until a stage is there, and from 128 x 128 sums to D.
  double first, last;
  /// Of the persistent kernel: cycles that the products of a stage take besides themselves;
  /// microseconds of clusters, and from 128 x 128 sums to D of 16 bits where one group of warps
  /// does that.
  double walkStage, walkCluster, walkLast;
};
/// The row of a GPU, or of the one that most was measured on.
const GpuRates &ratesOf(std::string_view name = "");
/// "NVIDIA H200 or ...": those with a row.
std::string knownGpus();

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
