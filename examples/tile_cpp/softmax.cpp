// Softmax of each row; columns beyond the matrix read as -inf, whose exponential is 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N> void softmax(In<f32, 2> x, Out<f32, 1, N> y) {
  auto row = x.partition<1, N>(padding::NegInf).load(bid().x, 0);
  auto e = exp(row - reduce_max<1>(row));
  y.store(e / sum<1>(e));
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  int rows = 20, columns = 100;
  Array<f32, 2> x(rows, columns), y(rows, columns);
  x.fill([&](int64_t) { return 8 * example.random(); });
  example.run(softmax<128>, x, y);
  auto wanted = [&](int64_t at) {
    double sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += std::exp(double(x(at / columns, j)));
    return std::exp(double(x[at])) / sum;
  };
  example.expect(y, wanted, 1e-6);
  return example.finish();
}
