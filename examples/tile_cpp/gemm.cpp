// C = A * B with sums in f32, of f16 and of f8.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <class E, int BM, int BN, int BK> void gemm(In<E, 2> a, In<E, 2> b, Out<f32, BM, BN> c) {
  auto [i, j, _] = bid();
  auto sum = zeros<f32, BM, BN>();
  For(ceil_div(a.shape(1), BK), sum, [&](Index k, auto &sum) {
    auto x = load_tile(a, Shape<BM, BK>{}, {i, k});
    auto y = load_tile(b, Shape<BK, BN>{}, {k, j});
    sum = mma(x, y, sum);
  });
  c.store(sum);
}

template <class E> void check(Example &example) {
  int m = 70, n = 50, k = 40;
  Array<E, 2> a(m, k), b(k, n);
  Array<f32, 2> c(m, n);
  example.fill(a);
  example.fill(b);
  example.run(gemm<E, 32, 32, 16>, a, b, c);
  auto product = [&](int64_t at) {
    double sum = 0;
    for (int l = 0; l < k; ++l)
      sum += double(a(at / n, l)) * double(b(l, at % n));
    return sum;
  };
  example.expect(c, product, 1e-5);
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  check<f16>(example);
  check<f8e4m3fn>(example);
  return example.finish();
}
