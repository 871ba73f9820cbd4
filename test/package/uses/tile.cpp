// A tile kernel in C++, run on the CPU by the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile.h"

#include <cstdio>

using namespace tessera::tile;

static void add_vectors(In<f32, 1> a, In<f32, 1> b, Out<f32, 16> c) {
  auto i = bid().x;
  c.store(a.load<16>(i) + b.load<16>(i));
}

int main() {
  std::vector<f32> a(100, 1.0f), b(100, 2.5f), c(100);
  Outcome done = run(add_vectors, a, b, c);
  std::printf("%s %g\n", done ? "ok" : "failed", double(c[99]));
}
