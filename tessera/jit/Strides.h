// Strides: where the elements of a tensor lie that a parameter's layout describes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modes are the leaves of the layout in their order, numbered from 0. Strides are in elements.
// `who` begins every sentence.
#pragma once

#include "tessera/layout/Layout.h"
#include "tessera/run/Errors.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::jit {

/// The leaves of a parameter's layout.
struct Modes {
  explicit Modes(const layout::Layout &);
  size_t count() const { return extents.size(); }

  std::vector<layout::Int> extents, steps;
  std::string text; // of the layout
};

/// The modes from the innermost to the outermost in compact memory. The innermost is the first one
/// whose stride is fixed at 1, or the last; the others follow from right to left if it is the last,
/// else from left to right.
std::vector<size_t> memoryOrder(const Modes &);

/// The strides of compact memory; where the type fixes another, that. None beyond int64.
std::optional<std::vector<int64_t>> compactStrides(const Modes &,
                                                   const std::vector<int64_t> &shape);

/// Rank, static extents, divisibility and width of a shape.
run::Status checkShape(const std::string &who, const Modes &, const std::vector<int64_t> &shape);
/// The same of the strides of a tensor whose shape has passed.
run::Status checkStrides(const std::string &who, const Modes &, const std::vector<int64_t> &shape,
                         const std::vector<int64_t> &strides);

/// What a lowered layout holds: the dynamic extents, then the dynamic strides.
std::vector<int64_t> dynamicLeaves(const Modes &, const std::vector<int64_t> &shape,
                                   const std::vector<int64_t> &strides);

} // namespace tessera::jit
