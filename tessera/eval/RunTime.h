// RunTime: leaf arithmetic with dynamic leaves whose values may be given, and a record of what is
// assumed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Domains.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tessera::eval {

/// A precondition that static facts could not decide.
struct Assumption {
  std::string text;
  std::optional<bool> holds; // for the given values; nothing if one is missing
};

/// The domain of `tessera layout`. A leaf `?{4}` has a value, as in the interpreter; a leaf `?` has
/// none, and neither has what is computed from it.
class RunTime final : public layout::Arith {
public:
  /// A dynamic leaf; its name in assumptions is `?1`, `?2` in the order of these calls.
  layout::Int input(std::optional<int64_t> value, layout::Width width, int64_t div);
  std::optional<int64_t> valueOf(layout::Int leaf) const;

  std::span<const Assumption> assumptions() const { return assumed; }
  /// The first assumption that the given values break.
  const Assumption *broken() const;
  /// Whether a static number, or a run-time value in its leaf's width, did not fit.
  bool tooLarge() const { return overflowed() || wrapped; }

  void assume(layout::Pre what, layout::Int a, layout::Int b, layout::Int c) override;
  void assumeSeparate(std::span<const layout::Int> extents,
                      std::span<const layout::Walk> modes) override;

private:
  struct Leaf {
    std::optional<int64_t> value;
    std::string name;
  };
  uint32_t emit(layout::LeafOp op, layout::Int a, layout::Int b, layout::Width width) override;
  uint32_t add(Leaf leaf);
  std::string name(layout::Int leaf) const;
  void note(std::string text, std::optional<bool> holds);
  /// A product of 32 bits stays one, as the IR states it: that it fits is assumed, once for each
  /// product.
  void noteProduct(layout::Int a, layout::Int b, layout::Width width);

  std::vector<Leaf> leaves = {{}};
  std::vector<Assumption> assumed;
  std::set<std::string> products;
  size_t inputs = 0;
  bool wrapped = false;
};

} // namespace tessera::eval
