// Programmatic launches, priorities and a kernel of several template arguments. Target: sm_90
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

template <class T, int by> __global__ void first(T *x, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    x[i] = T(i * by);
  cudaTriggerProgrammaticLaunchCompletion();
}
template <class T> __global__ void second(T *x, int count) {
  cudaGridDependencySynchronize();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    x[i] += T(1);
}
__global__ void __cluster_dims__(2) pairs() {}
__global__ void any() {}

/// What a launch in clusters answers at once, and that nothing stays of it.
cudaError_t answerOf(void (*kernel)(), unsigned blocks, unsigned cluster) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(32);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = cluster != 0;
  cudaError_t code = cudaLaunchKernelEx(&config, kernel);
  REQUIRE(cudaGetLastError() == code && cudaDeviceSynchronize() == cudaSuccess);
  return code;
}

int main() {
  constexpr int count = 300;
  int least = 0, greatest = 0, priority = 1;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamGetPriority(stream, &priority));
  REQUIRE(priority == greatest && greatest <= least);
  double *x = upload(std::vector<double>(count));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(3);
  config.blockDim = dim3(128);
  config.stream = stream;
  CHECK(cudaLaunchKernelEx(&config, first<double, 3>, x, count));
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = least;
  config.attrs = attributes;
  config.numAttrs = 2;
  CHECK(cudaLaunchKernelEx(&config, second<double>, x, count));
  CHECK(cudaStreamSynchronize(stream));
  std::vector<double> out = download(x, count);
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == i * 3 + 1);
  REQUIRE(answerOf(pairs, 4, 0) == cudaSuccess && answerOf(pairs, 4, 2) == cudaSuccess);
  REQUIRE(answerOf(pairs, 3, 0) == cudaErrorInvalidClusterSize);
  REQUIRE(answerOf(pairs, 4, 4) == cudaErrorInvalidClusterSize);
  REQUIRE(answerOf(any, 3, 2) == cudaErrorInvalidClusterSize);
  REQUIRE(answerOf(any, 16, 16) == cudaErrorInvalidClusterSize);
  return passed();
}
