// GemmFit: the numbers of GemmModel.h for a GPU, from times of the GEMM on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of Gpus.def is not what data sheets say but what makes the model right: how long a stage
// takes besides its products can only be seen in times of whole kernels. The search changes a few
// numbers at a time, at random, and keeps what lowers the loss, which has two parts for each shape:
//
//   how far estimates are from times       mean of min(log(estimate / time), 1/2)^2
//   what the choice by estimates costs     a quarter of log(time of the chosen / time of the best)
//
// The second is what the model is for, but it has steps, on which no search gets far: the first
// leads it. A shape counts as much as another, however many configurations of it were timed.
#pragma once

#include "tessera/kernels/sm90/GemmModel.h"

#include "llvm/ADT/ArrayRef.h"

namespace tessera::kernels {

/// From decode to training: what a GPU is measured by.
llvm::ArrayRef<GemmShape> calibrationShapes();
/// Of the plans of a shape, the likely ones first, at most so many; no more than two that differ in
/// stages, clusters and order alone.
std::vector<GemmSchedule> calibrationSchedules(const GemmConfig &, const GemmShape &,
                                               const GpuRates &, int limit);

/// A configuration that was timed for a shape.
struct GemmTimed {
  GemmConfig config;
  GemmShape shape;
  double microseconds;
};
/// Of a table's rows, whose comments begin with times in milliseconds: "0.0133 ms". A reason names
/// the first row without one, or that cannot be built.
Result<std::vector<GemmTimed>> timesOf(const GemmTable &, const GemmConfig &);

/// How good a model is: logarithms, 0.05 being 5 %.
struct GemmFitness {
  double error = 0; // root of the mean square of log(estimate / time)
  double cost = 0;  // mean of log(time of the chosen / time of the best)
  double most = 0;  // of one shape
  size_t shapes = 0;
};
GemmFitness fitnessOf(const GpuRates &, llvm::ArrayRef<GemmTimed>);

/// The numbers of `start` changed so that they fit the times, by so many tries; the same for the
/// same times. Multiprocessors, and numbers of which nothing was timed, stay.
GpuRates fitted(const GpuRates &start, llvm::ArrayRef<GemmTimed>, int tries);

} // namespace tessera::kernels
