// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ackermann's function and the numbers of Fibonacci, by calls.
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursion(unsigned *out) {
  out[threadIdx.x] =
      ackermann(threadIdx.x % 3, threadIdx.x % 4) * 1000 + fibonacci(threadIdx.x % 12);
}
