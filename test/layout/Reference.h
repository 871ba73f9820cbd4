// Layouts evaluated from their definition alone: the yardstick of the property tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here calls the algebra. Dynamic leaves are read from an interpreter.
#pragma once

#include "tessera/layout/Domains.h"
#include "tessera/layout/Layout.h"

#include <map>
#include <string>
#include <vector>

namespace tessera::layout::test {

/// An index: a number at the empty path, or one number per path of a basis codomain. No zeros.
using Point = std::map<std::vector<int>, int64_t>;

Point operator+(Point, const Point &);
std::string str(const Point &);

/// What a swizzle does to an index, bit by bit.
int64_t swizzled(const Swizzle &, int64_t index);

class Reference {
public:
  explicit Reference(const Interp &values) : values(values) {}

  int64_t size(const Tree &shape) const;
  int64_t size(const AnyLayout &l) const { return size(l.shape()); }

  /// A tuple as a point: `(0,(2,1))` is 2 at {1,0} and 1 at {1,1}; `3@1` is 3 at {1}; `_` is 0.
  Point point(const Tree &) const;
  /// The index at a coordinate, whose parts may be integers: first mode fastest, the last one
  /// unbounded.
  Point at(const AnyLayout &, const Point &coord) const;
  Point at(const AnyLayout &l, int64_t i) const { return at(l, i ? Point{{{}, i}} : Point()); }
  Point at(const AnyLayout &l, const Tree &coord) const { return at(l, point(coord)); }

  /// The same for layouts and swizzled layouts into plain numbers, at an integer coordinate.
  int64_t number(const AnyLayout &, int64_t i) const;
  /// The numbers at 0, 1, ... size - 1.
  std::vector<int64_t> numbers(const AnyLayout &) const;

  /// Whether every coordinate of shape `a` is one of `b`: CuTe's compatible(a, b).
  bool compatible(const Tree &a, const Tree &b) const;

private:
  Point modes(const Tree &shape, const Tree &stride, const Point &coord) const;
  int64_t number(const Tree &shape, const Tree &stride, int64_t i) const;
  int64_t valueOf(const Leaf &leaf) const { return leaf.any ? 0 : values.valueOf(leaf.value); }

  const Interp &values;
};

} // namespace tessera::layout::test
