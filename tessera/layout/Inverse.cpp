// Inverses of layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::layout {

namespace {
/// A mode with a static stride, and the number of elements that come before one step of it.
struct Mode {
  Int extent;
  int64_t stride;
  Int before;
};

/// The modes with static number strides, smallest stride first.
std::vector<Mode> modesByStride(Arith &arith, const Layout &flat) {
  std::vector<Leaf> shape = flat.shape.leaves(), stride = flat.stride.leaves();
  std::vector<Mode> modes;
  Int before = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (stride[i].value.isStatic() && !stride[i].isBasis())
      modes.push_back({shape[i].value, stride[i].value.value, before});
    before = arith.mul(before, shape[i].value);
  }
  std::stable_sort(modes.begin(), modes.end(),
                   [](const Mode &a, const Mode &b) { return a.stride < b.stride; });
  return modes;
}
} // namespace

Layout rightInverse(Arith &arith, const Layout &l) {
  Trees outShape, outStride;
  Int contiguous = 1; // indices below this are hit
  for (const Mode &mode : modesByStride(arith, coalesce(arith, l))) {
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

Result<Layout> leftInverse(Arith &arith, const Layout &l) {
  if (!l.stride.isStatic())
    return fail(Error::InverseDynamicStride, str(l));
  if (l.stride.hasBasis())
    return fail(Error::StridesNotNumbers, "left_inverse", str(l));
  Layout flat = coalesce(arith, l);
  if (flat.stride.isLeaf() && flat.stride.leaf().is(0))
    return flat;
  std::vector<Mode> modes = modesByStride(arith, flat);
  std::erase_if(modes, [](const Mode &mode) { return mode.stride == 0; });
  if (modes.empty())
    return Layout{Tree(1), Tree(0)};
  // An index lies at or above the stride of its mode and below the next stride: gaps belong to the
  // mode before them.
  Trees outShape, outStride;
  if (modes.front().stride > 1) {
    outShape.emplace_back(modes.front().stride);
    outStride.emplace_back(0);
  }
  for (size_t i = 0; i < modes.size(); ++i) {
    const Int extent = modes[i].extent;
    const int64_t step = modes[i].stride;
    bool last = i + 1 == modes.size();
    if (step <= 0 || (!last && modes[i + 1].stride % step != 0))
      return fail(Error::LeftInverseNotInjective, str(l));
    const Int room = last ? extent : Int(modes[i + 1].stride / step); // steps below the next stride
    if (!last && extent.isStatic() && extent.value > room.value)
      return fail(Error::LeftInverseNotInjective, str(l));
    if (!last && !extent.isStatic())
      arith.assume(Pre::AtMost, extent, room);
    outShape.emplace_back(room);
    outStride.emplace_back(modes[i].before);
  }
  return coalesce(arith, {Tree(std::move(outShape)), Tree(std::move(outStride))});
}

} // namespace tessera::layout
