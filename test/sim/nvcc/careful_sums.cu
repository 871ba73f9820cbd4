// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that keep what rounding takes away: two-sums, products with their errors, Kahan's sum.
extern "C" __global__ void careful_sums(const float *in, float *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float *row = in + t * 16;
  float kahan = 0, lost = 0, dot = 0, rest = 0;
  for (int i = 0; i < 16; ++i) {
    float y = __fsub_rn(row[i] * 1000, lost), next = __fadd_rn(kahan, y);
    lost = __fsub_rn(__fsub_rn(next, kahan), y), kahan = next;
    float p = __fmul_rn(row[i], row[15 - i]), error = fmaf(row[i], row[15 - i], -p);
    float s = __fadd_rn(dot, p), back = __fsub_rn(s, dot);
    float gone = __fadd_rn(__fsub_rn(dot, __fsub_rn(s, back)), __fsub_rn(p, back));
    dot = s, rest = __fadd_rn(rest, __fadd_rn(error, gone));
  }
  out[4 * t] = kahan, out[4 * t + 1] = lost, out[4 * t + 2] = dot, out[4 * t + 3] = rest;
}
