// GemmKernel: what the folder of a target has of the GEMM. For the choice among targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/gemm/Gemm.h"

namespace tessera::kernels {

/// choice/GemmKernels.cpp has the list of them. All but `refused` take what is not refused, and
/// `refused` what the checks of types and operations, which all targets share, have passed.
struct GemmKernel {
  int (*tileK)(const GemmConfig &); // GemmConfig::tileK, and so on
  int64_t (*smemBytes)(const GemmConfig &);
  int teamsOfSlices;
  std::optional<Reason> (*refused)(const GemmConfig &);
  void (*build)(const GemmConfig &);
};

} // namespace tessera::kernels
