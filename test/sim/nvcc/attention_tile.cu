// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries look at keys and mix values, one thread a query, with the sum kept as it goes.
extern "C" __global__ void attention_tile(const float *q, const float *k, const float *v,
                                          float *out) {
  __shared__ float keys[32][16], values[32][16];
  unsigned t = threadIdx.x;
  for (int i = 0; i < 16; ++i)
    keys[t][i] = k[t * 16 + i], values[t][i] = v[t * 16 + i];
  __syncthreads();
  float mine[16] = {}, most = -INFINITY, sum = 0;
  for (int j = 0; j <= t; ++j) {
    float score = 0;
    for (int i = 0; i < 16; ++i)
      score = fmaf(q[t * 16 + i], keys[j][i], score);
    float next = fmaxf(most, score), scale = expf(most - next), weight = expf(score - next);
    sum = fmaf(sum, scale, weight);
    for (int i = 0; i < 16; ++i)
      mine[i] = fmaf(mine[i], scale, weight * values[j][i]);
    most = next;
  }
  for (int i = 0; i < 16; ++i)
    out[t * 16 + i] = mine[i] / sum;
}
