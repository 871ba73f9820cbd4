// A linker of PTX at run time: a kernel that calls a function of another text, and damaged text.
// Link: cuda
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"
#include <cstring>
#include <cuda.h>

static const char kernelText[] = R"(.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) twice (.param .b32 a);
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, 21;
  { .param .b32 p; .param .b32 q;
    st.param.b32 [p], %r1;
    call.uni (q), twice, (p);
    ld.param.b32 %r2, [q]; }
  st.global.u32 [%d1], %r2;
  ret;
})";
static const char libraryText[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .func (.param .b32 r) twice (.param .b32 a) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [a];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
})";

int main() {
  int *x = upload(std::vector<int>{0});
  char info[256] = "old", error[256] = "old";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error};
  CUlinkState state;
  REQUIRE(!cuLinkCreate(4, options, values, &state));
  REQUIRE(!cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)kernelText, sizeof kernelText, "k", 0,
                         nullptr, nullptr));
  REQUIRE(!cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)libraryText, strlen(libraryText), "l", 0,
                         nullptr, nullptr));
  void *image;
  size_t size = 0;
  REQUIRE(!cuLinkComplete(state, &image, &size) && size);
  REQUIRE(!error[0]);
  CUmodule module;
  REQUIRE(!cuModuleLoadData(&module, image));
  REQUIRE(!cuLinkDestroy(state));
  REQUIRE(cuLinkComplete(state, &image, &size) == CUDA_ERROR_INVALID_HANDLE);
  CUlinkState other;
  values[1] = (void *)sizeof info, values[3] = (void *)sizeof error; // bytes that were written
  REQUIRE(!cuLinkCreate(4, options, values, &other));
  REQUIRE(cuLinkAddData(other, CU_JIT_INPUT_PTX, nullptr, 8, "n", 0, nullptr, nullptr) ==
          CUDA_ERROR_INVALID_VALUE);
  char damaged[] = ".version 7.0\n.target sm_80\n.visible .entry k( {";
  REQUIRE(cuLinkAddData(other, CU_JIT_INPUT_PTX, damaged, sizeof damaged, "d", 0, nullptr,
                        nullptr) == CUDA_ERROR_INVALID_PTX);
  REQUIRE(error[0]);
  REQUIRE(!cuLinkDestroy(other));
  CUfunction kernel;
  REQUIRE(!cuModuleGetFunction(&kernel, module, "k"));
  void *arguments[] = {&x};
  REQUIRE(!cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  REQUIRE(download(x, 1)[0] == 42);
  return passed();
}
