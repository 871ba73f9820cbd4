// A cooperative launch: blocks exchange values through a barrier of the whole grid.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void rotate(int *x, int *y, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int count = int(grid.size()), me = int(grid.thread_rank());
  for (int round = 0; round < rounds; ++round) {
    y[(me + 1) % count] = x[me] + 1;
    grid.sync();
    int *other = x;
    x = y, y = other;
  }
}

int main() {
  constexpr int blocks = 6, block = 64, rounds = 5, count = blocks * block;
  std::vector<int> in(count);
  for (int i = 0; i < count; ++i)
    in[i] = i * 3;
  int *x = upload(in), *y = upload(in), turns = rounds, can = 0, most = 0;
  CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
  REQUIRE(can);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, rotate, block, 0));
  REQUIRE(most > 0);
  void *arguments[] = {&x, &y, &turns};
  CHECK(cudaLaunchCooperativeKernel(rotate, blocks, block, arguments, 0, nullptr));
  std::vector<int> out = download(rounds % 2 ? y : x, count);
  for (int i = 0; i < count; ++i)
    REQUIRE(out[(i + rounds) % count] == in[i] + rounds);
  // More blocks than there is room for.
  REQUIRE(cudaLaunchCooperativeKernel(rotate, 1 << 20, 1024, arguments, 0, nullptr) ==
          cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  return passed();
}
