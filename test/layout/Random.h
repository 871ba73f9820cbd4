// Random layouts, shapes and coordinates; the same in every run and on every platform.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Domains.h"
#include "tessera/layout/Layout.h"

namespace tessera::layout::test {

/// Which strides a random layout gets.
enum class Strides : uint8_t {
  Compact,  // a permutation of the modes, some extents 1, no gaps
  Gapped,   // a compact one times a factor, with gaps: injective
  Wild,     // anything small, zeros included
  Negative, // like Wild, with signs
};

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next(); // splitmix64
  /// 0 <= x < bound.
  int64_t below(int64_t bound) { return int64_t(next() % uint64_t(bound)); }
  bool chance(int percent) { return below(100) < percent; }

  /// A shape with up to `leaves` leaves and at most `size` elements; nested, with extents 1.
  Tree shape(int leaves, int64_t size);
  Tree strides(const Tree &shape, Strides);
  Layout layout(Strides kind, int leaves = 4, int64_t size = 128);
  /// Any of Compact, Gapped and Wild.
  Layout layout() { return layout(Strides(below(3))); }
  /// A layout whose indices often are indices of `a`: sizes and strides taken from its extents.
  Layout walkOf(const Layout &a);
  Swizzle swizzle();
  /// A swizzled layout, its offset often with bits of its own.
  AnyLayout swizzled();
  /// A coordinate of a shape: integers at any level, in range; `_` with the given chance.
  Tree coord(const Tree &shape, int underscorePercent);

  /// Some leaves become inputs of `values` with the same value: i32 or i64, with a divisor of the
  /// value.
  Tree loosened(const Tree &, Interp &values, int percent);
  Layout loosened(const Layout &l, Interp &values, int percent) {
    Tree shape = loosened(l.shape, values, percent);
    return {std::move(shape), loosened(l.stride, values, percent)};
  }

private:
  Tree nested(std::vector<Tree> leaves);

  uint64_t state;
};

/// The same value as a type states it: inputs and results become anonymous leaves with their facts.
Tree asType(const Tree &);
Layout asType(const Layout &);

/// How many cases of a law to run: $TESSERA_CASES of them, else 20,000, or a million if
/// $TESSERA_LONG is set; a `share`-th of them where one case is as long as many. Under the address
/// sanitizer an eighth: what a law says, the other builds test, and a case takes ten times as long.
int cases(int share = 1);
/// The same for numbers at the edges, under a sanitizer too: it is for what is undefined.
int edgeCases(int share = 1);

} // namespace tessera::layout::test
