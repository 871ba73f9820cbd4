// Integer ops: arithmetic with promises about overflow, division, shifts, bits, comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Arithmetic.h"
#include "tessera/tile_eval/Semantics.h"

#include <algorithm>

namespace tessera::tile_eval {

namespace {

using tile_bytecode::ComparisonPredicate;
using tile_bytecode::IntegerOverflow;
using tile_bytecode::Signedness;

using Wide = __int128;
using UnsignedWide = unsigned __int128;

/// A loop over two tiles; `f(x, y, i)` returns a Result<uint64_t>, whose low bits are the element.
template <class F> Status forEach(Step &step, F f) {
  unsigned bits = bitsOf(step.element(step.result()));
  const Codes &a = step.codes(0), &b = step.codes(1);
  Source x = sourceOf(a), y = sourceOf(b);
  Codes out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    TESSERA_TRY(uint64_t code, f(x[i], y[i], i));
    out[i] = code & lowBits(bits);
  }
  step.add(std::move(out));
  return Done{};
}
/// The same for what cannot fail.
template <class F> Status forEachSurely(Step &step, F f) {
  uint64_t mask = lowBits(bitsOf(step.element(step.result())));
  const Codes &a = step.codes(0), &b = step.codes(1);
  Source x = sourceOf(a), y = sourceOf(b);
  Codes out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = f(x[i], y[i]) & mask;
  step.add(std::move(out));
  return Done{};
}

//===--- Addition, subtraction, multiplication

struct Add {
  template <class W> static W of(W a, W b) { return a + b; }
};
struct Sub {
  template <class W> static W of(W a, W b) { return a - b; }
};
struct Mul {
  template <class W> static W of(W a, W b) { return a * b; }
};

bool promisesSigned(IntegerOverflow overflow) { return unsigned(overflow) & 1; }
bool promisesUnsigned(IntegerOverflow overflow) { return unsigned(overflow) & 2; }

template <class Operation> Status runWrapping(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  auto overflow = step.attributeAs<IntegerOverflow>(0);
  if (overflow == IntegerOverflow::None)
    return forEachSurely(step, [](uint64_t x, uint64_t y) { return Operation::of(x, y); });
  return forEach(step, [&](uint64_t x, uint64_t y, size_t i) -> Result<uint64_t> {
    int64_t a = signedOf(x, bits), b = signedOf(y, bits);
    Wide exact = Operation::of(Wide(a), Wide(b));
    if (promisesSigned(overflow) && exact != signedOf(uint64_t(exact), bits))
      return step.failAt(Error::Overflow, step.result(), i, "signed", a, b);
    // A difference below zero is huge as an unsigned number.
    UnsignedWide positive = Operation::of(UnsignedWide(x), UnsignedWide(y));
    if (promisesUnsigned(overflow) && positive > lowBits(bits))
      return step.failAt(Error::Overflow, step.result(), i, "unsigned", x, y);
    return uint64_t(exact);
  });
}
Status runNegate(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  bool promises = promisesSigned(step.attributeAs<IntegerOverflow>(0));
  Codes out = step.codes(0);
  for (size_t i = 0; i < out.size(); ++i) {
    if (promises && out[i] == uint64_t(1) << (bits - 1))
      return step.failAt(Error::Overflow, step.result(), i, "signed", 0, signedOf(out[i], bits));
    out[i] = (0 - out[i]) & lowBits(bits);
  }
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkNegate(const Signed &s) {
  if (s.attribute(0) > uint64_t(IntegerOverflow::NoSignedWrap))
    return "expects the overflow none or no_signed_wrap";
  return {};
}
/// The least integer stays what it is.
Status runAbsolute(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  Codes out = step.codes(0);
  for (uint64_t &code : out)
    if (signedOf(code, bits) < 0)
      code = (0 - code) & lowBits(bits);
  step.add(std::move(out));
  return Done{};
}
Status runHighProduct(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  return forEachSurely(
      step, [bits](uint64_t x, uint64_t y) { return uint64_t(UnsignedWide(x) * y >> bits); });
}

//===--- Division

Status runDivide(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  bool isSigned = step.attributeAs<Signedness>(0) == Signedness::Signed;
  auto rounding = step.attributeAs<RoundingMode>(1);
  return forEach(step, [&](uint64_t x, uint64_t y, size_t i) -> Result<uint64_t> {
    if (y == 0)
      return step.failAt(Error::DivisionByZero, step.result(), i);
    Wide a = isSigned ? Wide(signedOf(x, bits)) : Wide(x);
    Wide b = isSigned ? Wide(signedOf(y, bits)) : Wide(y);
    Wide quotient = a / b;
    bool isInexact = a % b != 0, isNegative = (a < 0) != (b < 0);
    if (isInexact && rounding == RoundingMode::PositiveInf && !isNegative)
      ++quotient;
    if (isInexact && rounding == RoundingMode::NegativeInf && isNegative)
      --quotient;
    if (isSigned && quotient == -Wide(signedOf(uint64_t(1) << (bits - 1), bits)))
      return step.failAt(Error::DivisionOverflow, step.result(), i);
    return uint64_t(quotient);
  });
}
std::optional<std::string> checkDivide(const Signed &s) {
  auto rounding = RoundingMode(s.attribute(1));
  if (rounding != RoundingMode::Zero && rounding != RoundingMode::PositiveInf &&
      rounding != RoundingMode::NegativeInf)
    return cat("expects the rounding zero, positive_inf or negative_inf, but got ",
               keyword(rounding));
  // The text of the dialect has no unsigned negative_inf, but cuTile Python writes x // y so.
  return {};
}
/// The remainder has the sign of the dividend.
Status runRemainder(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  bool isSigned = step.attributeAs<Signedness>(0) == Signedness::Signed;
  return forEach(step, [&](uint64_t x, uint64_t y, size_t i) -> Result<uint64_t> {
    if (y == 0)
      return step.failAt(Error::DivisionByZero, step.result(), i);
    return isSigned ? uint64_t(Wide(signedOf(x, bits)) % signedOf(y, bits)) : x % y;
  });
}

//===--- Bits

template <class F> Status runBits(Step &step) { return forEachSurely(step, F()); }
using And = decltype([](uint64_t x, uint64_t y) { return x & y; });
using Or = decltype([](uint64_t x, uint64_t y) { return x | y; });
using Xor = decltype([](uint64_t x, uint64_t y) { return x ^ y; });

Status runShiftLeft(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  auto overflow = step.attributeAs<IntegerOverflow>(0);
  return forEach(step, [&](uint64_t x, uint64_t y, size_t i) -> Result<uint64_t> {
    if (y >= bits)
      return step.failAt(Error::ShiftCount, step.result(), i, bits, y);
    uint64_t shifted = (x << y) & lowBits(bits);
    if (promisesSigned(overflow) && signedOf(shifted, bits) >> y != signedOf(x, bits))
      return step.failAt(Error::Overflow, step.result(), i, "signed", signedOf(x, bits), y);
    if (promisesUnsigned(overflow) && shifted >> y != x)
      return step.failAt(Error::Overflow, step.result(), i, "unsigned", x, y);
    return shifted;
  });
}
Status runShiftRight(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  bool isSigned = step.attributeAs<Signedness>(0) == Signedness::Signed;
  return forEach(step, [&](uint64_t x, uint64_t y, size_t i) -> Result<uint64_t> {
    if (y >= bits)
      return step.failAt(Error::ShiftCount, step.result(), i, bits, y);
    return isSigned ? uint64_t(signedOf(x, bits) >> y) : x >> y;
  });
}

//===--- Comparison and choice

bool isLess(uint64_t x, uint64_t y, unsigned bits, bool isSigned) {
  return isSigned ? signedOf(x, bits) < signedOf(y, bits) : x < y;
}
template <bool larger> Status runChoose(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  bool isSigned = step.attributeAs<Signedness>(0) == Signedness::Signed;
  return forEachSurely(
      step, [=](uint64_t x, uint64_t y) { return isLess(x, y, bits, isSigned) == larger ? y : x; });
}
Status runCompare(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  auto predicate = step.attributeAs<ComparisonPredicate>(0);
  bool isSigned = step.attributeAs<Signedness>(1) == Signedness::Signed;
  return forEachSurely(step, [=](uint64_t x, uint64_t y) -> uint64_t {
    switch (predicate) {
    case ComparisonPredicate::Equal: return x == y;
    case ComparisonPredicate::NotEqual: return x != y;
    case ComparisonPredicate::LessThan: return isLess(x, y, bits, isSigned);
    case ComparisonPredicate::LessThanOrEqual: return !isLess(y, x, bits, isSigned);
    case ComparisonPredicate::GreaterThan: return isLess(y, x, bits, isSigned);
    case ComparisonPredicate::GreaterThanOrEqual: return !isLess(x, y, bits, isSigned);
    }
    return 0;
  });
}
Status runSelect(Step &step) {
  const Codes &c = step.codes(0), &a = step.codes(1), &b = step.codes(2);
  Source condition = sourceOf(c), x = sourceOf(a), y = sourceOf(b);
  Codes out(std::max({c.size(), a.size(), b.size()}));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = condition[i] ? x[i] : y[i];
  step.add(std::move(out));
  return Done{};
}

constexpr std::string_view unary = "A/e:int -> A/e", binary = "A/e:int A/e -> A/e";

constexpr Semantics rows[] = {
    {Op::AddI, binary, runWrapping<Add>, nullptr, true},
    {Op::SubI, binary, runWrapping<Sub>, nullptr, true},
    {Op::MulI, binary, runWrapping<Mul>, nullptr, true},
    {Op::NegI, unary, runNegate, checkNegate, true},
    {Op::AbsI, unary, runAbsolute, nullptr, true},
    {Op::MulhiI, binary, runHighProduct, nullptr, true},
    {Op::DivI, binary, runDivide, checkDivide, true},
    {Op::RemI, binary, runRemainder, nullptr, true},
    {Op::AndI, binary, runBits<And>, nullptr, true},
    {Op::OrI, binary, runBits<Or>, nullptr, true},
    {Op::XOrI, binary, runBits<Xor>, nullptr, true},
    {Op::ShLI, binary, runShiftLeft, nullptr, true},
    {Op::ShRI, binary, runShiftRight, nullptr, true},
    {Op::MaxI, binary, runChoose<true>, nullptr, true},
    {Op::MinI, binary, runChoose<false>, nullptr, true},
    {Op::CmpI, "A/e:int A/e -> A:i1", runCompare, nullptr, true},
    {Op::Select, "A:i1 A/e:any A/e -> A/e", runSelect, nullptr, true},
};

} // namespace

std::span<const Semantics> integerRows() { return rows; }

} // namespace tessera::tile_eval
