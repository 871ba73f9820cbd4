// Compact strides, and what a layout type asks of a shape and strides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Modes.h"

#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::run {

using layout::Int;
using Numbers = std::vector<int64_t>;
using Given = std::span<const int64_t>;

namespace {

bool isNarrow(const Int &leaf) { return !leaf.isStatic() && leaf.width == layout::Width::I32; }

/// `value` or the next number that the leaf takes; `value` itself beyond int64.
int64_t fitting(const Int &leaf, int64_t value) {
  if (leaf.isStatic())
    return leaf.value;
  int64_t rest = value % leaf.div, up;
  return rest && !__builtin_add_overflow(value, leaf.div - rest, &up) ? up : value;
}

std::string joined(const Numbers &numbers, char separator) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i)
    text += i ? cat(separator, numbers[i]) : cat(numbers[i]);
  return text;
}

/// A shape near the given one that the type takes: 128x64.
std::string fittingShape(const Modes &modes, Given shape) {
  Numbers near;
  for (size_t i = 0; i < modes.count(); ++i)
    near.push_back(fitting(modes.extents[i], i < shape.size() ? shape[i] : 1));
  return joined(near, 'x');
}

/// Strides from the innermost mode outwards, each `choose(leaf, elements of the modes within)`.
template <class F>
std::optional<Numbers> stridesOutwards(const Modes &modes, Given shape, F choose) {
  Numbers strides(modes.count());
  int64_t reach = 1;
  for (size_t mode : memoryOrder(modes)) {
    strides[mode] = choose(modes.steps[mode], reach);
    // An empty tensor has the strides of one that has an element.
    if (__builtin_mul_overflow(strides[mode], std::max<int64_t>(shape[mode], 1), &reach))
      return std::nullopt;
  }
  return strides;
}

/// Strides that the type takes, padded where it does not take compact ones: 104,1.
std::string fittingStrides(const Modes &modes, Given shape) {
  std::optional<Numbers> strides = stridesOutwards(modes, shape, fitting);
  return strides ? joined(*strides, ',') : "none";
}

} // namespace

Modes::Modes(const layout::Layout &l) : text(layout::str(l)) {
  l.shape.forEachLeaf([&](const layout::Leaf &leaf) { extents.push_back(leaf.value); });
  l.stride.forEachLeaf([&](const layout::Leaf &leaf) { steps.push_back(leaf.value); });
}

std::vector<size_t> memoryOrder(const Modes &modes) {
  if (modes.count() == 0)
    return {};
  auto isOne = [](const Int &step) { return step.is(1); };
  auto one = std::find_if(modes.steps.begin(), modes.steps.end(), isOne);
  size_t last = modes.count() - 1;
  size_t innermost = one == modes.steps.end() ? last : size_t(one - modes.steps.begin());
  std::vector<size_t> order;
  for (size_t i = 0; i <= last; ++i)
    if (i != innermost)
      order.push_back(i);
  if (innermost == last)
    std::reverse(order.begin(), order.end());
  order.insert(order.begin(), innermost);
  return order;
}

std::optional<Numbers> compactStrides(const Modes &modes, Given shape) {
  return stridesOutwards(modes, shape, [](const Int &step, int64_t reach) {
    return step.isStatic() ? step.value : reach;
  });
}

Status checkShape(const Whose &whose, const Modes &modes, Given shape) {
  auto given = [&] { return tuple(shape); };
  auto fits = [&] { return fittingShape(modes, shape); };
  if (shape.size() != modes.count())
    return fail(Error::BindRank, whose.who(), modes.count(), modes.text, given(), fits());
  for (size_t i = 0; i < modes.count(); ++i) {
    const Int &leaf = modes.extents[i];
    if (leaf.isStatic() && leaf.value != shape[i])
      return fail(Error::BindExtent, whose.who(), leaf.value, i, given(), fits());
    if (!leaf.isStatic() && shape[i] % leaf.div)
      return fail(Error::BindExtentDivisor, whose.who(), leaf.div, i, given(), fits());
    if (isNarrow(leaf) && !layout::fitsI32(shape[i]))
      return fail(Error::BindExtentWidth, whose.who(), i, given());
  }
  return Done{};
}

Status checkStrides(const Whose &whose, const Modes &modes, Given shape, Given strides) {
  if (strides.size() != modes.count())
    return fail(Error::BindStrideRank, whose.who(), modes.count(), modes.text, tuple(strides));
  auto given = [&] { return tuple(strides); };
  auto advice = [&] { return whose.strideAdvice(fittingStrides(modes, shape)); };
  for (size_t i = 0; i < modes.count(); ++i) {
    const Int &leaf = modes.steps[i];
    if (leaf.isStatic() && leaf.value != strides[i])
      return fail(Error::BindStride, whose.who(), leaf.value, i, given(), advice());
    if (!leaf.isStatic() && strides[i] % leaf.div)
      return fail(Error::BindStrideDivisor, whose.who(), leaf.div, i, given(), advice());
    if (isNarrow(leaf) && !layout::fitsI32(strides[i]))
      return fail(Error::BindStrideWidth, whose.who(), i, given());
  }
  return Done{};
}

} // namespace tessera::run
