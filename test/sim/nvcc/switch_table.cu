// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A switch of twelve cases with different work.
extern "C" __global__ void switch_table(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t], y = x;
  switch (x % 12) {
  case 0: y = x + 1; break;
  case 1: y = x * 7; break;
  case 2: y = ~x; break;
  case 3: y = x >> 3; break;
  case 4: y = x << 5; // and on
  case 5: y ^= 0x5a5a; break;
  case 6: y = __brev(x); break;
  case 7: y = __popc(x); break;
  case 8: y = x - 99; break;
  case 9: y = x * x; break;
  case 10: y = x / 10; break;
  default: y = x % 1000; break;
  }
  out[t] = y;
}
