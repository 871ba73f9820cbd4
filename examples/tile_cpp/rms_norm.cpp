// RMS norm of each row of bf16, in f32: x / sqrt(mean of squares + eps) * weight.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N>
void rms_norm(In<bf16, 2> x, In<bf16, 1> weight, Tile<f32> eps, Out<bf16, 1, N> y) {
  auto row = element_cast<f32>(x.load<1, N>({bid().x, 0}));
  auto scale = rsqrt(sum<1>(row * row) / element_cast<f32>(x.shape(1)) + eps);
  y.store(element_cast<bf16>(row * scale * element_cast<f32>(weight.load<N>(0))));
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  int rows = 12, columns = 96;
  Array<bf16, 2> x(rows, columns), y(rows, columns);
  Array<bf16, 1> weight(columns);
  example.fill(x);
  example.fill(weight);
  example.run(rms_norm<128>, x, weight, 1e-6f, y);
  auto wanted = [&](int64_t at) {
    double squares = 0;
    for (int k = 0; k < columns; ++k)
      squares += double(x(at / columns, k)) * double(x(at / columns, k));
    return double(x[at]) / std::sqrt(squares / columns + 1e-6) * double(weight[at % columns]);
  };
  example.expect(y, wanted, 0.01); // of bf16
  return example.finish();
}
