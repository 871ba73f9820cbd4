// Causal attention with running maxima and sums: no matrix of all scores is ever stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int BM, int BN, int D>
void attention(In<f16, 3> q, In<f16, 3> k, In<f16, 3> v, Tile<f32> scale, Out<f16, 1, BM, D> out) {
  auto [head, block, _] = bid();
  auto queries = reshape<BM, D>(q.load<1, BM, D>({head, block, 0}));
  auto rows = block * BM + iota<i32, BM, 1>();
  auto lastBlock = min(ceil_div((block + 1) * BM, BN), ceil_div(k.shape(1), BN));
  auto most = full<f32, BM, 1>(-1e30f), total = zeros<f32, BM, 1>();
  auto sum = zeros<f32, BM, D>();
  For(lastBlock, most, total, sum, [&](Index j, auto &most, auto &total, auto &sum) {
    auto keys = reshape<BN, D>(k.load<1, BN, D>({head, j, 0}));
    auto values = reshape<BN, D>(v.load<1, BN, D>({head, j, 0}));
    auto columns = j * BN + iota<i32, 1, BN>();
    auto seen = (columns <= rows) & (columns < k.shape(1));
    auto scores = select(seen, matmul(queries, transpose(keys)) * scale, -1e30f);
    auto now = max(most, reduce_max<1>(scores));
    auto weights = exp(scores - now);
    auto fade = exp(most - now);
    total = total * fade + tessera::tile::sum<1>(weights);
    sum = mma(element_cast<f16>(weights), values, sum * fade);
    most = now;
  });
  out.store(reshape<1, BM, D>(element_cast<f16>(sum / total)));
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  constexpr int heads = 2, length = 40, size = 16;
  Array<f16, 3> q(heads, length, size), k = q, v = q, out = q;
  for (auto *array : {&q, &k, &v})
    example.fill(*array);
  example.run(attention<16, 16, size>, q, k, v, 0.25f, out);
  auto wanted = [&](int64_t at) {
    int64_t h = at / (length * size), i = at / size % length;
    double total = 0, sum = 0;
    for (int64_t j = 0; j <= i; ++j) {
      double score = 0;
      for (int64_t d = 0; d < size; ++d)
        score += double(q(h, i, d)) * double(k(h, j, d)) * 0.25;
      total += std::exp(score), sum += std::exp(score) * double(v(h, j, at % size));
    }
    return sum / total;
  };
  example.expect(out, wanted, 2e-3);
  return example.finish();
}
