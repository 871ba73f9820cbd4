// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers from one type to another, each rounded in its way.
extern "C" __global__ void conversions(const double *in, const long long *whole,
                                       long long *integers, double *reals) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  double x = in[t] * (1ll << t % 62);
  float f = (float)x;
  long long n = whole[t] >> t % 64, *mine = integers + 8 * t;
  mine[0] = __double2ll_rn(x), mine[1] = __double2ll_ru(x), mine[2] = __float2ll_rd(f);
  mine[3] = __double2int_rz(x), mine[4] = __float2uint_ru(f), mine[5] = __double2ull_rd(x);
  mine[6] = __float2int_rn(f), mine[7] = __double2uint_rn(x);
  double *real = reals + 8 * t;
  real[0] = __double2float_rz(x), real[1] = __double2float_ru(x), real[2] = __ll2double_rd(n);
  real[3] = __ll2float_ru(n), real[4] = __ull2float_rz(n), real[5] = __int2float_rd((int)n);
  real[6] = __uint2double_rn((unsigned)n), real[7] = __ull2double_ru(n);
}
