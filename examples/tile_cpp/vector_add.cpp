// c = a + b, where the last tile reaches beyond the arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N> void add_vectors(In<f32, 1> a, In<f32, 1> b, Out<f32, N> c) {
  auto i = bid().x;
  c.store(a.load<N>(i) + b.load<N>(i));
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  Array<f32, 1> a(1000), b(1000), c(1000);
  example.fill(a);
  example.fill(b);
  example.run(add_vectors<256>, a, b, c);
  example.expect(c, [&](int64_t i) { return double(a[i] + b[i]); }, 0);
  return example.finish();
}
