// PtxasLog: reads ptxas' reports on kernels: registers, stack, spills.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::ptx {

/// One kernel's lines in the log of `ptxas -v` or of the driver's JIT with CU_JIT_LOG_VERBOSE.
struct PtxasReport {
  std::string function;
  int64_t registers = 0;       // per thread
  int64_t stackBytes = 0;      // per thread
  int64_t spillStoreBytes = 0; // per thread, of all its spill instructions
  int64_t spillLoadBytes = 0;
  int64_t sharedBytes = 0; // static, per block
  int64_t barriers = 0;
  bool spills() const { return spillStoreBytes || spillLoadBytes; }
};

/// The reports in a log, one for each function, kernel or not, in its order; other lines are
/// skipped. Format (CUDA 9 to 13; functions that a kernel calls may come before its registers):
///   ptxas info    : Compiling entry function 'NAME' for 'sm_90a'
///   ptxas info    : Function properties for NAME
///       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
///   ptxas info    : Used 12 registers, used 1 barriers, 64 bytes smem, 380 bytes cmem[0]
std::vector<PtxasReport> parsePtxasLog(std::string_view log);

} // namespace tessera::ptx
