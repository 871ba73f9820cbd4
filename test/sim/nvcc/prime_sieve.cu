// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primes below 4096 by crossing out multiples in a row of bits; threads take primes in turn.
extern "C" __global__ void prime_sieve(unsigned *out) {
  __shared__ unsigned crossed[128];
  unsigned t = threadIdx.x;
  crossed[t] = t ? 0 : 3;
  __syncthreads();
  for (unsigned p = 2; p < 64; ++p)
    if (!(((volatile unsigned *)crossed)[p / 32] >> p % 32 & 1))
      for (unsigned m = p * (p + t); m < 4096; m += p * 128)
        atomicOr(&crossed[m / 32], 1u << m % 32);
  __syncthreads();
  out[t] = ~crossed[t];
}
