// The rows of the bank for fast division by a number known before the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Bank.h"
#include "tessera/lower/LoweredTypes.h"

#include "tessera/cute/Cute.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

namespace {
/// {d, m, s1, s2} with m = 2^N * (2^l - d) / d + 1, l = ceil(log2 d), s1 = min(l, 1), s2 = l - s1.
/// Source: Granlund and Montgomery, Division by Invariant Integers, figure 4.1.
struct CreateDivisorLowering final : OpConversionPattern<FastDivmodCreateDivisorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FastDivmodCreateDivisorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    unsigned width = op.getType().getWidth();
    Type narrow = b.getIntegerType(width), wide = b.getIntegerType(2 * width), i8 = b.getI8Type();
    auto constant = [&](Type type, int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
    };
    Value d = adaptor.getDivisor();
    Value below = LLVM::SubOp::create(b, loc, d, constant(narrow, 1));
    Value zeros =
        LLVM::CountLeadingZerosOp::create(b, loc, narrow, below, /*is_zero_poison=*/false);
    Value l = LLVM::SubOp::create(b, loc, constant(narrow, width), zeros);
    Value wideD = LLVM::ZExtOp::create(b, loc, wide, d),
          wideL = LLVM::ZExtOp::create(b, loc, wide, l);
    Value power = LLVM::ShlOp::create(b, loc, constant(wide, 1), wideL);
    Value numerator = LLVM::ShlOp::create(b, loc, LLVM::SubOp::create(b, loc, power, wideD),
                                          constant(wide, width));
    Value quotient = LLVM::UDivOp::create(b, loc, numerator, wideD);
    Value m = LLVM::TruncOp::create(b, loc, narrow,
                                    LLVM::AddOp::create(b, loc, quotient, constant(wide, 1)));
    Value s1 = LLVM::UMinOp::create(b, loc, l, constant(narrow, 1));
    Value s2 = LLVM::SubOp::create(b, loc, l, s1);
    b.replaceOp(op, fromLeaves(b, loc, getTypeConverter()->convertType(op.getType()),
                               {d, m, LLVM::TruncOp::create(b, loc, i8, s1),
                                LLVM::TruncOp::create(b, loc, i8, s2)}));
    return success();
  }
};

/// q = (t + ((n - t) >> s1)) >> s2 with t = high half of m * n.
Value quotientOf(OpBuilder &b, Location loc, Value n, ArrayRef<Value> parts) {
  Type narrow = n.getType(), wide = b.getIntegerType(2 * narrow.getIntOrFloatBitWidth());
  auto widened = [&](Value v) -> Value { return LLVM::ZExtOp::create(b, loc, wide, v); };
  Value product = LLVM::MulOp::create(b, loc, widened(parts[1]), widened(n));
  Value half = LLVM::ConstantOp::create(
      b, loc, wide, b.getIntegerAttr(wide, int64_t(narrow.getIntOrFloatBitWidth())));
  Value t = LLVM::TruncOp::create(b, loc, narrow, LLVM::LShrOp::create(b, loc, product, half));
  Value s1 = LLVM::ZExtOp::create(b, loc, narrow, parts[2]),
        s2 = LLVM::ZExtOp::create(b, loc, narrow, parts[3]);
  Value rest = LLVM::LShrOp::create(b, loc, LLVM::SubOp::create(b, loc, n, t), s1);
  return LLVM::LShrOp::create(b, loc, LLVM::AddOp::create(b, loc, t, rest), s2);
}

struct ComputeDivmodLowering final : OpConversionPattern<FastDivmodComputeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FastDivmodComputeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    SmallVector<Value> parts = leavesOf(b, loc, adaptor.getDivisor());
    Value n = adaptor.getDividend(), d = parts[0];
    Value q = quotientOf(b, loc, n, parts);
    Value r = LLVM::SubOp::create(b, loc, n, LLVM::MulOp::create(b, loc, q, d));
    b.replaceOp(op, {q, r});
    return success();
  }
};
struct DivideLowering final : OpConversionPattern<FastDivmodDivideOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FastDivmodDivideOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    b.replaceOp(op,
                quotientOf(b, loc, adaptor.getDividend(), leavesOf(b, loc, adaptor.getDivisor())));
    return success();
  }
};

struct MakeDivisorLowering final : OpConversionPattern<FastDivmodMakeDivisorOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FastDivmodMakeDivisorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, fromLeaves(b, op.getLoc(), getTypeConverter()->convertType(op.getType()),
                               SmallVector<Value>(adaptor.getOperands())));
    return success();
  }
};

/// Parts of a divisor, from `first` on.
template <class Op, unsigned first> struct DivisorPartsLowering final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> parts = leavesOf(b, op.getLoc(), adaptor.getDivisor());
    b.replaceOp(op, ArrayRef(parts).slice(first, op->getNumResults()));
    return success();
  }
};

constexpr BankRow rows[] = {
    {"FastDivmodCreateDivisorOpLowering", addPattern<CreateDivisorLowering>},
    {"FastDivmodComputeOpLowering", addPattern<ComputeDivmodLowering>},
    {"FastDivmodDivideOpLowering", addPattern<DivideLowering>},
    {"FastDivmodMakeDivisorOpLowering", addPattern<MakeDivisorLowering>},
    {"FastDivmodGetDivisorOpLowering", addPattern<DivisorPartsLowering<FastDivmodGetDivisorOp, 0>>},
    {"FastDivmodGetAuxOpLowering", addPattern<DivisorPartsLowering<FastDivmodGetAuxOp, 1>>},
};
} // namespace

ArrayRef<BankRow> divisionBank() { return rows; }

} // namespace tessera::lower
