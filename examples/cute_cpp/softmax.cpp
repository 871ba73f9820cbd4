// Softmax of each row of up to N f32 numbers, a block for each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N> void softmax_device(Tensor x, Tensor y) {
  constexpr int threads = N / 16;
  auto copy4 = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                               Layout<Shape<_1, Int<threads>>>{}, Layout<Shape<_1, _4>>{});
  ThrCopy thr = copy4.get_slice(threadIdx.x);
  auto row = [&](const Tensor &t) {
    return thr.partition_S(local_tile(t, make_shape(1, N), make_coord(blockIdx.x, 0)));
  };
  Tensor inside = in_bounds(row(make_identity_tensor(shape(x))), shape(x));
  Tensor r = make_fragment_like(row(x));
  fill(r, -INFINITY);
  copy_if(copy4, inside, row(x), r);
  constexpr float log2e = 1.44269504f;
  Num f = r.load();
  Num largest = block_max(reduce(f, [](Num a, Num b) { return max(a, b); }), threads);
  Num e = exp2((f - largest) * log2e);
  r.store(e * (1.0f / block_sum(sum(e), threads)));
  copy_if(copy4, inside, r, row(y));
}
template <int N> void softmax(Tensor x, Tensor y) {
  launch(softmax_device<N>, {.grid = {size<0>(x)}, .block = N / 16}, x, y);
}

int main() {
  auto k = kernel(softmax<2048>, "softmax");
  int wrong = 0;
  for (int64_t n : {2048, 2044, 300}) {
    Array<float, 2> x(3, n), y(3, n);
    x.fill([](int64_t i) { return double(i * 7 % 23) / 4 - 2; });
    wrong += check(k(simulator(), x, y), y, [&](int64_t i, int64_t j) {
      double sum = 0;
      for (int64_t l = 0; l < n; ++l)
        sum += std::exp(double(x(i, l)) - x(i, j));
      return 1 / sum;
    });
  }
  return wrong;
}
