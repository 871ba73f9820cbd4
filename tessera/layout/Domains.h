// The domains of leaf arithmetic that need no compiler: types, constants and run-time values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fourth domain, which builds SSA values, lives in `cute/Emit`.
#pragma once

#include "tessera/layout/Arith.h"

#include <cassert>
#include <vector>

namespace tessera::layout {

/// Types: a dynamic result is anonymous. Used by type inference and verifiers.
class Symbolic final : public Arith {
public:
  static constexpr uint32_t anonymous = 1;

private:
  uint32_t emit(LeafOp, Int, Int, Width) override { return anonymous; }
};

/// Constants: no leaf is dynamic. Used for folding, atom rows and `tessera layout`.
class Const final : public Arith {
  uint32_t emit(LeafOp, Int, Int, Width) override {
    assert(false && "a constant computation met a dynamic leaf");
    return Symbolic::anonymous;
  }
};

/// Values: an id is the index of a computed number. Used by property tests and run-time checks.
class Interp final : public Arith {
public:
  /// A dynamic leaf with a known value, which must be a multiple of `div`.
  Int input(int64_t value, Width width = Width::I32, int64_t div = 1) {
    values.push_back(value);
    return Int::dynamic(uint32_t(values.size() - 1), width, div);
  }
  int64_t valueOf(Int leaf) const { return leaf.isStatic() ? leaf.value : values[leaf.id]; }

  /// Whether a precondition failed on the way, or a number did not fit the width of its leaf.
  bool violated() const { return failed || overflowed(); }

  void assume(Pre what, Int a, Int b, Int c) override;
  void assumeSeparate(std::span<const Int> extents, std::span<const Walk> modes) override;

private:
  uint32_t emit(LeafOp op, Int a, Int b, Width) override;

  std::vector<int64_t> values = {0};
  bool failed = false;
};

/// Whether the indices of `modes` (all static) add up without a carry between modes of these
/// extents, of which the last is unbounded. Then A(x + y) = A(x) + A(y) for a layout A with this
/// shape. Each mode alone must divide the extents that it crosses.
bool separate(std::span<const Int> extents, std::span<const Walk> modes);

} // namespace tessera::layout
