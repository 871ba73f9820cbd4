// Rotary position embedding: the two halves of each head are turned by an angle of its position.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int D> void rope(In<f32, 3> x, Out<f32, 1, 1, D> y) {
  auto [position, head, _] = bid();
  auto halves = x.partition<1, 1, D / 2>();
  auto a = halves.load(position, head, 0), b = halves.load(position, head, 1);
  auto frequency =
      exp2(element_cast<f32>(iota<i32, 1, 1, D / 2>()) * (-2 * 13.287712f / D)); // 10^4
  auto angle = element_cast<f32>(position) * frequency;
  y.store(tessera::tile::cat<2>(a * cos(angle) - b * sin(angle), b * cos(angle) + a * sin(angle)));
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  constexpr int length = 10, heads = 3, size = 32;
  Array<f32, 3> x(length, heads, size), y(length, heads, size);
  example.fill(x);
  example.run(rope<size>, x, y);
  auto wanted = [&](int64_t at) {
    int64_t position = at / (heads * size), d = at % size, pair = d % (size / 2);
    double angle = double(position) * std::pow(1e4, -2.0 * double(pair) / size);
    double a = x[at - d + pair], b = x[at - d + pair + size / 2];
    return d < size / 2 ? a * std::cos(angle) - b * std::sin(angle)
                        : b * std::cos(angle) + a * std::sin(angle);
  };
  example.expect(y, wanted, 1e-5);
  return example.finish();
}
