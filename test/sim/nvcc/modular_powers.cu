// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers modulo a prime of 61 bits, and Montgomery's product of 32 bits.
extern "C" __global__ void modular_powers(const unsigned *in, unsigned long long *out) {
  constexpr unsigned long long prime = (1ull << 61) - 1;
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, modulus = 4294967291u, inverse = 1;
  auto times = [](unsigned long long a, unsigned long long b) {
    unsigned long long high = __umul64hi(a, b) << 3 | a * b >> 61, low = a * b & prime;
    unsigned long long sum = high + low;
    return sum >= prime ? sum - prime : sum;
  };
  unsigned long long base = in[t], power = 1;
  for (unsigned e = in[t] ^ 0x12345; e; e >>= 1) {
    if (e & 1)
      power = times(power, base);
    base = times(base, base);
  }
  for (int i = 0; i < 5; ++i)
    inverse *= 2 - modulus * inverse;
  unsigned long long product = (unsigned long long)in[t] * (t + 3);
  unsigned q = (unsigned)product * (0 - inverse);
  unsigned long long high = __umulhi(q, modulus) + (product >> 32) + ((unsigned)product != 0);
  out[t] = power ^ (high >= modulus ? high - modulus : high) << 1;
}
