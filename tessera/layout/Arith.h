// Arith: the only place where leaves are added, multiplied and divided, for all domains.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every algorithm of this room takes an `Arith &`. The non-virtual functions fold static operands,
// apply identities and propagate facts; only then do they ask the domain to `emit`. An algorithm
// may branch on static facts only, never on the value that an id stands for. Then all domains take
// the same branches, and the type that inference prints is the type of the value that lowering
// builds.
#pragma once

#include "tessera/layout/Int.h"
#include "tessera/layout/LeafOp.h"

#include <span>

namespace tessera::layout {

/// A precondition that static facts cannot decide. See Arith::assume.
enum class Pre : uint8_t {
  Divides,          // b divides a
  DividesOrSmaller, // b divides a, or a < b
  NonZero,          // a != 0
  AtMost,           // a <= b
  StepFits, // a % b == 0, or b % a == 0, or (c - 1) * b < a: c steps of b in a mode of a elements
};

/// One mode of a right layout that is walked through a left one: `extent` steps of `step`.
struct Walk {
  Int extent, step;
};

class Arith {
public:
  virtual ~Arith() = default;

  Int add(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::Add, a, b) : addOpen(a, b);
  }
  Int sub(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::Sub, a, b) : subOpen(a, b);
  }
  Int mul(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::Mul, a, b) : mulOpen(a, b);
  }
  /// The divisor of these four is not 0; the dividend is not negative, except for signedDiv.
  Int div(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::Div, a, b) : divOpen(LeafOp::Div, a, b);
  }
  Int signedDiv(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::SignedDiv, a, b) : divOpen(LeafOp::SignedDiv, a, b);
  }
  Int ceilDiv(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::CeilDiv, a, b) : ceilDivOpen(a, b);
  }
  Int mod(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::Mod, a, b) : modOpen(a, b);
  }
  Int min(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::Min, a, b) : minOpen(a, b);
  }
  Int max(const Int &a, const Int &b) {
    return folds(a, b) ? fold(LeafOp::Max, a, b) : maxOpen(a, b);
  }
  Int bitAnd(const Int &a, const Int &b);
  Int bitOr(const Int &a, const Int &b);
  Int bitXor(const Int &a, const Int &b);
  Int shiftRight(Int a, int amount);
  Int less(const Int &a, const Int &b);
  Int equal(const Int &a, const Int &b);

  /// `a`, known to lie in [0, extent): same value, tighter mask. Emits nothing.
  static Int inRange(Int a, Int extent);

  /// Whether a static result has overflowed 64 bits since this object was made, or a sum was not
  /// whole. It was wrapped then, and results that use it are invalid.
  bool overflowed() const { return overflow; }
  /// A result that cannot be said: `overflowed` from now on.
  Int invalid() {
    overflow = true;
    return 0;
  }

  /// The bits that a sum of two values may have, given those of each.
  static uint64_t sumBits(uint64_t a, uint64_t b);

  /// Called if correctness depends on a fact about dynamic leaves: the types domain records it, the
  /// interpreter checks it, lowering may turn it into a run-time assertion.
  virtual void assume(Pre what, Int a, Int b = 0, Int c = 0) {
    (void)what, (void)a, (void)b, (void)c;
  }
  /// Called where static facts cannot decide `separate(extents, modes)`, see Domains.h.
  virtual void assumeSeparate(std::span<const Int> extents, std::span<const Walk> modes) {
    (void)extents, (void)modes;
  }

protected:
  /// Computes `op` on two leaves of which at least one is dynamic. Returns the handle of the
  /// result, whose width is `width`.
  virtual uint32_t emit(LeafOp op, Int a, Int b, Width width) = 0;

private:
  static bool folds(const Int &a, const Int &b) {
    return a.isStatic() && b.isStatic() && !isRatio(a, b);
  }
  static bool isRatio(const Int &a, const Int &b) { return a.isRatio() || b.isRatio(); }
  Int fold(LeafOp op, const Int &a, const Int &b) {
    Applied result = applyChecked(op, a.value, b.value);
    if (result.overflow) [[unlikely]] // else nothing is written
      overflow = true;
    return result.value;
  }
  // The same operations where an operand is dynamic or a ratio.
  Int addOpen(const Int &a, const Int &b);
  Int subOpen(const Int &a, const Int &b);
  Int mulOpen(const Int &a, const Int &b);
  Int divOpen(LeafOp op, const Int &a, const Int &b);
  Int ceilDivOpen(const Int &a, const Int &b);
  Int modOpen(const Int &a, const Int &b);
  Int minOpen(const Int &a, const Int &b);
  Int maxOpen(const Int &a, const Int &b);
  Int ofRatios(LeafOp op, const Int &a, const Int &b);
  Int make(LeafOp op, Int a, Int b, int64_t div, uint64_t mask = ~uint64_t(0), uint64_t ones = 0);
  Int bitwise(LeafOp op, Int a, Int b, uint64_t mask, uint64_t ones);

  bool overflow = false;
};

} // namespace tessera::layout
