// Laws: what an operation promises, checked by walking the whole domain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources: the post-conditions in CUTLASS media/docs/cpp/cute/02_layout_algebra.md, and the `law`
// of each function. Nothing here asks the algebra: see Points.h.
#pragma once

#include "tessera/eval/Evaluate.h"

namespace tessera::eval {

inline constexpr int64_t maxPoints = 1 << 22;      // of a domain whose indices are numbers
inline constexpr int64_t maxCoordinates = 1 << 16; // of a domain whose indices are coordinates

/// Whether something holds, and one sentence that says what was checked or where it fails.
struct Verdict {
  bool holds;
  std::string text;
};

struct Law {
  std::string_view name;
  std::string_view about;     // of what, for people
  std::string_view functions; // names between spaces; empty: any layout
  Result<Verdict> (*check)(std::span<const Value> arguments, const Value &result);
};
std::span<const Law> laws();

/// Checks a law of the outermost call of an expression (or of its result, if the law is of any
/// layout).
Result<Verdict> check(std::string_view law, const Evaluation &);

/// Whether two layouts are the same function: same size, same index at every integer coordinate.
Result<Verdict> equal(const Evaluation &a, const Evaluation &b);

/// What can be said of a layout as a function; nothing where it is too large to walk.
struct Properties {
  std::optional<bool> injective;
  std::optional<bool> compact; // injective, and onto 0, ..., size - 1
  std::string_view order;      // "row-major", "column-major" or ""
};
Properties propertiesOf(const layout::AnyLayout &resolved);

} // namespace tessera::eval
