// Rows in groups of any size, each group with its own matrix, as in a mixture of experts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each group begins at a whole tile of rows; a list says which group a tile of rows belongs to.
#include "Example.h"

template <int BM, int BN, int BK>
void grouped_gemm(In<f16, 2> a, In<f16, 3> b, In<i32, 1> groups, Out<f32, BM, BN> c) {
  auto [i, j, _] = bid();
  Index group = reshape<>(groups.load<1>(i));
  auto sum = zeros<f32, BM, BN>();
  For(ceil_div(a.shape(1), BK), sum, [&](Index k, auto &sum) {
    auto weights = reshape<BK, BN>(b.load<1, BK, BN>({group, k, j}));
    sum = mma(a.load<BM, BK>({i, k}), weights, sum);
  });
  c.store(sum);
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  constexpr int tile = 16;
  int n = 24, k = 40;
  const int sizes[] = {5, 0, 33, 16}; // rows of each group
  Array<i32, 1> groups(1 + 0 + 3 + 1);
  for (int g = 0, at = 0; g < 4; ++g)
    for (int rows = 0; rows < sizes[g]; rows += tile)
      groups[at++] = g;
  Array<f16, 2> a(groups.size() * tile, k);
  Array<f16, 3> b(4, k, n);
  Array<f32, 2> c(a.shape(0), n);
  example.fill(a);
  example.fill(b);
  example.run(grouped_gemm<tile, 16, 16>, a, b, groups, c);
  auto product = [&](int64_t at) {
    double sum = 0;
    for (int l = 0; l < k; ++l)
      sum += double(a(at / n, l)) * double(b(groups[at / n / tile], l, at % n));
    return sum;
  };
  example.expect(c, product, 1e-5);
  return example.finish();
}
