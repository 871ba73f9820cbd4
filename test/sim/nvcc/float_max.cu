// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest float by compare-and-swap; exchange and the bitwise atomics.
extern "C" __global__ void float_max(const float *in, float *largest, unsigned *masks) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t];
  unsigned *at = (unsigned *)largest, old = *at;
  while (__uint_as_float(old) < x) {
    unsigned seen = atomicCAS(at, old, __float_as_uint(x));
    if (seen == old)
      break;
    old = seen;
  }
  unsigned code = __float_as_uint(x);
  atomicAnd(&masks[0], code | 0xff);
  atomicOr(&masks[1], code);
  atomicXor(&masks[2], code);
  atomicMin((int *)&masks[3], (int)code);
  atomicMax(&masks[4], code);
  atomicAdd((unsigned long long *)&masks[6], (unsigned long long)code << 20);
}
