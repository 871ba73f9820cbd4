// Integer ops: arithmetic, division, shifts, bits, comparison, choice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Promises about overflow are not used: what breaks them is undefined, so a wrapped result is as
// good as any. Elements of 1 bit are integers too: as signed ones they are 0 and -1.
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

using Operands = ArrayRef<Value>;
using Predicate = arith::CmpIPredicate;

template <class Op> Value two(Code &c, Operation *, Operands x) { return c.binary<Op>(x[0], x[1]); }
template <class Op, class Signed, class Unsigned> Value bySign(Code &c, Operation *op, Operands x) {
  bool isSigned = cast<Op>(op).getSignedness() == Signedness::Signed;
  return isSigned ? c.binary<Signed>(x[0], x[1]) : c.binary<Unsigned>(x[0], x[1]);
}

Value negative(Code &c, Operation *, Operands x) {
  return c.sub(c.integer(x[0].getType(), 0), x[0]);
}
Value absolute(Code &c, Operation *op, Operands x) {
  return c.select(c.compare(Predicate::slt, x[0], 0), negative(c, op, x), x[0]);
}
/// The high half of the unsigned product.
Value highProduct(Code &c, Operation *, Operands x) {
  unsigned bits = Code::bitsOf(x[0].getType());
  if (bits >= 32)
    return c.make<arith::MulUIExtendedOp>(x[0], x[1]).getHigh();
  Value product = c.mul(c.resize(x[0], c.i32, false), c.resize(x[1], c.i32, false));
  return c.resize(c.shr(product, int64_t(bits)), x[0].getType(), false);
}

Value quotient(Code &c, Operation *op, Operands x) {
  auto divide = cast<DivIOp>(op);
  bool isSigned = divide.getSignedness() == Signedness::Signed;
  // 1 by 1 bit: a divisor other than zero is all ones.
  Value q = isSigned ? c.binary<arith::DivSIOp>(x[0], x[1]) : c.binary<arith::DivUIOp>(x[0], x[1]);
  if (divide.getRounding() == RoundingMode::Zero)
    return q;
  Value rest = c.sub(x[0], c.mul(q, x[1])), isInexact = c.differ(rest, 0);
  Value isNegative =
      isSigned ? c.compare(Predicate::slt, c.xori(x[0], x[1]), 0) : c.integer(c.i1, 0);
  bool up = divide.getRounding() == RoundingMode::PositiveInf;
  Value moves = c.andi(isInexact, up ? c.negate(isNegative) : isNegative);
  Value one = c.resize(moves, q.getType(), false);
  return up ? c.add(q, one) : c.sub(q, one);
}

Value compareIntegers(Code &c, Operation *op, Operands x) {
  auto compare = cast<CmpIOp>(op);
  bool isSigned = compare.getSignedness() == Signedness::Signed;
  auto predicate = [&] {
    switch (compare.getComparisonPredicate()) {
    case ComparisonPredicate::Equal: return Predicate::eq;
    case ComparisonPredicate::NotEqual: return Predicate::ne;
    case ComparisonPredicate::LessThan: return isSigned ? Predicate::slt : Predicate::ult;
    case ComparisonPredicate::LessThanOrEqual: return isSigned ? Predicate::sle : Predicate::ule;
    case ComparisonPredicate::GreaterThan: return isSigned ? Predicate::sgt : Predicate::ugt;
    case ComparisonPredicate::GreaterThanOrEqual: break;
    }
    return isSigned ? Predicate::sge : Predicate::uge;
  };
  return c.compare(predicate(), x[0], x[1]);
}

Value choice(Code &c, Operation *, Operands x) { return c.select(x[0], x[1], x[2]); }

constexpr Row rows[] = {
    {"addi", two<arith::AddIOp>},
    {"subi", two<arith::SubIOp>},
    {"muli", two<arith::MulIOp>},
    {"negi", negative},
    {"absi", absolute},
    {"mulhii", highProduct},
    {"divi", quotient},
    {"remi", bySign<RemIOp, arith::RemSIOp, arith::RemUIOp>},
    {"andi", two<arith::AndIOp>},
    {"ori", two<arith::OrIOp>},
    {"xori", two<arith::XOrIOp>},
    {"shli", two<arith::ShLIOp>},
    {"shri", bySign<ShRIOp, arith::ShRSIOp, arith::ShRUIOp>},
    {"maxi", bySign<MaxIOp, arith::MaxSIOp, arith::MaxUIOp>},
    {"mini", bySign<MinIOp, arith::MinSIOp, arith::MinUIOp>},
    {"cmpi", compareIntegers},
    {"select", choice},
};

} // namespace

ArrayRef<Row> integerRows() { return rows; }

} // namespace tessera::tile_lower
