// Quotients of many numbers by one, as products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division of f32 that is rounded as IEEE 754 says takes about twelve instructions and a branch.
// Where a row is divided by its sum, the sum's reciprocal is one for all of them.
//
// Of plain numbers x and s, with r = 1 / s rounded, three instructions have the bits of x / s:
//
//   q = x * r,  e = q * s - x,  x / s = q - e * r
//
// (P. Markstein, IBM J. Res. Dev. 34, 1990; N. Brisebarre, J.-M. Muller, S. K. Raina, IEEE Trans.
// Comput. 53, 2004, prove it for every s, if nothing over- or underflows.) The error e is exact if
// its last bit, 2^-47 of x at least, is a number of f32, so x is 2^-100 or more. Zeros keep their
// sign if s is positive: e is +0, and q - (+0) * r is q. Each thread looks whether all of its
// numbers are plain, and otherwise divides, or, where f64 is fast, does this:
//
// A product with the reciprocal in f64, rounded to f32, has the same bits as the quotient:
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

using Numbers = SmallVector<Value>;

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

Numbers quotients(Kernel &k, const Numbers &numbers, Value by) {
  Numbers out;
  if (!hasFastDoubles(k.arch)) {
    for (Value number : numbers)
      out.push_back(k.make<arith::DivFOp>(number, by));
    return out;
  }
  constexpr int64_t withoutTwoBits = -4;
  auto wide = [&](Value number) { return k.make<arith::ExtFOp>(k.f64, number); };
  Value reciprocal = reciprocalAbove(k, wide(by));
  for (Value number : numbers) {
    Value product = k.make<arith::MulFOp>(wide(number), reciprocal);
    product = k.bitcast(k.andi(k.bitsOf(product), withoutTwoBits), k.f64);
    out.push_back(k.make<arith::TruncFOp>(k.f32, product));
  }
  return out;
}

/// Whether numbers are those whose sum `by` is, and none of them is negative: powers, or NaN. Then
/// each is at most the sum, and the sum of a NaN is one.
bool arePartsOf(Value numbers, Value by) {
  while (by.getDefiningOp() && isa<BroadcastOp, ReshapeOp>(by.getDefiningOp()))
    by = by.getDefiningOp()->getOperand(0);
  auto sum = by.getDefiningOp<ReduceOp>();
  if (!sum || sum->getNumOperands() != 1 || sum->getOperand(0) != numbers ||
      countOf(sum->getResult(0).getType()) != 1 ||
      !isa_and_nonnull<ExpOp, Exp2Op>(numbers.getDefiningOp()))
    return false;
  Block &body = sum.getBody().front();
  return body.getOperations().size() == 2 && isa<AddFOp>(body.front()) &&
         llvm::all_of(body.front().getOperands(), llvm::IsaPred<BlockArgument>);
}

/// Whether the quotients by three instructions are right: `by` is positive and far from the ends of
/// f32, and so are all numbers and quotients; parts of `by` may also be zero. This takes two
/// instructions for each number, for parts one: the least of the sums of their codes and a constant
/// (VIADDMNMX), which makes the largest codes the least ones.
Value arePlain(Kernel &k, const Numbers &numbers, Value by, bool areParts) {
  auto is = [&](Value x, arith::CmpFPredicate predicate, Value y) {
    return k.compareReal(predicate, x, y);
  };
  auto number = [&](double value) { return k.real(k.f32, value); };
  auto code = [&](Value x) { return areParts ? k.bitsOf(x) : k.shl(k.bitsOf(x), 1); };
  using enum arith::CmpFPredicate;
  Value least = number(0x1p-100), most = number(0x1p100);
  Value isPlain = k.andi(is(by, OGE, least), is(by, OLE, most));
  Value leastHere = k.make<arith::MaxNumFOp>(least, k.make<arith::MulFOp>(by, number(0x1p-124)));
  Value mostHere = k.make<arith::MinNumFOp>(most, k.make<arith::MulFOp>(by, number(0x1p124)));
  // The first code that is too large, or for parts that of 0, is the least of all from here on.
  Value first = areParts ? k.int32(1) : k.add(code(mostHere), 1);
  Value lowest;
  for (Value x : numbers) {
    Value low = k.sub(code(x), first);
    lowest = lowest ? k.make<arith::MinUIOp>(lowest, low).getResult() : low;
  }
  return k.andi(isPlain,
                k.compare(arith::CmpIPredicate::uge, lowest, k.sub(code(leastHere), first)));
}

Numbers plainQuotients(Kernel &k, const Numbers &numbers, Value by) {
  Numbers out;
  Value reciprocal = k.make<arith::DivFOp>(k.real(k.f32, 1.0), by);
  for (Value x : numbers) {
    Value q = k.make<arith::MulFOp>(x, reciprocal);
    Value error = k.make<math::FmaOp>(q, by, k.make<arith::NegFOp>(x));
    out.push_back(k.make<math::FmaOp>(k.make<arith::NegFOp>(error), reciprocal, q));
  }
  return out;
}

std::optional<LogicalResult> divideByOne(Kernel &k, Operation *op) {
  constexpr int64_t worthIt = 4; // quotients of a thread
  auto divide = cast<DivFOp>(op);
  const BitLayout *layout = k.plan->layoutOf(divide.getResult());
  const ThreadTile by = k.held(divide.getRhs());
  Type element = elementOf(divide.getResult().getType());
  if (!layout || layout->registerCount() < worthIt || !element.isF32() ||
      !(by.isScalar() || by.isUniform) || divide.getFlushToZero() ||
      divide.getRoundingMode() != RoundingMode::NearestEven)
    return std::nullopt;
  const ThreadTile numbers = k.inLayout(divide.getLhs(), *layout);
  if (numbers.isUniform)
    return std::nullopt;
  ThreadTile out{.element = element, .count = numbers.count, .layout = *layout};
  Value divisor = by.registers[0];
  const bool areParts = arePartsOf(divide.getLhs(), divide.getRhs());
  Block *plain = k.newBlock(), *others = k.newBlock();
  Block *done = k.newBlock(SmallVector<Type>(numbers.registers.size(), element));
  k.branchIf(arePlain(k, numbers.registers, divisor, areParts), plain, others);
  k.goTo(plain);
  k.branch(done, plainQuotients(k, numbers.registers, divisor));
  k.goTo(others);
  k.branch(done, quotients(k, numbers.registers, divisor));
  k.goTo(done);
  llvm::append_range(out.registers, done->getArguments());
  k.define(divide.getResult(), std::move(out));
  return success();
}

constexpr PlannedRow rows[] = {
    {"divf", divideByOne},
};

} // namespace

ArrayRef<PlannedRow> plannedQuotientRows() { return rows; }

} // namespace tessera::tile_lower
