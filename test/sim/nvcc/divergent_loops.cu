// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that lanes leave at different times, with break and continue, and meet again.
extern "C" __global__ void divergent_loops(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t], sum = 0;
  for (unsigned i = 0; i < x % 17; ++i) {
    if ((x >> i & 3) == 1)
      continue;
    for (unsigned j = i; j < 20; j += 1 + (x & 1)) {
      if (sum % 29 == 28)
        break;
      sum += j * i + 1;
    }
    if (sum > 700)
      break;
  }
  __syncwarp();
  unsigned next = __shfl_sync(~0u, sum, (t + 1) % 32);
  do {
    sum += next ^ x;
    x >>= 3;
  } while (x);
  out[t] = sum;
}
