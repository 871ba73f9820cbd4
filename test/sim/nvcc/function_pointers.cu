// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of four functions, through a table of their addresses.
using Function = int (*)(int, int);
__device__ __noinline__ int sum(int a, int b) { return a + b; }
__device__ __noinline__ int difference(int a, int b) { return a - b; }
__device__ __noinline__ int product(int a, int b) { return a * b; }
__device__ __noinline__ int larger(int a, int b) { return a > b ? a : b; }
__device__ Function table[] = {sum, difference, product, larger};
extern "C" __global__ void function_pointers(const int *a, const int *b, int *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = table[(a[t] ^ b[t]) & 3](a[t], b[t]);
}
