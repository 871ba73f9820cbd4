// Points: a layout as the function that it is, evaluated from the definition alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here calls the algebra, so that the checks of `tessera layout` do not rely on what they
// check.
#pragma once

#include "tessera/layout/Layout.h"

#include <map>
#include <string>
#include <vector>

namespace tessera::eval {

/// An index: a number at the empty path, or one number per path of a basis codomain. No zeros.
using Point = std::map<std::vector<int>, int64_t>;
/// `5`, or `(2,0)` as sums of bases: `2@0`.
std::string str(const Point &);
/// A tuple as a point: `(0,(2,1))` is 2 at {1,0} and 1 at {1,1}.
Point pointOf(const layout::Tree &);
Point sum(Point, const Point &);

/// A static layout, swizzled or not. Numbers wrap at 64 bits.
class Points {
public:
  explicit Points(layout::AnyLayout);

  /// Of the domain; the largest int64 if it does not fit.
  int64_t size() const { return points; }
  /// Whether indices are numbers.
  bool plain() const { return isPlain; }
  /// The index of an integer coordinate, where indices are numbers. Beyond the domain the last mode
  /// goes on.
  int64_t number(int64_t coordinate) const;
  Point at(int64_t coordinate) const;

private:
  /// The modes of a plain layout, first one fastest.
  struct Mode {
    int64_t extent;
    uint64_t stride;
  };
  static std::vector<Mode> modesOf(const layout::Layout &);
  static uint64_t sum(const std::vector<Mode> &, int64_t coordinate);

  layout::AnyLayout layout;
  bool isPlain;
  int64_t points;
  std::vector<Mode> outer, inner; // of a plain layout
};

/// The product of static extents; the largest int64 if it does not fit.
int64_t sizeOf(const layout::Tree &shape);

} // namespace tessera::eval
