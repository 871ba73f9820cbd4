// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows less their mean, over their deviation, by weights; a warp for each row.
extern "C" __global__ void layer_norm(const float *in, const float *weights, float *out) {
  int t = threadIdx.x, row = blockIdx.x * 4 + threadIdx.y;
  float x[4], sum = 0, squares = 0;
  for (int i = 0; i < 4; ++i)
    sum = __fadd_rn(sum, x[i] = in[row * 128 + i * 32 + t]);
  for (int step = 16; step; step /= 2)
    sum = __fadd_rn(sum, __shfl_xor_sync(~0u, sum, step));
  float mean = sum * 0.0078125f;
  for (int i = 0; i < 4; ++i)
    x[i] = __fsub_rn(x[i], mean), squares = fmaf(x[i], x[i], squares);
  for (int step = 16; step; step /= 2)
    squares = __fadd_rn(squares, __shfl_xor_sync(~0u, squares, step));
  float scale = __frcp_rn(__fsqrt_rn(fmaf(squares, 0.0078125f, 1e-5f)));
  for (int i = 0; i < 4; ++i)
    out[row * 128 + i * 32 + t] = __fmul_rn(__fmul_rn(x[i], scale), weights[i * 32 + t]);
}
