// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores with hints for the caches, and through the read-only path.
extern "C" __global__ void cache_hints(const uint4 *in, uint4 *out, const unsigned *more) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 x = __ldg(in + t), y = __ldcs(in + (t ^ 1));
  unsigned z =
      __ldca(more + t) + __ldcg(more + (t ^ 3)) + __ldcv(more + (t ^ 7)) + __ldlu(more + t);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + t));
  x.x += y.w, x.y ^= z, x.z -= y.y, x.w *= y.z;
  __stcg(out + 2 * t, x);
  __stwt(out + 2 * t + 1, y);
}
