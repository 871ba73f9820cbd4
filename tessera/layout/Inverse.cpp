// Inverses of layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/Zip.h"

#include <algorithm>

namespace tessera::layout {

namespace {
/// A mode with a static stride, and the number of elements that come before one step of it.
struct Mode {
  Int extent;
  int64_t stride;
  Path path; // of a basis; empty for numbers
  Int before;
  bool isLast; // of the layout, so that it goes on beyond its extent
};

/// The modes with static strides that step somewhere, smallest stride first.
std::vector<Mode> modesByStride(Arith &arith, const Layout &flat) {
  std::vector<Leaf> shape = flat.shape.leaves(), stride = flat.stride.leaves();
  std::vector<Mode> modes;
  Int before = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (stride[i].value.isStatic() && !stride[i].value.is(0))
      modes.push_back(
          {shape[i].value, stride[i].value.value, stride[i].basis, before, i + 1 == shape.size()});
    before = arith.mul(before, shape[i].value);
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode &a, const Mode &b) { return a.stride < b.stride; });
  return modes;
}

/// An inverse for each path of the codomain, in its profile: bases step through coordinates, whose
/// modes are inverted one by one. A mode of the codomain that is not stepped through is 1:0.
template <class Invert>
Result<Layout> byPath(const std::vector<Mode> &modes, size_t depth, Invert &&invert) {
  if (modes.empty())
    return Layout{Tree(1), Tree(0)};
  if (modes.front().path.size() == depth) // no path ends where another one goes on
    return invert(modes);
  size_t rank = 0;
  for (const Mode &mode : modes)
    rank = std::max(rank, size_t(mode.path[depth]) + 1);
  std::vector<Layout> parts;
  for (size_t i = 0; i < rank; ++i) {
    std::vector<Mode> there;
    std::copy_if(modes.begin(), modes.end(), std::back_inserter(there),
                 [&](const Mode &mode) { return size_t(mode.path[depth]) == i; });
    TESSERA_TRY(Layout part, byPath(there, depth + 1, invert));
    parts.push_back(std::move(part));
  }
  return sideBySide(parts);
}

Layout rightInverseOf(Arith &arith, const std::vector<Mode> &modes) {
  Trees outShape, outStride;
  Int contiguous = 1; // indices below this are hit
  for (const Mode &mode : modes) {
    if (!contiguous.is(mode.stride))
      continue;
    outShape.emplace_back(mode.extent);
    outStride.emplace_back(mode.before);
    contiguous = arith.mul(mode.extent, mode.stride);
  }
  if (outShape.empty())
    return {Tree(1), Tree(0)};
  return coalesce(arith, {Tree(std::move(outShape)), Tree(std::move(outStride))});
}

/// `l` is what a refusal shows.
Result<Layout> leftInverseOf(Arith &arith, const std::vector<Mode> &modes, const Layout &l,
                             Overlap overlap) {
  // An index lies at or above the stride of its mode and below the next stride: gaps belong to the
  // mode before them.
  Trees outShape, outStride;
  if (modes.front().stride > 1) {
    outShape.emplace_back(modes.front().stride);
    outStride.emplace_back(0);
  }
  __int128 carry = 0; // what the modes before may add to the steps of this one
  for (size_t i = 0; i < modes.size(); ++i) {
    const Mode &mode = modes[i];
    bool last = i + 1 == modes.size();
    if (mode.stride <= 0 || (!last && modes[i + 1].stride % mode.stride != 0))
      return fail(Error::LeftInverseNotInjective, str(l));
    // Steps below the next stride.
    const Int room = last ? mode.extent : Int(modes[i + 1].stride / mode.stride);
    if (!mode.extent.isStatic()) {
      if (carry > 0)
        return fail(Error::LeftInverseNotInjective, str(l));
      if (!last)
        arith.assume(Pre::AtMost, mode.extent, room);
    } else if (last) {
      if (carry > 0 && !mode.isLast)
        return fail(Error::LeftInverseNotInjective, str(l));
    } else {
      const __int128 most = __int128(mode.extent.value) - 1 + carry;
      if ((overlap == Overlap::Refused && mode.extent.value > room.value) ||
          std::min(most, __int128(room.value) - 1) >= mode.extent.value) // a step beyond the mode
        return fail(Error::LeftInverseNotInjective, str(l));
      carry = most / room.value;
    }
    outShape.emplace_back(room);
    outStride.emplace_back(mode.before);
  }
  return coalesce(arith, {Tree(std::move(outShape)), Tree(std::move(outStride))});
}
} // namespace

Layout rightInverse(Arith &arith, const Layout &l) {
  return *byPath(modesByStride(arith, coalesce(arith, l)), 0, [&](const std::vector<Mode> &modes) {
    return Result(rightInverseOf(arith, modes));
  });
}

Result<Layout> leftInverse(Arith &arith, const Layout &l, Overlap overlap) {
  if (!l.stride.isStatic())
    return fail(Error::InverseDynamicStride, str(l));
  Layout flat = coalesce(arith, l);
  if (flat.stride.isLeaf() && flat.stride.leaf().is(0)) // one mode of stride 0 is its own inverse
    return flat;
  std::vector<Mode> all = modesByStride(arith, flat);
  // A mode of extent 1 at the end goes on, not the one before it.
  const std::vector<Leaf> extents = l.shape.leaves();
  for (Mode &mode : all)
    mode.isLast &= !extents.back().is(1);
  return byPath(all, 0, [&](const std::vector<Mode> &modes) {
    return leftInverseOf(arith, modes, l, overlap);
  });
}

} // namespace tessera::layout
