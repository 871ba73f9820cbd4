// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of four singles, of pairs of doubles' halves and of packed halves by one reduction; exact.
extern "C" __global__ void vector_sums(const signed char *in, float *sums, unsigned *halves) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t];
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(sums + t % 2 * 4), "f"(x),
               "f"(x * 0.5f), "f"(-x), "f"(1.0f)
               : "memory");
  [[maybe_unused]] unsigned old[2];
  asm volatile("atom.global.add.noftz.v2.f16x2 {%0, %1}, [%2], {%3, %4};"
               : "=r"(old[0]), "=r"(old[1])
               : "l"(halves), "r"(0x3c003c00u * (t & 1)), "r"(0xbc003800u)
               : "memory");
}
