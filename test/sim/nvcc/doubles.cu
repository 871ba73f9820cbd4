// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f64: fused and unfused, division, root, conversions.
extern "C" __global__ void doubles(const double *a, const double *b, double *out,
                                   long long *whole) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  double x = a[t], y = b[t];
  double root = __dsqrt_rn(fabs(x)), ratio = __ddiv_rn(x, y);
  out[t] = __fma_rn(x, y, __dadd_rz(root, ratio)) + __dmul_ru(x, 1.0 / 3);
  whole[t] = __double2ll_rd(x) * 3 + __double2int_rn(y);
}
