// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

// One thread prints lines in a loop, of all kinds of numbers, and the length of each.
extern "C" __global__ void print_warps(int n) {
  if (threadIdx.x + blockIdx.x)
    return;
  for (int i = 0; i < n; ++i) {
    int count = printf("%02d:%+d %#o %08.3f %e %lx\n", i, i * 7 - 9, i * 11, i * -2.25,
                       1e5 / (i + 1), 0x123456789abcl * i);
    printf("%s %d\n", count < 0 ? "none" : "arguments", count);
  }
}
