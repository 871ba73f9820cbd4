// Coordinates of a shape, one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Iterators.h"

#include "tessera/cute_cxx/Node.h"

#include <algorithm>
#include <numeric>

using namespace tessera;

namespace tessera::cute {

/// The numbers of a tuple, depth first; a mistake and none if C++ does not know them all.
static std::vector<int64_t> numbersOf(const IntTuple &t, Place at) {
  std::vector<int64_t> numbers;
  if (t.is_poisoned())
    return numbers;
  if (!t.is_static())
    mistake("make_coord_iterator",
            cat("expects tuples that C++ knows while it traces, but got ", t.str()), at);
  else
    for_each_leaf(t, [&](const IntTuple &leaf) { numbers.push_back(int64_t(leaf)); });
  return numbers;
}

ForwardCoordIterator::ForwardCoordIterator(const IntTuple &from, const IntTuple &shape,
                                           const IntTuple &places, Place at)
    : coord(from), profile(shape) {
  bool fits = congruent(from, shape, at) && (!places.is_set() || congruent(places, shape, at));
  if (!fits && !from.is_poisoned() && !shape.is_poisoned()) {
    mistake("make_coord_iterator",
            cat("expects a coordinate and an order of the nesting of ", shape.str(), ", but got ",
                from.str(), places.is_set() ? " and " + places.str() : ""),
            at);
  }
  leaves = fits ? numbersOf(from, at) : leaves, extents = fits ? numbersOf(shape, at) : extents;
  std::vector<int64_t> place = fits && places.is_set() ? numbersOf(places, at) : extents;
  if (leaves.empty() || leaves.size() != extents.size() || place.size() != extents.size()) {
    leaves = extents = {1}, order = {0}; // at the end
    return;
  }
  order.resize(leaves.size());
  std::iota(order.begin(), order.end(), size_t(0));
  if (places.is_set())
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return place[a] < place[b]; });
}
bool ForwardCoordIterator::operator==(ForwardCoordIteratorSentinel) const {
  return leaves[order.back()] == extents[order.back()];
}
/// The leaf that grows last does not begin again: it says where the end is.
ForwardCoordIterator &ForwardCoordIterator::operator++() {
  if (*this == ForwardCoordIteratorSentinel())
    return *this;
  for (size_t i : order) {
    if (++leaves[i] < extents[i] || i == order.back())
      break;
    leaves[i] = 0;
  }
  auto next = leaves.begin();
  coord = transform_leaf(profile, [&](const IntTuple &) { return IntTuple(*next++); });
  return *this;
}

} // namespace tessera::cute
