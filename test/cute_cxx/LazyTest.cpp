// Lazy tensors: elements computed where they are read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;
using tessera::tile::view;

namespace {
std::function<void(Tensor, Tensor, Tensor)> body;
void device(Tensor x, Tensor y, Tensor z) { body(x, y, z); }
template <int Threads> void host(Tensor x, Tensor y, Tensor z) {
  launch(device, {.block = Threads}, x, y, z);
}
template <int Threads, class... A>
Outcome run(std::function<void(Tensor, Tensor, Tensor)> does, A &...a) {
  body = std::move(does);
  return kernel(host<Threads>, "k")(simulator(), a...);
}
std::vector<float> small(size_t n) {
  std::vector<float> x;
  for (size_t i = 0; i < n; ++i)
    x.push_back(float(int(i * 7 % 11) - 5));
  return x;
}
} // namespace

/// CUTLASS's tutorial tiled_copy_if: a predicate that is computed where it is read.
TEST(CuteLazy, PredicatesOfCopies) {
  constexpr int m = 37, n = 21;
  std::vector<float> x = small(m * n), y(m * n, -1), z(4);
  auto from = view(x.data(), {m, n}, {1, m}), to = view(y.data(), {m, n}, {1, m});
  Outcome done = run<64>(
      [](Tensor S, Tensor D, Tensor) {
        IntTuple shape_S = shape(S);
        Tensor C = make_identity_tensor(shape_S);
        Tensor P = lazy::transform(C, [&](auto c) { return elem_less(c, shape_S); });
        auto block = make_shape(Int<16>{}, Int<16>{});
        Tensor tiled_S = tiled_divide(S, block), tiled_D = tiled_divide(D, block),
               tiled_P = tiled_divide(P, block);
        Layout threads = make_layout(make_shape(Int<16>{}, Int<4>{}));
        For(ceil_div(size<0>(S), 16), [&](Num i) {
          For(ceil_div(size<1>(S), 16), [&](Num j) {
            auto part = [&](const Tensor &t) {
              return local_partition(t(make_coord(_, _), i, j), threads, threadIdx.x);
            };
            Tensor fragment = make_tensor_like(part(tiled_S));
            clear(fragment);
            copy_if(part(tiled_P), part(tiled_S), fragment);
            copy_if(part(tiled_P), fragment, part(tiled_D));
          });
        });
      },
      from, to, z);
  ASSERT_TRUE(done) << done.text();
  EXPECT_EQ(x, y);
}
TEST(CuteLazy, FunctionsOfElements) {
  std::vector<float> x = small(16), y(16), z(16);
  Outcome done = run<1>(
      [](Tensor x, Tensor y, Tensor z) {
        Tensor all = make_tensor(x.data(), make_shape(4, 4));
        Tensor twice = lazy::transform(all, [](Num a) { return a * 2; });
        Tensor more = lazy::transform(twice, [](const auto &a) { return a + 1.0f; });
        copy(more, make_tensor(y.data(), make_shape(4, 4)));
        Tensor column = more(_, 3);
        z(0) = column(1);
        transform(local_tile(more, make_shape(2, 2), make_coord(1, 0)),
                  make_tensor(z.data() + 4, make_shape(2, 2)), [](Num a) { return -a; });
        z(1) = reduce(twice, 0.0f);
      },
      x, y, z);
  ASSERT_TRUE(done) << done.text();
  float sum = 0;
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(y[i], 2 * x[i] + 1);
    sum += 2 * x[i];
  }
  EXPECT_EQ(z[0], 2 * x[13] + 1);
  EXPECT_EQ(z[1], sum);
  EXPECT_EQ(z[4], -(2 * x[2] + 1));
  EXPECT_EQ(z[7], -(2 * x[7] + 1));
}
TEST(CuteLazy, WhatNeedsMemorySaysSo) {
  std::vector<float> x(16), y(16), z(16);
  Outcome done = run<1>(
      [](Tensor x, Tensor, Tensor) { fill(lazy::transform(x, [](Num a) { return a * 2; }), 1.0f); },
      x, y, z);
  EXPECT_NE(done.text().find("lazy::transform: makes a tensor whose elements are computed where"),
            std::string::npos)
      << done.text();
}
