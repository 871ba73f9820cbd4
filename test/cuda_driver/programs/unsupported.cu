// What the stand-in does not have is refused when it is asked for, and the rest goes on.
// GPU: has textures
// Prints: cudaErrorNotSupported
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void reads(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, int(threadIdx.x));
}
__global__ void plain(float *out) { *out = 5; }

int main() {
  float *out = nullptr;
  CHECK(cudaMalloc(&out, 128));
  reads<<<1, 32>>>(0, out);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  plain<<<1, 1>>>(out);
  CHECK(cudaGetLastError());
  float value = 0;
  CHECK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  bool described = format.x == 32 && format.y == 32 && format.z == 32 && format.w == 32 &&
                   format.f == cudaChannelFormatKindFloat;
  REQUIRE(value == 5 && described);
  cudaIpcMemHandle_t shared;
  REQUIRE(cudaIpcGetMemHandle(&shared, out) == cudaErrorNotSupported);
  return passed();
}
