// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -fmad=false
// A matrix of 16 x 16 as the product of a lower and an upper one, in place; a thread for each
// number.
extern "C" __global__ void lower_upper(float *a) {
  __shared__ float m[16][17];
  int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 256 + y * 16 + x;
  m[y][x] = a[at] + (x == y ? 8.0f : 0.0f);
  __syncthreads();
  for (int k = 0; k < 15; ++k) {
    if (x == k && y > k)
      m[y][k] /= m[k][k];
    __syncthreads();
    if (x > k && y > k)
      m[y][x] -= m[y][k] * m[k][x];
    __syncthreads();
  }
  a[at] = m[y][x];
}
