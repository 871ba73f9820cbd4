// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Steps of diffusion over a ring, with a barrier of the grid between them.
extern "C" __global__ void grid_barrier(unsigned *a, unsigned *b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  for (int s = 0; s < steps; ++s) {
    b[i] = a[i] / 2 + a[(i + 1) % n] / 4 + a[(i + n - 1) % n] / 4;
    grid.sync();
    unsigned *swap = a;
    a = b, b = swap;
  }
}
