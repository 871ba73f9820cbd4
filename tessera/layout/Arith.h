// Arith: the one place where leaves are added, multiplied and divided, for all four domains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every algorithm of this room takes an `Arith &`. The non-virtual functions fold static operands, apply
// identities and propagate facts; only then they ask the domain to `emit`. An algorithm may branch on
// static facts only, never on the value behind an id. Then all domains take the same branches, and the
// type that inference prints is the type of the value that lowering builds.
#pragma once

#include "tessera/layout/Int.h"

#include <span>

namespace tessera::layout {

/// Div truncates and expects a non-negative dividend, as coordinates and extents are; CeilDiv rounds up.
/// ShiftRight is logical. Less and Equal answer with an I1 leaf.
enum class LeafOp : uint8_t {
  Add, Sub, Mul, Div, CeilDiv, Mod, Min, Max, And, Or, Xor, ShiftRight, Less, Equal
};

/// A precondition that static facts cannot decide. See Arith::assume.
enum class Pre : uint8_t {
  Divides,          // b divides a
  DividesOrSmaller, // b divides a, or a < b
  NonZero,          // a != 0
  AtMost,           // a <= b
  StepFits,         // a % b == 0, or b % a == 0, or (c - 1) * b < a: c steps of b in a mode of a elements
};

/// One mode of a right layout that is walked through a left one: `extent` steps of `step`.
struct Walk {
  Int extent, step;
};

class Arith {
public:
  virtual ~Arith() = default;

  Int add(Int a, Int b);
  Int sub(Int a, Int b);
  Int mul(Int a, Int b);
  Int div(Int a, Int b);     // b != 0
  Int ceilDiv(Int a, Int b); // b != 0
  Int mod(Int a, Int b);     // b != 0
  Int min(Int a, Int b);
  Int max(Int a, Int b);
  Int bitAnd(Int a, Int b);
  Int bitOr(Int a, Int b);
  Int bitXor(Int a, Int b);
  Int shiftRight(Int a, int amount);
  Int less(Int a, Int b);
  Int equal(Int a, Int b);

  /// `a`, known to lie in [0, extent): same value, tighter mask. Emits nothing.
  static Int inRange(Int a, Int extent);

  /// Whether a static result did not fit 64 bits since this object was made; it was wrapped then, and what was
  /// built with it is void.
  bool overflowed() const { return overflow; }

  /// The bits that a sum of two values may have, given those of each.
  static uint64_t sumBits(uint64_t a, uint64_t b);

  /// Called where correctness needs a fact about dynamic leaves: the types domain records it, the
  /// interpreter checks it, lowering may turn it into a run-time assertion.
  virtual void assume(Pre what, Int a, Int b = 0, Int c = 0) {
    (void)what, (void)a, (void)b, (void)c;
  }
  /// Called where static facts cannot decide `separate(extents, modes)`, see Domains.h.
  virtual void assumeSeparate(std::span<const Int> extents, std::span<const Walk> modes) {
    (void)extents, (void)modes;
  }

protected:
  /// Computes `op` on two leaves of which at least one is dynamic and returns the handle of the result,
  /// whose width is `width`.
  virtual uint32_t emit(LeafOp op, Int a, Int b, Width width) = 0;

private:
  Int computed(LeafOp op, Int a, Int b);
  Int make(LeafOp op, Int a, Int b, int64_t div, uint64_t mask = ~uint64_t(0), uint64_t ones = 0);
  Int bitwise(LeafOp op, Int a, Int b, uint64_t mask, uint64_t ones);

  bool overflow = false;
};

} // namespace tessera::layout
