// What the examples share: comparing what a kernel wrote with what the host computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cute.h>

#include <cmath>
#include <cstdio>

using namespace tessera::cute;
using tessera::tile::Array;
using tessera::tile::view;

/// 0 if the launch went well and each element is what `expected(i, j)` says, to 2^-8 of it.
template <class E, class F> int check(const Outcome &done, Array<E, 2> &got, F expected) {
  if (!done) {
    std::printf("%s\n", done.text().c_str());
    return 1;
  }
  int wrong = 0;
  for (int64_t i = 0; i < got.shape(0); ++i)
    for (int64_t j = 0; j < got.shape(1); ++j) {
      double want = expected(i, j), have = double(got(i, j));
      if (std::abs(have - want) > std::abs(want) * 0x1p-8 + 1e-6 && wrong++ < 5)
        std::printf("(%d, %d): expects %g, got %g\n", int(i), int(j), want, have);
    }
  std::printf("%d of %d elements differ\n", wrong, int(got.size()));
  return wrong != 0;
}

/// A GEMM, C = A B^T, of small integers; A and B with their first mode contiguous if
/// `Columns`.
template <class In, class Out, bool Columns = false, class K>
int run_gemm(K &gemm, int m, int n, int k) {
  Array<In, 2> A(Columns ? k : m, Columns ? m : k), B(Columns ? k : n, Columns ? n : k);
  Array<Out, 2> C(m, n);
  A.fill([](int64_t i) { return double(i * 7 % 13) - 6; });
  B.fill([](int64_t i) { return double(i * 5 % 11) - 5; });
  auto as = [&](Array<In, 2> &a, int rows) {
    return Columns ? view(a.data(), {rows, k}, {1, rows}) : view(a.data(), {rows, k});
  };
  return check(gemm(simulator(), as(A, m), as(B, n), C), C, [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int l = 0; l < k; ++l)
      sum += double(Columns ? A(l, i) : A(i, l)) * double(Columns ? B(l, j) : B(j, l));
    return sum;
  });
}
