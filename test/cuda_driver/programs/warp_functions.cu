// Shuffles, votes, matches and reductions of warps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void look(int *out) {
  int lane = threadIdx.x % 32, row = 0;
  auto put = [&](int value) { out[row++ * 32 + lane] = value; };
  put(__shfl_xor_sync(~0u, lane * 10, 5));
  put(__shfl_up_sync(~0u, lane, 3));
  put(__shfl_sync(~0u, lane * 2, lane + 1, 8));
  put(int(__ballot_sync(~0u, lane % 3 == 0)));
  put(__any_sync(~0u, lane == 40) * 2 + __all_sync(~0u, lane < 32));
  put(int(__match_any_sync(~0u, lane / 8)));
  put(int(__reduce_add_sync(~0u, lane)));
  put(int(__popc(__activemask())));
  if (lane < 16)
    put(int(__reduce_max_sync(0xffff, lane)));
  else
    put(int(__reduce_min_sync(0xffff0000, lane)));
}

int main() {
  constexpr int rows = 9;
  int *x = upload(std::vector<int>(rows * 32));
  look<<<1, 32>>>(x);
  std::vector<int> out = download(x, rows * 32);
  int thirds = 0;
  for (int i = 0; i < 32; i += 3)
    thirds |= 1 << i;
  for (int lane = 0; lane < 32; ++lane) {
    int expected[rows] = {(lane ^ 5) * 10,
                          lane < 3 ? lane : lane - 3,
                          (lane / 8 * 8 + (lane + 1) % 8) * 2,
                          thirds,
                          1,
                          0xff << lane / 8 * 8,
                          496,
                          32,
                          lane < 16 ? 15 : 16};
    for (int row = 0; row < rows; ++row)
      REQUIRE(out[row * 32 + lane] == expected[row]);
  }
  return passed();
}
