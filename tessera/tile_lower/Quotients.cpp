// Quotients of many numbers by one, as products in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division of f32 that is rounded as IEEE 754 says takes about twelve instructions and a branch.
// Where a row is divided by its sum, the sum's reciprocal in f64 is one for all of them, and a
// product in f64, rounded to f32, has the same bits as the quotient:
//
// x = X * 2^a and s = S * 2^b, X and S of 24 bits. A number h between two of f32 is H * 2^c, H of
// at most 25 bits. If x / s is not h, it differs from h by at least one part in 2^49 of it, as X *
// 2^i and H * S * 2^j are different integers of at most 49 bits: by 8 units in the last place of
// f64. The reciprocal is taken too large, never too small, by less than 2^-52 of it, so before it
// is rounded the product is at least x / s, and at most two units more. If x / s is h, as among the
// least numbers, which have few bits, or a number of f32, the product without its last two bits is
// x / s. If x / s is above h, so is the product without them, as h has zeros there; and if it is
// below, the product is too. Zeros, infinities and NaNs are those of f64.
#include "tessera/tile_lower/Planned.h"

#include "tessera/atom/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// SMs with 32 and 64 results of f64 in a clock; most others have two. CUDA C++ Programming Guide,
/// throughput of native arithmetic instructions.
bool hasFastDoubles(StringRef arch) {
  Result<atom::Target> target = atom::Target::parse(arch.str());
  return target && (target->number() == 80 || target->number() == 90);
}

/// 1 / by, or the next number away from zero, where 1 / by is between two. For zeros, infinities
/// and NaNs the comparison fails.
Value reciprocalAbove(Kernel &k, Value by) {
  Value one = k.real(k.f64, 1.0), nearest = k.make<arith::DivFOp>(one, by);
  Value rest = k.make<math::FmaOp>(k.make<arith::NegFOp>(nearest), by, one);
  Value isBelow = k.compareReal(arith::CmpFPredicate::OGT, rest, k.real(k.f64, 0.0));
  Value code = k.bitsOf(nearest);
  return k.bitcast(k.select(isBelow, k.add(code, 1), code), k.f64);
}

std::optional<LogicalResult> divideByOne(Kernel &k, Operation *op) {
  constexpr int64_t worthIt = 4; // quotients of a thread
  auto divide = cast<DivFOp>(op);
  const BitLayout *layout = k.plan->layoutOf(divide.getResult());
  const ThreadTile by = k.held(divide.getRhs());
  Type element = elementOf(divide.getResult().getType());
  if (!layout || layout->registerCount() < worthIt || !element.isF32() ||
      !(by.isScalar() || by.isUniform) || divide.getFlushToZero() ||
      divide.getRoundingMode() != RoundingMode::NearestEven || !hasFastDoubles(k.arch))
    return std::nullopt;
  const ThreadTile numbers = k.inLayout(divide.getLhs(), *layout);
  if (numbers.isUniform)
    return std::nullopt;
  constexpr int64_t withoutTwoBits = -4;
  auto wide = [&](Value number) { return k.make<arith::ExtFOp>(k.f64, number); };
  Value reciprocal = reciprocalAbove(k, wide(by.registers[0]));
  ThreadTile out{.element = element, .count = numbers.count, .layout = *layout};
  for (Value number : numbers.registers) {
    Value product = k.make<arith::MulFOp>(wide(number), reciprocal);
    product = k.bitcast(k.andi(k.bitsOf(product), withoutTwoBits), k.f64);
    out.registers.push_back(k.make<arith::TruncFOp>(k.f32, product));
  }
  k.define(divide.getResult(), std::move(out));
  return success();
}

constexpr PlannedRow rows[] = {
    {"divf", divideByOne},
};

} // namespace

ArrayRef<PlannedRow> plannedQuotientRows() { return rows; }

} // namespace tessera::tile_lower
