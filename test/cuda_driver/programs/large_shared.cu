// More shared memory than 48 KiB, which a kernel has to ask for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

extern __shared__ float4 pool[];

__global__ void turn(const float *in, float *out, int n) {
  float *tile = reinterpret_cast<float *>(pool);
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    tile[i] = in[blockIdx.x * n * n + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    out[blockIdx.x * n * n + i] = tile[i % n * n + i / n];
}

/// Rows that are a number longer than they have to be.
template <int N> __global__ void padded(const double *in, double *out) {
  extern __shared__ unsigned char raw[];
  auto &t = *reinterpret_cast<double (*)[N][N + 1]>(raw);
  for (int i = threadIdx.x; i < N * N; i += blockDim.x)
    t[i / N][i % N] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < N * N; i += blockDim.x)
    out[i] = t[i % N][i / N] + t[i / N][i % N];
}

int main() {
  int n = 200, blocks = 2;
  size_t bytes = n * n * 4;
  auto h = numbers(n * n * blocks);
  float *in = upload(h), *out = upload(h);
  turn<<<blocks, 256, bytes>>>(in, out, n);
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
  int optin = 0;
  CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  REQUIRE(optin >= int(bytes));
  CHECK(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK(cudaFuncSetAttribute(turn, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared));
  turn<<<blocks, 256, bytes>>>(in, out, n);
  CHECK(cudaGetLastError());
  auto r = download(out, h.size());
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        REQUIRE(r[b * n * n + i * n + j] == h[b * n * n + j * n + i]);
  REQUIRE(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1) ==
          cudaErrorInvalidValue);
  cudaGetLastError();
  constexpr int N = 96;
  size_t b2 = sizeof(double) * N * (N + 1);
  std::vector<double> hd(N * N);
  for (int i = 0; i < N * N; ++i)
    hd[i] = number(i);
  double *di = upload(hd), *dout = upload(hd);
  CHECK(cudaFuncSetAttribute(padded<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, b2));
  padded<N><<<1, 512, b2>>>(di, dout);
  auto rd = download(dout, N * N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      REQUIRE(rd[i * N + j] == hd[j * N + i] + hd[i * N + j]);
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, padded<N>));
  REQUIRE(a.maxDynamicSharedSizeBytes == int(b2));
  int act = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&act, padded<N>, 512, b2));
  REQUIRE(act >= 1);
  return passed();
}
