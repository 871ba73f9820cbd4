// What the tests of the stand-in share: PTX to load, and a check of codes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/cuda_driver/Api.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tessera::cuda_driver::test {

/// A module with a kernel `scale(p, n)`, which multiplies n words by `factor`, and one that traps.
inline constexpr const char *module = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .const .align 4 .u32 factor = 3;
.visible .global .attribute(.managed) .align 4 .u32 shared_with_host = 9;
.visible .entry scale(.param .u64 p, .param .u32 n)
{
  .reg .b32 i, count, x, by; .reg .b64 d, offset; .reg .pred outside;
  ld.param.u64 d, [p]; ld.param.u32 count, [n];
  mov.u32 i, %tid.x;
  setp.ge.u32 outside, i, count;
  @outside ret;
  mul.wide.u32 offset, i, 4;
  add.u64 d, d, offset;
  ld.global.u32 x, [d];
  ld.const.u32 by, [factor];
  mul.lo.u32 x, x, by;
  st.global.u32 [d], x;
  ret;
}
.visible .entry stop() { trap; }
.visible .entry far(.param .u64 p)
{
  .reg .b64 d; ld.param.u64 d, [p]; st.global.u32 [d+4096], 1; ret;
}
)";

inline constexpr Code ok = Code::Success;
inline Code start() {
  Context *context = nullptr;
  Code code = cuInit(0);
  if (code == ok)
    code = cuDevicePrimaryCtxRetain(&context, 0);
  return code == ok ? cuCtxSetCurrent(context) : code;
}

/// Kernels of `module`, loaded once.
inline Kernel *kernelOf(const char *name) {
  static Module *loaded = [] {
    Module *out = nullptr;
    EXPECT_EQ(start(), ok);
    EXPECT_EQ(cuModuleLoadData(&out, module), ok);
    return out;
  }();
  Kernel *kernel = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&kernel, loaded, name), ok);
  return kernel;
}
inline Module *moduleOf(Kernel *kernel) {
  Module *out = nullptr;
  EXPECT_EQ(cuFuncGetModule(&out, kernel), ok);
  return out;
}

inline DevicePointer upload(const std::vector<uint32_t> &values) {
  DevicePointer out = 0;
  EXPECT_EQ(cuMemAlloc_v2(&out, values.size() * 4), ok);
  EXPECT_EQ(cuMemcpyHtoD_v2(out, values.data(), values.size() * 4), ok);
  return out;
}
inline std::vector<uint32_t> download(DevicePointer from, size_t count) {
  std::vector<uint32_t> out(count);
  EXPECT_EQ(cuMemcpyDtoH_v2(out.data(), from, count * 4), ok);
  return out;
}
inline Code launch(Kernel *kernel, unsigned threads, std::vector<void *> arguments,
                   Stream *stream = nullptr) {
  return cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, stream, arguments.data(), nullptr);
}

} // namespace tessera::cuda_driver::test
