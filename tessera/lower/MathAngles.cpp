// Reduction of large angles by many bits of 2/pi.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/MathAngles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;

namespace tessera::lower {

namespace {

/// 64 zeros and the first 1216 bits of 2/pi: an f64 has e up to 971, and 192 bits are read from
/// number e - 1 on.
constexpr uint64_t twoOverPi[] = {0,
                                  0xA2F9836E4E441529,
                                  0xFC2757D1F534DDC0,
                                  0xDB6295993C439041,
                                  0xFE5163ABDEBBC561,
                                  0xB7246E3A424DD2E0,
                                  0x06492EEA09D1921C,
                                  0xFE1DEB1CB129A73E,
                                  0xE88235F52EBB4484,
                                  0xE99C7026B45F7E41,
                                  0x3991D639835339F4,
                                  0x9C845F8BBDF9283B,
                                  0x1FF897FFDE05980F,
                                  0xEF2F118B5A0A6D1F,
                                  0x6D367ECF27CB09B7,
                                  0x4F463F669E5FEA2D,
                                  0x7527BAC7EBE5F17B,
                                  0x3D0739F78A5292EA,
                                  0x6BFB5FB11F8D5D08,
                                  0x56033046FC7B6BAB};

/// Instructions on numbers of 64 bits.
class Words {
public:
  Words(OpBuilder &b, Location loc) : b(b), loc(loc), i64(b.getI64Type()) {}

  Value integer(uint64_t value) const {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i64, APInt(64, value)));
  }
  Value real(double value) const {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  }
  template <class Op> Value op(Value x, Value y) const { return Op::create(b, loc, x, y); }
  Value shl(Value x, Value n) const { return op<arith::ShLIOp>(x, n); }
  Value shr(Value x, Value n) const { return op<arith::ShRUIOp>(x, n); }
  Value shr(Value x, uint64_t n) const { return shr(x, integer(n)); }
  Value andi(Value x, uint64_t mask) const { return op<arith::AndIOp>(x, integer(mask)); }
  Value ori(Value x, Value y) const { return op<arith::OrIOp>(x, y); }
  Value xori(Value x, Value y) const { return op<arith::XOrIOp>(x, y); }
  Value add(Value x, Value y) const { return op<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) const { return op<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) const { return op<arith::MulIOp>(x, y); }
  Value isBelow(Value x, Value y) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
  }
  /// The upper half of a product.
  Value high(Value x, Value y) const {
    return arith::MulUIExtendedOp::create(b, loc, x, y).getHigh();
  }
  Value select(Value which, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, which, x, y);
  }
  Value widened(Value x) const { return arith::ExtUIOp::create(b, loc, i64, x); }
  /// 64 bits from bit `count` of two words on; `rest` is 63 - count.
  Value window(Value first, Value second, Value count, Value rest) const {
    return ori(shl(first, count), shr(shr(second, 1), rest));
  }
  /// The number of quarter turns of a product of units of 2^-62, and what is left.
  std::pair<Value, Value> turns(Value product) const {
    Value k = shr(add(product, integer(uint64_t(1) << 61)), 62);
    return {k, sub(product, shl(k, integer(62)))};
  }
  /// The angle of -x is the other way.
  Value turned(Value k, Value isNegative) const {
    return select(isNegative, sub(integer(0), k), k);
  }

  OpBuilder &b;
  Location loc;
  Type i64;
};

/// m has 24 bits.
void reduceFloat(OpBuilder &b, Location loc, Value x) {
  Words w(b, loc);
  Type i32 = b.getI32Type(), f64 = b.getF64Type();
  Value code = w.widened(arith::BitcastOp::create(b, loc, i32, x));
  Value m = w.ori(w.andi(code, 0x7fffff), w.integer(0x800000));
  // 62 + e: where the bits begin.
  Value from = w.sub(w.andi(w.shr(code, 23), 0xff), w.integer(150 - 62));
  Value word = w.shr(from, 6), count = w.andi(from, 63);
  Value rest = w.sub(w.integer(63), count);
  auto isWord = [&](uint64_t n) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, word, w.integer(n));
  };
  SmallVector<Value> words;
  for (size_t i = 0; i < 3; ++i) {
    Value later = w.select(isWord(1), w.integer(twoOverPi[i + 1]), w.integer(twoOverPi[i + 2]));
    words.push_back(w.select(isWord(0), w.integer(twoOverPi[i]), later));
  }
  auto window = [&](size_t i) { return w.window(words[i], words[i + 1], count, rest); };
  Value low = window(1), half = w.integer(32);
  Value carried = w.add(w.mul(m, w.shr(low, half)), w.shr(w.mul(m, w.andi(low, 0xffffffff)), half));
  Value product = w.add(w.mul(m, window(0)), w.shr(carried, half)); // of 2^-62
  auto [k, left] = w.turns(product);
  Value part = arith::SIToFPOp::create(b, loc, f64, left);
  Value r = arith::TruncFOp::create(
      b, loc, b.getF32Type(),
      arith::MulFOp::create(b, loc, part, w.real(std::numbers::pi * 0x1p-63)));
  Value sign = w.andi(code, 0x80000000);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, sign, w.integer(0));
  Value codeOfR = w.widened(arith::BitcastOp::create(b, loc, i32, r));
  LLVM::ReturnOp::create(b, loc,
                         w.ori(w.shl(w.turned(k, isNegative), half), w.xori(codeOfR, sign)));
}

