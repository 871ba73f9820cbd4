// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss and Seidel's steps on a plane, red numbers first and black ones then.
extern "C" __global__ void gauss_seidel(float *plane, int n, int steps) {
  __shared__ float p[32][33];
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    p[i / n][i % n] = plane[i];
  for (int s = 0; s < 2 * steps; ++s) {
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
      int y = i / n, x = i % n;
      if (x == 0 || y == 0 || x == n - 1 || y == n - 1 || ((x + y + s) & 1))
        continue;
      p[y][x] = 0.25f * (__fadd_rn(p[y - 1][x], p[y + 1][x]) + __fadd_rn(p[y][x - 1], p[y][x + 1]));
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n * n; i += blockDim.x)
    plane[i] = p[i / n][i % n];
}
