// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of reals as signed bytes with a scale for each row, and sums of products of them.
extern "C" __global__ void quantise(const float *in, int *packed, float *scales, float *out) {
  int t = threadIdx.x, row = blockIdx.x;
  const float4 x = ((const float4 *)in)[row * 32 + t];
  float largest = fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
  for (int step = 16; step; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
  float scale = __fdiv_rn(127, largest);
  auto code = [&](float y) {
    return max(-127, min(127, __float2int_rn(__fmul_rn(y, scale)))) & 255;
  };
  int word = code(x.x) | code(x.y) << 8 | code(x.z) << 16 | code(x.w) << 24;
  packed[row * 32 + t] = word;
  int sum = __dp4a(word, __shfl_xor_sync(~0u, word, 1), 0);
  sum = __reduce_add_sync(~0u, sum);
  if (t == 0)
    scales[row] = scale, out[row] = __fdiv_rn(sum, __fmul_rn(scale, scale));
}