/// m has 53 bits, and 128 of the product count: a number may be 2^-61 away from a multiple of pi/2
/// (J.-M. Muller, Elementary Functions, 11.3.2).
void reduceDouble(OpBuilder &b, Location loc, Value x, LLVM::GlobalOp table) {
  Words w(b, loc);
  Type f64 = b.getF64Type();
  Value code = arith::BitcastOp::create(b, loc, w.i64, x);
  Value m = w.ori(w.andi(code, (uint64_t(1) << 52) - 1), w.integer(uint64_t(1) << 52));
  Value from = w.sub(w.andi(w.shr(code, 52), 0x7ff), w.integer(1075 - 62));
  Value word = w.shr(from, 6), count = w.andi(from, 63);
  Value rest = w.sub(w.integer(63), count);
  Value base = LLVM::AddressOfOp::create(b, loc, table);
  SmallVector<Value> words;
  for (int32_t i = 0; i < 4; ++i) {
    Value at = LLVM::GEPOp::create(b, loc, base.getType(), w.i64, base,
                                   ArrayRef<LLVM::GEPArg>{w.add(word, w.integer(uint64_t(i)))});
    words.push_back(LLVM::LoadOp::create(b, loc, w.i64, at));
  }
  auto window = [&](size_t i) { return w.window(words[i], words[i + 1], count, rest); };
  Value second = window(1), low = w.high(m, window(2));
  Value middle = w.add(w.mul(m, second), low);
  Value carry = w.widened(w.isBelow(middle, low));
  Value top = w.add(w.add(w.mul(m, window(0)), w.high(m, second)), carry); // of 2^-62
  auto [k, left] = w.turns(top);
  // The magnitude, one of 2^-126 off, and its sign.
  Value sign = arith::ShRSIOp::create(b, loc, left, w.integer(63));
  Value upper = w.xori(left, sign), lower = w.xori(middle, sign);
  // Two parts that do not overlap: the second has what the first was rounded by.
  Value first = arith::SIToFPOp::create(b, loc, f64, upper);
  Value over = w.sub(upper, arith::FPToSIOp::create(b, loc, w.i64, first));
  auto fma = [&](Value p, Value q, Value r) -> Value {
    return math::FmaOp::create(b, loc, p, q, r);
  };
  Value tail = fma(
      arith::SIToFPOp::create(b, loc, f64, over), w.real(1),
      arith::MulFOp::create(b, loc, arith::UIToFPOp::create(b, loc, f64, lower), w.real(0x1p-64)));
  // Times pi/2 in two parts.
  constexpr double high = std::numbers::pi * 0x1p-63, rest2 = 6.123233995736766e-17 * 0x1p-62;
  Value product = arith::MulFOp::create(b, loc, first, w.real(high));
  Value lost = fma(first, w.real(high), arith::NegFOp::create(b, loc, product));
  lost = fma(tail, w.real(high), fma(first, w.real(rest2), lost));
  Value negative = w.andi(w.xori(code, sign), uint64_t(1) << 63);
  auto signedAs = [&](Value part) -> Value {
    Value bits = w.xori(arith::BitcastOp::create(b, loc, w.i64, part), negative);
    return arith::BitcastOp::create(b, loc, f64, bits);
  };
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, code, w.integer(0));
  Value out = LLVM::PoisonOp::create(
      b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), {w.i64, f64, f64}));
  const SmallVector<Value> results = {w.turned(k, isNegative), signedAs(product), signedAs(lost)};
  for (auto [i, part] : llvm::enumerate(results))
    out = LLVM::InsertValueOp::create(b, loc, out, part, ArrayRef<int64_t>{int64_t(i)});
  LLVM::ReturnOp::create(b, loc, out);
}

} // namespace

LLVM::LLVMFuncOp farAngle(OpBuilder &b, gpu::GPUModuleOp module, Type type) {
  bool isDouble = type.isF64();
  StringRef name = isDouble ? "tessera_far_angle_f64" : "tessera_far_angle";
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  Location loc = module.getLoc();
  Type i64 = b.getI64Type(), f64 = b.getF64Type(), result = i64;
  if (isDouble)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, f64, f64});
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, name, LLVM::LLVMFunctionType::get(result, {type}), LLVM::Linkage::Internal);
  function.setNoInline(true);
  LLVM::GlobalOp table;
  if (isDouble) {
    constexpr unsigned constantMemory = 4;
    auto bits = DenseElementsAttr::get(RankedTensorType::get(std::size(twoOverPi), i64),
                                       ArrayRef<uint64_t>(twoOverPi));
    table = LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(i64, std::size(twoOverPi)),
                                   /*isConstant=*/true, LLVM::Linkage::Internal,
                                   "tessera_two_over_pi", bits, /*alignment=*/8, constantMemory);
  }
  Block *body = function.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  if (isDouble)
    reduceDouble(b, loc, body->getArgument(0), table);
  else
    reduceFloat(b, loc, body->getArgument(0));
  return function;
}

} // namespace tessera::lower
