// What each operation of the algebra promises, checked by walking the whole domain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources: the post-conditions in CUTLASS media/docs/cpp/cute/02_layout_algebra.md, and Algebra.h
// where it promises more. A law returns "" if it holds, else what is wrong.
#pragma once

#include "test/layout/Reference.h"

#include "tessera/layout/Algebra.h"

namespace tessera::layout::test {

class Laws {
public:
  explicit Laws(const Interp &values) : ref(values) {}

  /// Same size and same index at every coordinate.
  std::string same(const AnyLayout &expected, const AnyLayout &got) const;
  /// R(c) = A(B(c)), and every coordinate of B is one of R.
  std::string composition(const AnyLayout &a, const Layout &b, const AnyLayout &r) const;
  /// R(c) = A(B(c)) for plain numbers, where B may be swizzled: for c below the size of B.
  std::string compositionOfNumbers(const AnyLayout &a, const AnyLayout &b,
                                   const AnyLayout &r) const;
  /// a(R(i)) = b(R(i)) = i.
  std::string common(const Layout &a, const Layout &b, const Layout &r) const;
  /// Whether any layout with the modes of B is A(B(c)) as a function.
  bool composable(const AnyLayout &a, const Layout &b) const;
  /// Mode by mode, as far as the tile goes.
  std::string compositionByMode(const Layout &a, const Tile &b, const Layout &r) const;
  /// R leaves no gap that it could fill, hits nothing that L hits, and goes upwards.
  std::string complement(const Layout &l, const Tree &cotarget, const Layout &r) const;
  /// L(R(i)) = i, for all indices if L is a bijection onto a prefix.
  std::string rightInverse(const AnyLayout &l, const AnyLayout &r) const;
  /// L(R(L(i))) = L(i) with R(L(i)) a coordinate of L; R(L(i)) = i if L is injective.
  std::string leftInverse(const AnyLayout &l, const AnyLayout &r) const;
  /// R = ((tile),(rest)): the tile is A at T, and no element of A gets lost if the strides of T
  /// divide.
  std::string divide(const Layout &a, const Layout &t, const Layout &r) const;
  /// R = (A, copies): copies do not overlap and lie in the order of B.
  std::string product(const Layout &a, const Layout &b, const Layout &r) const;
  /// slice(k) + offset = L(coordinate with k in place of `_`).
  std::string slice(const Tree &coord, const AnyLayout &l, const Sliced &) const;
  /// The same memory in elements that are `up` times as wide, after they were cut into `down`
  /// parts.
  std::string recast(const AnyLayout &l, int64_t down, int64_t up, const AnyLayout &r) const;

  bool injective(const AnyLayout &) const;
  /// Whether each stride is a multiple of what the smaller ones reach: then nothing is left
  /// between.
  bool dividing(const Layout &) const;

private:
  /// Strides that are not 0 and their extents, smallest first.
  std::vector<std::pair<int64_t, int64_t>> bySize(const Layout &) const;

  Reference ref;
};

} // namespace tessera::layout::test
