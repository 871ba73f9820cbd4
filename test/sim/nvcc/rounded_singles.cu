// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Singles rounded all four ways, and subnormal ones among them.
extern "C" __global__ void rounded_singles(const float *a, const float *b, float *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float scale = t % 3 == 0 ? 0x1p-130f : t % 3 == 1 ? 0x1p-70f : 1;
  float x = a[t] * scale, y = b[t], *mine = out + 16 * t;
  mine[0] = __fadd_rz(x, y), mine[1] = __fadd_ru(x, y), mine[2] = __fadd_rd(x, y);
  mine[3] = __fmul_rn(x, y), mine[4] = __fmul_rz(x, y), mine[5] = __fmul_ru(x, y * scale);
  mine[6] = __fmul_rd(x, y * scale), mine[7] = __fdiv_rz(x, y), mine[8] = __fdiv_ru(x, y);
  mine[9] = __fdiv_rd(x, y), mine[10] = __fsqrt_rz(fabsf(x)), mine[11] = __fsqrt_ru(fabsf(x));
  mine[12] = __fmaf_rz(x, y, x), mine[13] = __fmaf_ru(x, y, x), mine[14] = __fmaf_rd(x, y, x);
  mine[15] = __frcp_rz(y);
}
