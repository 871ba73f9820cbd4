// Codomain: the indices of layouts as lists of numbers, for the checks of laws.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/eval/Errors.h"
#include "tessera/eval/Laws.h"
#include "tessera/eval/Points.h"

#include <algorithm>

namespace tessera::eval {

using Values = std::vector<int64_t>;

/// The indices of layouts as numbers that can be compared: coordinates get numbers of their own.
class Codomain {
public:
  /// The values over the whole domain, or a refusal if it is too large to walk.
  Result<Values> of(const layout::AnyLayout &l, std::string_view who) {
    Points points(l);
    const int64_t most = points.plain() ? maxPoints : maxCoordinates;
    if (points.size() > most)
      return fail(Error::DomainTooLarge, who, most, points.size());
    Values out;
    for (int64_t i = 0; i < points.size(); ++i)
      out.push_back(points.plain() ? points.number(i) : idOf(points.at(i)));
    return out;
  }

private:
  int64_t idOf(Point point) {
    return ids.emplace(std::move(point), int64_t(ids.size())).first->second;
  }
  std::map<Point, int64_t> ids;
};

inline Values sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}
/// Whether no value comes twice. Values that lie close together, as most layouts' do, are marked,
/// which takes a tenth of the time of sorting them.
inline bool distinct(const Values &values) {
  if (values.empty())
    return true;
  auto [least, most] = std::ranges::minmax(values);
  const uint64_t range = uint64_t(most) - uint64_t(least);
  if (range / 8 >= values.size()) {
    Values in = sorted(values);
    return std::adjacent_find(in.begin(), in.end()) == in.end();
  }
  std::vector<bool> seen(range + 1);
  for (int64_t value : values) {
    auto mark = seen[uint64_t(value) - uint64_t(least)];
    if (mark)
      return false;
    mark = true;
  }
  return true;
}
/// The part of a layout whose elements must stay distinct: a composed layout without its inner
/// layout, which may map two indices to one.
inline layout::AnyLayout placed(const layout::AnyLayout &l) {
  const layout::Composed *c = l.composed();
  return c && !c->swizzle() ? layout::AnyLayout(l.outer()) : l;
}

} // namespace tessera::eval
