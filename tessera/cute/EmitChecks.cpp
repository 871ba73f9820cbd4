// Emit, checked: what the algebra assumes of run-time values, and overflow, as assertions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Emit.h"
#include "tessera/cute/Narrowed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::Int;
using layout::LeafOp;
using layout::Pre;

namespace {
/// A number, or ? for a run-time value.
std::string shown(Int x) { return x.isStatic() ? std::to_string(x.value) : "?"; }

/// Arithmetic on i64 values, in which products of an extent and a stride of 32 bits fit.
class Wide {
public:
  explicit Wide(Emit &emit) : b(emit.builder), loc(emit.loc), emit(emit) {}

  Value of(Int x) { return emit.value(x, b.getI64Type()); }
  Value number(int64_t x) { return emit.constant(x, b.getI64Type()); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value rem(Value x, Value y) { return arith::RemSIOp::create(b, loc, x, y); }
  Value select(Value flag, Value x, Value y) { return arith::SelectOp::create(b, loc, flag, x, y); }
  Value compare(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, how, x, y);
  }
  Value less(Value x, Value y) { return compare(arith::CmpIPredicate::slt, x, y); }
  Value isZero(Value x) { return compare(arith::CmpIPredicate::eq, x, number(0)); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value negated(Value flag) {
    return arith::XOrIOp::create(b, loc, flag, emit.constant(1, b.getI1Type()));
  }
  /// b divides a; 0 divides nothing. The remainder is taken of a divisor that is not 0.
  Value divides(Value a, Value divisor) {
    Value zero = isZero(divisor);
    return both(negated(zero), isZero(rem(a, select(zero, number(1), divisor))));
  }
  /// Euclid's algorithm on numbers that are not negative.
  Value gcd(Value x, Value y) {
    auto loop = scf::WhileOp::create(
        b, loc, TypeRange{b.getI64Type(), b.getI64Type()}, ValueRange{x, y},
        [&](OpBuilder &inner, Location loc, ValueRange state) {
          Value more =
              arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne, state[1], number(0));
          scf::ConditionOp::create(inner, loc, more, state);
        },
        [&](OpBuilder &inner, Location loc, ValueRange state) {
          Value rest = arith::RemSIOp::create(inner, loc, state[0], state[1]);
          scf::YieldOp::create(inner, loc, ValueRange{state[1], rest});
        });
    return loop.getResult(0);
  }

private:
  OpBuilder &b;
  Location loc;
  Emit &emit;
};
} // namespace

void tessera::cute::assertSame(OpBuilder &b, Location loc, Value wide, Value narrow) {
  Value back = wide.getType().isIndex()
                   ? Value(arith::IndexCastOp::create(b, loc, wide.getType(), narrow))
                   : arith::ExtSIOp::create(b, loc, wide.getType(), narrow);
  Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, back, wide);
  cf::AssertOp::create(b, loc, same,
                       "layout algebra: expects an index of at most " +
                           std::to_string(narrow.getType().getIntOrFloatBitWidth()) + " bits");
}

void Emit::require(Value condition, const std::string &what) {
  cf::AssertOp::create(builder, loc, condition, "layout algebra: expects " + what);
}

void Emit::assume(Pre what, Int a, Int b, Int c) {
  if (!checks)
    return;
  Wide wide(*this);
  Value x = wide.of(a), y = wide.of(b);
  switch (what) {
  case Pre::Divides: return require(wide.divides(x, y), shown(b) + " to divide " + shown(a));
  case Pre::DividesOrSmaller:
    return require(wide.either(wide.divides(x, y), wide.less(x, y)),
                   shown(b) + " to divide " + shown(a) + ", or to be larger");
  case Pre::NonZero:
    return require(wide.negated(wide.isZero(x)), "a divisor or extent that is not 0");
  case Pre::AtMost: return require(wide.negated(wide.less(y, x)), shown(a) + " <= " + shown(b));
  case Pre::StepFits: {
    Value last = wide.mul(wide.sub(wide.of(c), wide.number(1)), y);
    Value fits =
        wide.either(wide.either(wide.divides(x, y), wide.divides(y, x)), wide.less(last, x));
    return require(fits, "steps of " + shown(b) + " to divide a mode of " + shown(a) +
                             ", or to stay in it");
  }
  }
}

/// The run-time form of layout::separate.
void Emit::assumeSeparate(std::span<const Int> extents, std::span<const layout::Walk> modes) {
  if (!checks)
    return;
  Wide wide(*this);
  Value boundary = wide.number(1), no = constant(0, builder.getI1Type());
  for (size_t i = 0; i + 1 < extents.size(); ++i) {
    boundary = wide.mul(boundary, wide.of(extents[i]));
    struct {
      Value below, beyond;
    } up{wide.number(0), no}, down = up;
    for (const layout::Walk &mode : modes) {
      Value step = wide.of(mode.step), negative = wide.less(step, wide.number(0));
      Value size = wide.select(negative, wide.sub(wide.number(0), step), step);
      Value top = wide.mul(wide.sub(wide.of(mode.extent), wide.number(1)), size);
      Value inside = wide.less(top, boundary);
      Value reach = wide.select(inside, top, wide.sub(boundary, wide.gcd(size, boundary)));
      for (auto *side : {&up, &down}) {
        Value here = side == &down ? negative : wide.negated(negative);
        side->below = wide.add(side->below, wide.select(here, reach, wide.number(0)));
        side->beyond = wide.either(side->beyond, wide.both(here, wide.negated(inside)));
      }
    }
    auto borrows = [&](Value below, Value beyond) {
      return wide.both(wide.less(wide.number(0), below), beyond);
    };
    Value fits = wide.both(
        wide.both(wide.less(up.below, boundary), wide.less(down.below, boundary)),
        wide.negated(wide.either(borrows(up.below, down.beyond), borrows(down.below, up.beyond))));
    require(fits, "the modes of a right layout not to add up beyond mode " + std::to_string(i) +
                      " of the left one");
  }
}

void Emit::requireFits(LeafOp op, Value x, Value y, Value result) {
  Type type = result.getType();
  Value zero = constant(0, type);
  auto isNegative = [&](Value v) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, v, zero);
  };
  auto differ = [&](Value a, Value b) -> Value {
    return arith::XOrIOp::create(builder, loc, a, b);
  };
  std::string what =
      "a result of " + std::to_string(type.getIntOrFloatBitWidth()) + " bits, but one of a ";
  Value overflow;
  switch (op) {
  case LeafOp::Add: // both signs differ from that of the sum
    overflow =
        isNegative(arith::AndIOp::create(builder, loc, differ(x, result), differ(y, result)));
    return require(differ(overflow, constant(1, overflow.getType())), what + "sum overflows");
  case LeafOp::Sub:
    overflow = isNegative(arith::AndIOp::create(builder, loc, differ(x, y), differ(x, result)));
    return require(differ(overflow, constant(1, overflow.getType())),
                   what + "difference overflows");
  case LeafOp::Mul: {
    auto whole = arith::MulSIExtendedOp::create(builder, loc, x, y);
    Value sign = arith::ShRSIOp::create(builder, loc, whole.getLow(),
                                        constant(type.getIntOrFloatBitWidth() - 1, type));
    return require(
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, whole.getHigh(), sign),
        what + "product overflows");
  }
  default: return;
  }
}
