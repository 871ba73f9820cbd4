// Divisors of scalars, their bounds, and how they depend on the number of the tile block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Facts.h"

#include "tessera/tile_lower/Elements.h"

#include "tessera/cuda_tile/CudaTile.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {
constexpr int64_t most = int64_t(1) << 20;
constexpr int deepest = 12; // chains are short; what is deeper is not known

int64_t powerIn(uint64_t number) {
  return number == 0 ? most : std::min<int64_t>(most, int64_t(number & -number));
}

int64_t divisor(Value value, int depth) {
  if (depth > deepest)
    return 1;
  auto of = [&](Value v) { return divisor(v, depth + 1); };
  Operation *op = value.getDefiningOp();
  if (!op) {
    // The number of an iteration.
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<ForOp>(argument.getOwner()->getParentOp());
    if (loop && value == loop.getInductionVar())
      return std::min(of(loop.getLowerBound()), of(loop.getStep()));
    return 1;
  }
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](AssumeOp assume) {
        int64_t known = of(assume.getValue());
        auto by = dyn_cast<DivByAttr>(assume.getPredicate());
        return by && !by.getEvery() ? std::max(known, powerIn(by.getDivisor())) : known;
      })
      .Case([&](ConstantOp constant) -> int64_t {
        auto values = dyn_cast<DenseIntElementsAttr>(constant.getValue());
        if (!values || !values.isSplat())
          return 1;
        return powerIn(values.getSplatValue<APInt>().zextOrTrunc(64).getZExtValue());
      })
      .Case([&](MulIOp mul) { return std::min(most, of(mul.getLhs()) * of(mul.getRhs())); })
      .Case<AddIOp, SubIOp, MinIOp, MaxIOp>(
          [&](auto both) { return std::min(of(both.getLhs()), of(both.getRhs())); })
      .Case<ExtIOp, TruncIOp, PtrToPtrOp, PtrToIntOp, IntToPtrOp>(
          [&](auto same) { return of(same->getOperand(0)); })
      .Case([&](OffsetOp offset) {
        int64_t bytes = memoryBytes(pointeeOf(offset->getOperand(0).getType()));
        return std::min(of(offset->getOperand(0)), of(offset->getOperand(1)) * bytes);
      })
      .Default([](Operation *) { return 1; });
}
} // namespace

int64_t divisorOf(Value scalar) { return divisor(scalar, 0); }

namespace {
using Growth = std::optional<int>;

/// Of a sum, a minimum or a maximum of both.
Growth together(Growth a, Growth b) {
  if (!a || !b || (*a && *b && *a != *b))
    return std::nullopt;
  return *a ? a : b;
}
/// Of a product or a quotient by a number that does not change.
Growth scaled(Growth growth, Value by) {
  auto constant = by.getDefiningOp<ConstantOp>();
  if (growth == 0 || !growth)
    return growth;
  if (!constant)
    return std::nullopt;
  APInt number = cast<DenseIntElementsAttr>(constant.getValue()).getSplatValue<APInt>();
  return number.isZero() ? 0 : number.isNegative() ? -*growth : *growth;
}

Growth growth(Value value, int axis, int depth) {
  if (depth > deepest)
    return std::nullopt;
  auto of = [&](Value v) { return growth(v, axis, depth + 1); };
  Operation *op = value.getDefiningOp();
  if (!op) // a parameter, or what a loop carries
    return isa<EntryOp>(cast<BlockArgument>(value).getOwner()->getParentOp()) ? Growth(0)
                                                                              : std::nullopt;
  return llvm::TypeSwitch<Operation *, Growth>(op)
      .Case<ConstantOp, GetNumTileBlocksOp>([](auto) { return 0; })
      .Case([&](GetTileBlockIdOp ids) { return value == ids->getResult(unsigned(axis)) ? 1 : 0; })
      .Case([&](AssumeOp assume) { return of(assume.getValue()); })
      .Case<ExtIOp, TruncIOp>([&](auto same) { return of(same->getOperand(0)); })
      .Case<AddIOp, MinIOp, MaxIOp>(
          [&](auto both) { return together(of(both.getLhs()), of(both.getRhs())); })
      .Case([&](SubIOp difference) {
        Growth less = of(difference.getRhs());
        return together(of(difference.getLhs()), less ? Growth(-*less) : less);
      })
      .Case([&](MulIOp product) {
        Growth a = of(product.getLhs()), b = of(product.getRhs());
        return b == 0   ? scaled(a, product.getRhs())
               : a == 0 ? scaled(b, product.getLhs())
                        : Growth();
      })
      .Case([&](DivIOp quotient) {
        return of(quotient.getRhs()) == 0 ? scaled(of(quotient.getLhs()), quotient.getRhs())
                                          : Growth();
      })
      .Case<RemIOp, CmpIOp, SelectOp, AndIOp, OrIOp, XOrIOp, ShLIOp, ShRIOp>([&](Operation *other) {
        return llvm::all_of(other->getOperands(), [&](Value v) { return of(v) == 0; }) ? Growth(0)
                                                                                       : Growth();
      })
      .Default([](Operation *) { return Growth(); });
}
} // namespace

std::optional<int> growthOf(Value scalar, int axis) { return growth(scalar, axis, 0); }

bool isSmall(Value scalar) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  constexpr unsigned bits = 32;
  bool isPositive = false; // of what `scalar` is extended or assumed to be, with a sign
  while (Operation *op = scalar.getDefiningOp()) {
    if (auto assume = dyn_cast<AssumeOp>(op)) {
      auto bounds = dyn_cast<BoundedAttr>(assume.getPredicate());
      isPositive = isPositive || (bounds && bounds.getLower() && *bounds.getLower() >= 0);
      if (isPositive && bounds && bounds.getUpper() && *bounds.getUpper() <= most)
        return true;
      scalar = assume.getValue();
    } else if (auto wide = dyn_cast<ExtIOp>(op)) {
      scalar = wide->getOperand(0);
      // A number without a sign is not negative whatever its highest bit is.
      bool isUnsigned = wide.getSignedness() == Signedness::Unsigned;
      if (isUnsigned && elementOf(scalar.getType()).getIntOrFloatBitWidth() < bits)
        return true;
      isPositive = isPositive && !isUnsigned;
    } else if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto value = cast<DenseIntElementsAttr>(constant.getValue()).getSplatValue<APInt>();
      return value.isNonNegative() && value.getActiveBits() < bits;
    } else {
      break;
    }
  }
  return isPositive && elementOf(scalar.getType()).getIntOrFloatBitWidth() <= bits;
}

bool isEverywhere(Value value, double number) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<BroadcastOp, ReshapeOp, AssumeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  auto values = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!values || !values.isSplat())
    return false;
  if (isa<FloatType>(values.getElementType()))
    return values.getSplatValue<APFloat>().isExactlyValue(number);
  return values.getSplatValue<APInt>().getSExtValue() == int64_t(number);
}

} // namespace tessera::tile_lower
