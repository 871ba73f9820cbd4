// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

// Formats of printf, one thread.
extern "C" __global__ void print_lines(int n) {
  if (threadIdx.x == 3)
    printf("%d %5u|%-6x|%c %s %.3f %lld %%\n", -n, 42u, 0xbeefu, 'q', "text", 1.5 * n,
           -5000000000ll);
}
