// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows as shares of one by exponentials, the largest taken away before; a warp for each row.
extern "C" __global__ void softmax(const float *in, float *out) {
  unsigned t = threadIdx.x, row = blockIdx.x * 4 + threadIdx.y;
  float x[4], most = -INFINITY, sum = 0;
  for (int i = 0; i < 4; ++i)
    most = fmaxf(most, x[i] = in[row * 128 + i * 32 + t] * 8);
  for (int step = 16; step; step /= 2)
    most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  for (int i = 0; i < 4; ++i)
    sum += x[i] = __expf(x[i] - most);
  for (int step = 16; step; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  for (int i = 0; i < 4; ++i)
    out[row * 128 + i * 32 + t] = x[i] / sum;
}
