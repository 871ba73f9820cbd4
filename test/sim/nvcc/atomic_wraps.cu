// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters that wrap up and down, exchanges, minima and maxima of 32 and 64 bits, signed and not.
extern "C" __global__ void atomic_wraps(const unsigned *in, unsigned *counters, long long *wide) {
  unsigned x = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicInc(&counters[0], 99), atomicDec(&counters[1], 99), atomicSub(&counters[2], x);
  atomicMin(&counters[3], x), atomicMax((int *)&counters[4], (int)x);
  atomicAnd(&counters[5], x | 0xffff0000), atomicXor(&counters[6], x), atomicOr(&counters[7], x);
  long long y = (long long)(int)x * 0x10001;
  atomicMin(&wide[0], y), atomicMax(&wide[1], y);
  atomicAdd((unsigned long long *)&wide[2], (unsigned long long)y);
  atomicXor((unsigned long long *)&wide[3], (unsigned long long)y);
  unsigned old = atomicInc(&counters[8], 63);
  atomicAdd(&counters[9], old);
}
