// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to put eight queens so that none attacks another, with stacks in local memory.
extern "C" __global__ void queens(unsigned *ways) {
  unsigned rows[9], left[9], right[9], open[9], count = 0;
  unsigned first = 1u << threadIdx.x, depth = 1;
  rows[1] = first, left[1] = first << 1, right[1] = first >> 1;
  open[1] = 255 & ~(rows[1] | left[1] | right[1]);
  while (depth) {
    if (!open[depth]) {
      --depth;
      continue;
    }
    unsigned bit = open[depth] & -open[depth];
    open[depth] ^= bit;
    if (depth == 7) {
      ++count;
      continue;
    }
    rows[depth + 1] = rows[depth] | bit;
    left[depth + 1] = (left[depth] | bit) << 1, right[depth + 1] = (right[depth] | bit) >> 1;
    ++depth;
    open[depth] = 255 & ~(rows[depth] | left[depth] | right[depth]);
  }
  ways[threadIdx.x] = count;
}
