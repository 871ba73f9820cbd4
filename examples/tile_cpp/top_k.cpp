// The K largest numbers of each row and their places, one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N, int K> void top_k(In<f32, 2> x, Out<f32, 1, K> values, Out<i32, 1, K> places) {
  auto row = x.partition<1, N>(padding::NegInf).load(bid().x, 0);
  auto best = zeros<f32, 1, K>();
  auto where = zeros<i32, 1, K>();
  For(K, row, best, where, [&](Index i, auto &row, auto &best, auto &where) {
    auto place = argmax<1>(row);
    auto isNext = iota<i32, 1, K>() == i;
    best = select(isNext, reduce_max<1>(row), best);
    where = select(isNext, place, where);
    row = select(iota<i32, 1, N>() == place, -std::numeric_limits<f32>::infinity(), row);
  });
  values.store(best);
  places.store(where);
}

int main(int argc, char **argv) {
  Example example(argc, argv);
  constexpr int rows = 9, columns = 100, k = 8;
  Array<f32, 2> x(rows, columns), values(rows, k);
  Array<i32, 2> places(rows, k);
  example.fill(x);
  example.run(top_k<128, k>, x, values, places);
  std::vector<int> order(columns);
  for (int i = 0; i < rows; ++i) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return x(i, a) > x(i, b); });
    for (int j = 0; j < k; ++j)
      if (places(i, j) != order[size_t(j)])
        values(i, j) = NAN; // so that it is seen below
    Array<f32, 1> found({k}, {&values(i, 0), &values(i, 0) + k});
    example.expect(found, [&](int64_t j) { return x(i, order[size_t(j)]); }, 0);
  }
  return example.finish();
}
