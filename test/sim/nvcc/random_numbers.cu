// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generators of random numbers: xorshift, a linear one of 64 bits, and PCG; as reals too.
extern "C" __global__ void random_numbers(const unsigned *seeds, unsigned *out, float *reals) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = seeds[t] | 1;
  unsigned long long state = seeds[t] * 2ull + 1;
  for (int i = 0; i < 20; ++i) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
  }
  unsigned word = unsigned((state >> 18 ^ state) >> 27), by = unsigned(state >> 59);
  word = __funnelshift_r(word, word, by);
  out[t] = word ^ x;
  reals[2 * t] = (x >> 8) * 0x1p-24f;
  reals[2 * t + 1] = __uint2float_rn(word) * 2.3283064e-10f;
}
