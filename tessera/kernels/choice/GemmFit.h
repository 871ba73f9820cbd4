// GemmFit: fits the numbers of GemmModel.h for a GPU to measured times of the GEMM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of Gpus.def has the numbers that make the model right, not those of data sheets: how long a
// stage takes besides its products can only be seen in times of whole kernels. The search changes a
// few numbers at a time, at random, and keeps changes that lower the loss, which has two parts for
// each shape:
//
//   distance of estimates from times       mean of min(log(estimate / time), 1/2)^2
//   cost of choosing by estimates          a quarter of log(time of the chosen / time of the best)
//
// The second part is the purpose of the model, but it has steps, on which no search makes progress;
// the first part guides it. All shapes weigh the same, however many configurations were timed.
#pragma once

#include "tessera/kernels/choice/GemmModel.h"

#include "llvm/ADT/ArrayRef.h"

namespace tessera::kernels {

/// Shapes from decode to training, by which a GPU is measured.
llvm::ArrayRef<GemmShape> calibrationShapes();
/// Plans of a shape, the most likely ones first, up to a maximum; at most two that differ only in
/// stages, clusters and order.
std::vector<GemmSchedule> calibrationSchedules(const GemmConfig &, const GemmShape &,
                                               const GpuRates &, int limit);

/// A configuration that was timed for a shape.
struct GemmTimed {
  GemmConfig config;
  GemmShape shape;
  double microseconds;
};
/// The times in a table, whose rows have comments that begin with milliseconds: "0.0133 ms". A
/// reason names the first row that has no time or cannot be built.
Result<std::vector<GemmTimed>> timesOf(const GemmTable &, const GemmConfig &);

/// The quality of a model, in logarithms: 0.05 is 5 %.
struct GemmFitness {
  double error = 0; // root of the mean square of log(estimate / time)
  double cost = 0;  // mean of log(time of the chosen / time of the best)
  double most = 0;  // for one shape
  size_t shapes = 0;
};
GemmFitness fitnessOf(const GpuRates &, llvm::ArrayRef<GemmTimed>);

/// The numbers of `start`, fitted to the times in `tries` tries. The result is deterministic. The
/// number of multiprocessors, and numbers that no time depends on, stay.
GpuRates fitted(const GpuRates &start, llvm::ArrayRef<GemmTimed>, int tries);

} // namespace tessera::kernels
