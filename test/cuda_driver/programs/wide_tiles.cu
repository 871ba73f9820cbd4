// Groups of cooperative_groups: tiles of several warps, and those that values make.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>

namespace cg = cooperative_groups;

constexpr int threads = 256;

__global__ void reduce(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int i = int(block.thread_rank()), value = in[i];
  int row = 0;
  auto put = [&](int what) { out[row++ * threads + i] = what; };
  put(cg::reduce(cg::tiled_partition<64>(block), value, cg::plus<int>()));
  put(cg::reduce(cg::tiled_partition<128>(block), value, cg::greater<int>()));
  put(cg::inclusive_scan(warp, value));
  auto same = cg::labeled_partition(warp, value & 3);
  put(int(same.size()) * 1000 + cg::reduce(same, value, cg::less<int>()));
  auto half = cg::binary_partition(warp, value > 7);
  put(int(half.size()));
}

int main() {
  constexpr int rows = 5;
  std::vector<int> in(threads);
  for (int i = 0; i < threads; ++i)
    in[i] = int(i * 2654435761u >> 20 & 15);
  int *x = upload(in), *y = upload(std::vector<int>(rows * threads));
  reduce<<<1, threads>>>(x, y);
  std::vector<int> out = download(y, rows * threads);
  for (int i = 0; i < threads; ++i) {
    int expected[rows] = {0, 0, 0, 0, 0}, alike = 0, least = 16;
    for (int j = 0; j < threads; ++j) {
      expected[0] += j / 64 == i / 64 ? in[j] : 0;
      expected[1] = j / 128 == i / 128 ? std::max(expected[1], in[j]) : expected[1];
      if (j / 32 != i / 32)
        continue;
      expected[2] += j <= i ? in[j] : 0;
      expected[4] += (in[j] > 7) == (in[i] > 7);
      if ((in[j] & 3) == (in[i] & 3)) {
        ++alike;
        least = std::min(least, in[j]);
      }
    }
    expected[3] = alike * 1000 + least;
    for (int row = 0; row < rows; ++row)
      REQUIRE(out[row * threads + i] == expected[row]);
  }
  return passed();
}
