// Layer norm of each row: (x - mean) / sqrt(variance + eps) * weight + bias.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N>
void layer_norm(In<f32, 2> x, In<f32, 1> weight, In<f32, 1> bias, Tile<f32> eps, Out<f32, 1, N> y) {
  auto columns = element_cast<f32>(x.shape(1));
  auto row = x.load<1, N>({bid().x, 0});
  auto mean = sum<1>(row) / columns;
  auto apart = select(iota<i32, 1, N>() < x.shape(1), row - mean, 0.0f);
  auto scale = rsqrt(sum<1>(apart * apart) / columns + eps);
  y.store(apart * scale * weight.load<N>(0) + bias.load<N>(0));
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  int rows = 12, columns = 200;
  Array<f32, 2> x(rows, columns), y(rows, columns);
  Array<f32, 1> weight(columns), bias(columns);
  example.fill(x);
  example.fill(weight);
  example.fill(bias);
  example.run(layer_norm<256>, x, weight, bias, 1e-5f, y);
  auto wanted = [&](int64_t at) {
    int64_t i = at / columns, j = at % columns;
    double mean = 0, variance = 0;
    for (int k = 0; k < columns; ++k)
      mean += x(i, k) / double(columns);
    for (int k = 0; k < columns; ++k)
      variance += (x(i, k) - mean) * (x(i, k) - mean) / columns;
    return (x[at] - mean) / std::sqrt(variance + 1e-5) * weight[j] + bias[j];
  };
  example.expect(y, wanted, 1e-5);
  return example.finish();
}
