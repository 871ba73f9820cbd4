// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open addressing: threads claim slots by compare and swap, add to them, and look them up.
extern "C" __global__ void hash_table(const unsigned *keys, unsigned *out) {
  __shared__ unsigned slots[256], sums[256];
  unsigned t = threadIdx.x, key = keys[t] % 97 + 1, at = key * 2654435761u >> 24;
  slots[t] = sums[t] = 0;
  __syncthreads();
  for (;; at = (at + 1) % 256) {
    unsigned old = atomicCAS(&slots[at], 0, key);
    if (old == 0 || old == key)
      break;
  }
  atomicAdd(&sums[at], t);
  __syncthreads();
  unsigned other = keys[255 - t] % 97 + 1, place = other * 2654435761u >> 24;
  while (slots[place] != other)
    place = (place + 1) % 256;
  out[t] = sums[place] * 128 + other;
}
