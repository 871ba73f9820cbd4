// How often each number comes: every tile block adds to the same counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N> void histogram(In<i32, 1> x, Tile<i32 *> counts) {
  auto i = bid().x;
  auto inside = i * N + iota<i32, N>() < x.shape(0);
  atomic_add_masked(counts + x.load<N>(i), 1, inside, ordering::Relaxed);
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  Array<i32, 1> x(1000), counts(16), wanted(16);
  x.fill([&](int64_t) { return int(8 + 7.9 * example.random() * example.random()); });
  for (int value : x)
    ++wanted[value];
  example.run(histogram<128>, Grid{8}, x, counts);
  example.expect(counts, [&](int64_t i) { return wanted[i]; }, 0);
  return example.finish();
}
