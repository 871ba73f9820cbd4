// The machine of the fake libcuda: what its H100 and the kernels of any module are like, and what
// error codes are called.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/run/FakeCuda.h"

#include <algorithm>
#include <cstring>

using namespace tessera::run::cuda;

namespace tessera::run::fake {

State freshState() {
  State state;
  using A = DeviceAttribute;
  // CUDA programming guide, table of technical specifications, compute capability 9.0.
  state.deviceAttributes = {{A::MaxThreadsPerBlock, 1024},
                            {A::MaxBlockX, 1024},
                            {A::MaxBlockY, 1024},
                            {A::MaxBlockZ, 64},
                            {A::MaxGridX, 2147483647},
                            {A::MaxGridY, 65535},
                            {A::MaxGridZ, 65535},
                            {A::SharedPerBlock, 49152},
                            {A::WarpSize, 32},
                            {A::ClockRate, 1980000},
                            {A::Multiprocessors, 132},
                            {A::MemoryClockRate, 2619000},
                            {A::MemoryBusBits, 5120},
                            {A::L2Bytes, 52428800},
                            {A::ComputeMajor, 9},
                            {A::ComputeMinor, 0},
                            {A::CooperativeLaunch, 1},
                            {A::SharedPerMultiprocessor, 233472},
                            {A::SharedPerBlockOptin, 232448},
                            {A::RegistersPerMultiprocessor, 65536},
                            {A::ClusterLaunch, 1}};
  using F = FunctionAttribute;
  state.kernels["add"] = {{{F::MaxThreadsPerBlock, 1024},
                           {F::SharedBytes, 1024},
                           {F::ConstantBytes, 4},
                           {F::LocalBytes, 16},
                           {F::Registers, 40},
                           {F::PtxVersion, 80},
                           {F::BinaryVersion, 90},
                           {F::MaxDynamicSharedBytes, 49152 - 1024}},
                          {{0, 8}, {8, 8}, {16, 4}}};
  // For test/ir: a kernel that takes one pointer and spills nothing.
  state.kernels["spin"] = {
      {{F::MaxThreadsPerBlock, 1024}, {F::Registers, 8}, {F::MaxDynamicSharedBytes, 49152}},
      {{0, 8}}};
  return state;
}

static constexpr CodeName codeNames[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported "
     "toolchain."},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"},
};
const CodeName *findCode(Code code) {
  for (const CodeName &row : codeNames)
    if (row.code == int(code))
      return &row;
  return nullptr;
}

void writeLog(const Load &load, JitOption buffer, JitOption size, const std::string &text) {
  if (!load.options.count(buffer))
    return;
  size_t room = load.options.at(size), length = std::min(text.size(), room ? room - 1 : 0);
  char *to = reinterpret_cast<char *>(load.options.at(buffer));
  std::memcpy(to, text.data(), length);
  if (room)
    to[length] = '\0';
}

} // namespace tessera::run::fake
