// y = alpha * x + y in place, through pointers and a mask.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N> void saxpy(Tile<i32> n, Tile<f32> alpha, Tile<f32 *> x, Tile<f32 *> y) {
  auto i = bid().x * N + iota<i32, N>();
  auto inside = i < n;
  auto sum = fma(load_masked(x + i, inside, 0.0f), alpha, load_masked(y + i, inside, 0.0f));
  store_masked(y + i, sum, inside);
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  Array<f32, 1> x(1000), y(1000);
  example.fill(x);
  example.fill(y);
  Array<f32, 1> before = y;
  example.run(saxpy<128>, Grid{8}, 1000, 2.5f, x, y);
  example.expect(y, [&](int64_t i) { return std::fma(2.5f, x[i], before[i]); }, 0);
  return example.finish();
}
