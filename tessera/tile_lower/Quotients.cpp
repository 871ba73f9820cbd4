// Quotients of many numbers by one, as products in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division of f32 that is rounded as IEEE 754 says takes about twelve instructions and a branch.
// Where a row is divided by its sum, the sum's reciprocal in f64 is one for all of them, and a
// product in f64, rounded to f32, has the same bits as the quotient:
//
// x = X * 2^a and s = S * 2^b, X and S of 24 bits. A number h between two of f32 is H * 2^c, H of
// at most 25 bits. If x / s is not h, it differs from h by at least one part in 2^49 of it, as X *
// 2^i and H * S * 2^j are different integers of at most 49 bits. The product differs from x / s by
// less than 2^-51 of it, two roundings to 53 bits, so it lies on the same side of h. If x / s is h,
// or a number of f32, the reciprocal is off by at most 2^-53 of it, so that the rounded product is
// x / s, or, just below a power of two, rounds to it. Zeros, infinities and NaNs are those of f64.
#include "tessera/tile_lower/Planned.h"

#include "tessera/atom/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
  Type f64 = k.b.getF64Type();
  auto wide = [&](Value number) { return k.make<arith::ExtFOp>(f64, number); };
  Value one = k.make<arith::ConstantOp>(k.b.getF64FloatAttr(1.0));
  Value reciprocal = k.make<arith::DivFOp>(one, wide(by.registers[0]));
  ThreadTile out{.element = element, .count = numbers.count, .layout = *layout};
  for (Value number : numbers.registers)
    out.registers.push_back(k.make<arith::TruncFOp>(
        k.f32, k.make<arith::MulFOp>(wide(number), reciprocal).getResult()));
  k.define(divide.getResult(), std::move(out));
  return success();
}

constexpr PlannedRow rows[] = {
    {"divf", divideByOne},
};

} // namespace

ArrayRef<PlannedRow> plannedQuotientRows() { return rows; }

} // namespace tessera::tile_lower
