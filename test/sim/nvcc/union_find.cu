// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a graph that hang together: roots are joined by compare and swap, the smaller one wins.
__device__ unsigned root(volatile unsigned *parents, unsigned x) {
  while (parents[x] != x)
    x = parents[x];
  return x;
}
extern "C" __global__ void union_find(const unsigned *edges, unsigned *parents, unsigned *out) {
  __shared__ unsigned all[512];
  for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
    all[i] = i;
  __syncthreads();
  unsigned a = edges[2 * threadIdx.x] % 512, b = edges[2 * threadIdx.x + 1] % 512;
  for (;;) {
    a = root(all, a), b = root(all, b);
    if (a == b)
      break;
    unsigned high = max(a, b), low = min(a, b);
    if (atomicCAS(&all[high], high, low) == high)
      break;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
    out[i] = root(all, i);
  if (threadIdx.x == 0)
    *parents = 512;
}
