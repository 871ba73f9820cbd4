// Modes: the places of a tensor's elements in memory, by the layout of its parameter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modes are the leaves of the layout in their order, numbered from 0. Strides are in elements.
#pragma once

#include "tessera/layout/Layout.h"
#include "tessera/run/Errors.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::run {

/// The leaves of a parameter's layout.
struct Modes {
  Modes() = default;
  explicit Modes(const layout::Layout &);
  size_t count() const { return extents.size(); }

  std::vector<layout::Int> extents, steps;
  std::string text; // of the layout
};

/// The modes from innermost to outermost in compact memory. The innermost is the first one with a
/// stride fixed at 1, or else the last. If it is the last, the others follow from right to left,
/// else from left to right.
std::vector<size_t> memoryOrder(const Modes &);

/// The strides of compact memory; a stride fixed by the type keeps its number. None beyond int64.
std::optional<std::vector<int64_t>> compactStrides(const Modes &, std::span<const int64_t> shape);

/// The beginning of messages, and the advice about strides for their reader. Texts are made only
/// when they are needed, since every call of a kernel checks its tensors.
class Whose {
public:
  virtual ~Whose() = default;
  virtual std::string who() const = 0;
  /// Advice on what to do, given strides that fit: "104,1".
  virtual std::string strideAdvice(const std::string &fits) const = 0;
};

/// Checks rank, static extents, divisibility and width of a shape.
Status checkShape(const Whose &, const Modes &, std::span<const int64_t> shape);
/// Checks the strides of a tensor whose shape was accepted.
Status checkStrides(const Whose &, const Modes &, std::span<const int64_t> shape,
                    std::span<const int64_t> strides);

/// Calls `f(number)` for each number of a lowered layout: the dynamic extents, then the dynamic
/// strides.
template <class F>
void eachDynamicLeaf(const Modes &modes, std::span<const int64_t> shape,
                     std::span<const int64_t> strides, F &&f) {
  for (size_t i = 0; i < modes.count(); ++i)
    if (!modes.extents[i].isStatic())
      f(shape[i]);
  for (size_t i = 0; i < modes.count(); ++i)
    if (!modes.steps[i].isStatic())
      f(strides[i]);
}

} // namespace tessera::run
