// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp fills a buffer in shared memory, one empties it; named barriers pass it to and fro.
extern "C" __global__ void warp_specialists(const unsigned *in, unsigned *out, int rounds) {
  __shared__ unsigned slot[2][32];
  unsigned lane = threadIdx.x % 32;
  bool fills = threadIdx.x < 32;
  for (int r = 0; r < rounds; ++r) {
    int s = r & 1, full = 1 + s, empty = 3 + s;
    if (fills) {
      if (r >= 2)
        asm volatile("bar.sync %0, 64;" ::"r"(empty) : "memory");
      slot[s][lane] = in[r * 32 + lane] * 3;
      asm volatile("bar.arrive %0, 64;" ::"r"(full) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(full) : "memory");
      out[r * 32 + lane] = slot[s][31 - lane] + r;
      if (r + 2 < rounds)
        asm volatile("bar.arrive %0, 64;" ::"r"(empty) : "memory");
    }
  }
}
