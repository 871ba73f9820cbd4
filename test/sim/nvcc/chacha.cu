// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Twenty rounds of ChaCha over 16 words in registers, and the sum with what went in.
__device__ void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d) {
  auto turned = [](unsigned x, int by) { return __funnelshift_l(x, x, by); };
  a += b, d = turned(d ^ a, 16), c += d, b = turned(b ^ c, 12);
  a += b, d = turned(d ^ a, 8), c += d, b = turned(b ^ c, 7);
}
extern "C" __global__ void chacha(const unsigned *in, unsigned *out) {
  unsigned t = threadIdx.x, x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = in[t * 16 + i];
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i)
      quarter(x[i], x[4 + i], x[8 + i], x[12 + i]);
    for (int i = 0; i < 4; ++i)
      quarter(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
  }
  for (int i = 0; i < 16; ++i)
    out[t * 16 + i] = in[t * 16 + i] + x[i];
}
