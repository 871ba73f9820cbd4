// RMSNorm: y = x / sqrt(mean(x^2) + eps) w, a block for each row of up to N f16 numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

template <int N> void rmsnorm_device(Tensor x, Tensor w, Tensor y, Num eps) {
  constexpr int threads = N / 16;
  auto copy8 = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
                               Layout<Shape<_1, Int<threads>>>{}, Layout<Shape<_1, _8>>{});
  ThrCopy thr = copy8.get_slice(threadIdx.x);
  auto row = [&](const Tensor &t) {
    return thr.partition_S(local_tile(t, make_shape(1, N), make_coord(blockIdx.x, 0)));
  };
  Tensor weights = make_tensor(w.data(), shape(x), make_stride(0, 1));
  Tensor inside = in_bounds(row(make_identity_tensor(shape(x))), shape(x));
  Tensor rx = make_fragment_like(row(x)), rw = make_fragment_like(row(weights));
  clear(rx);
  clear(rw);
  copy_if(copy8, inside, row(x), rx);
  copy_if(copy8, inside, row(weights), rw);
  Num f = convert<float>(rx.load());
  Num scale = rsqrt(block_sum(sum(f * f), threads) / convert<float>(size<1>(x)) + eps);
  rx.store(convert<half_t>(f * scale * convert<float>(rw.load())));
  copy_if(copy8, inside, rx, row(y));
}
template <int N> void rmsnorm(Tensor x, Tensor w, Tensor y, Num eps) {
  launch(rmsnorm_device<N>, {.grid = {size<0>(x)}, .block = N / 16}, x, w, y, eps);
}

int main() {
  auto norm = kernel(rmsnorm<4096>, "rmsnorm");
  int wrong = 0;
  for (int64_t n : {4096, 4088, 1000}) { // rows start at multiples of 16 bytes
    Array<half_t, 2> x(3, n), y(3, n);
    std::vector<half_t> w(n);
    x.fill([](int64_t i) { return double(i * 7 % 23) / 8 - 1; });
    for (int64_t i = 0; i < n; ++i)
      w[i] = double(i % 5) / 4;
    wrong += check(norm(simulator(), x, w, y, 1e-5f), y, [&](int64_t i, int64_t j) {
      double squares = 0;
      for (int64_t k = 0; k < n; ++k)
        squares += x(i, k) * x(i, k);
      return x(i, j) / std::sqrt(squares / double(n) + 1e-5) * w[j];
    });
  }
  return wrong;
}
