// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roots of symmetric matrices of doubles, 8 x 8, one thread each; in local memory.
extern "C" __global__ void cholesky(const double *in, double *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double l[8][8];
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = in[t * 64 + i * 8 + j] + (i == j ? 10 : 0);
      for (int k = 0; k < j; ++k)
        sum = fma(-l[i][k], l[j][k], sum);
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
      out[t * 64 + i * 8 + j] = l[i][j];
    }
}
