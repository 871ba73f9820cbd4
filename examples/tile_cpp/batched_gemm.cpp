// C[g] = A[g] * B[g] for each g.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int BM, int BN, int BK>
void batched_gemm(In<f16, 3> a, In<f16, 3> b, Out<f32, 1, BM, BN> c) {
  auto [g, i, j] = bid();
  auto sum = zeros<f32, 1, BM, BN>();
  For(ceil_div(a.shape(2), BK), sum, [&](Index k, auto &sum) {
    sum = mma(a.load<1, BM, BK>({g, i, k}), b.load<1, BK, BN>({g, k, j}), sum);
  });
  c.store(sum);
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  int batches = 3, m = 40, n = 24, k = 33;
  Array<f16, 3> a(batches, m, k), b(batches, k, n);
  Array<f32, 3> c(batches, m, n);
  example.fill(a);
  example.fill(b);
  example.run(batched_gemm<16, 16, 16>, a, b, c);
  auto product = [&](int64_t at) {
    int64_t g = at / (m * n), i = at / n % m, j = at % n;
    double sum = 0;
    for (int l = 0; l < k; ++l)
      sum += double(a(g, i, l)) * double(b(g, l, j));
    return sum;
  };
  example.expect(c, product, 1e-5);
  return example.finish();
}
