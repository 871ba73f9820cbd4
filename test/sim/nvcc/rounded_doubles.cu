// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, products, quotients, roots and fused sums of doubles, rounded all four ways.
extern "C" __global__ void rounded_doubles(const double *a, const double *b, double *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[t], y = b[t], *mine = out + 16 * t;
  mine[0] = __dadd_rn(x, y), mine[1] = __dadd_rz(x, y), mine[2] = __dadd_ru(x, y);
  mine[3] = __dadd_rd(x, y), mine[4] = __dmul_rz(x, y), mine[5] = __dmul_ru(x, y);
  mine[6] = __dmul_rd(x, y), mine[7] = __ddiv_rn(x, y), mine[8] = __ddiv_rz(x, y);
  mine[9] = __ddiv_ru(x, y), mine[10] = __ddiv_rd(x, y), mine[11] = __dsqrt_ru(fabs(x));
  mine[12] = __fma_rn(x, y, x), mine[13] = __fma_rz(x, y, y), mine[14] = __fma_ru(x, x, y);
  mine[15] = __drcp_rd(y) - __dsqrt_rd(fabs(y));
}
