// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conway's game on a torus of 64 x 64, one step.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, around = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      around += (dx || dy) && in[((y + dy) & 63) * 64 + ((x + dx) & 63)];
  out[y * 64 + x] = around == 3 || (around == 2 && in[y * 64 + x]);
}
