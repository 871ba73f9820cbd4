// A kernel that states its block (.reqntid): a block of one thread means that one, as launchers of
// tile kernels rely on; any other is refused. Seen on an H200 with driver 580 (CUDA 13.0).
// Link: cuda
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"
#include <cuda.h>

static const char text[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) .reqntid 32,4,1 {
  .reg .b32 %r<3>; .reg .b64 %d<2>;
  ld.param.b64 %d1, [out];
  mov.u32 %r1, 1;
  atom.global.add.u32 %r2, [%d1], %r1;
  ret;
})";

int main() {
  int *x = upload(std::vector<int>{0});
  CUmodule module;
  CUfunction kernel;
  REQUIRE(!cuModuleLoadData(&module, text));
  REQUIRE(!cuModuleGetFunction(&kernel, module, "k"));
  void *arguments[] = {&x};
  auto launch = [&](unsigned width, unsigned height) {
    return cuLaunchKernel(kernel, 3, 1, 1, width, height, 1, 0, nullptr, arguments, nullptr);
  };
  REQUIRE(launch(1, 1) == CUDA_SUCCESS);
  REQUIRE(download(x, 1)[0] == 3 * 128);
  REQUIRE(launch(32, 4) == CUDA_SUCCESS);
  REQUIRE(download(x, 1)[0] == 2 * 3 * 128);
  REQUIRE(launch(64, 1) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(launch(128, 1) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(download(x, 1)[0] == 2 * 3 * 128);
  return passed();
}
