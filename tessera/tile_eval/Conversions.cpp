// Conversions: between integers, floating-point numbers, pointers, and bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Exact.h"
#include "tessera/number/RoundingModes.h"
#include "tessera/number/Text.h"
#include "tessera/tile_eval/Arithmetic.h"
#include "tessera/tile_eval/Semantics.h"

#include <cmath>

namespace tessera::tile_eval {

namespace {

using tile_bytecode::IntegerOverflow;
using tile_bytecode::Signedness;

/// A loop over a tile; `f(code, i)` returns a Result<uint64_t>.
template <class F> Status forEach(Step &step, F f) {
  const Codes &in = step.codes(0);
  Codes out(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    TESSERA_TRY(out[i], f(in[i], i));
  }
  step.add(std::move(out));
  return Done{};
}
bool isSigned(const Step &step, size_t column) {
  return step.attributeAs<Signedness>(column) == Signedness::Signed;
}

//===--- Integers

Status runExtend(Step &step) {
  unsigned from = bitsOf(step.elementOf(0)), to = bitsOf(step.element(step.result()));
  bool extendsSign = isSigned(step, 0);
  Codes out = step.codes(0);
  for (uint64_t &code : out)
    code = extendsSign ? uint64_t(signedOf(code, from)) & lowBits(to) : code;
  step.add(std::move(out));
  return Done{};
}
Status runTruncate(Step &step) {
  unsigned from = bitsOf(step.elementOf(0)), to = bitsOf(step.element(step.result()));
  auto overflow = unsigned(step.attributeAs<IntegerOverflow>(0));
  return forEach(step, [&](uint64_t code, size_t i) -> Result<uint64_t> {
    uint64_t kept = code & lowBits(to);
    if ((overflow & 1) && signedOf(kept, to) != signedOf(code, from))
      return step.failAt(Error::Overflow, step.result(), i, "signed", signedOf(code, from), to);
    if ((overflow & 2) && kept != code)
      return step.failAt(Error::Overflow, step.result(), i, "unsigned", code, to);
    return kept;
  });
}
template <bool widens> std::optional<std::string> checkWidth(const Signed &s) {
  unsigned from = bitsOf(s.element(s.operand(0))), to = bitsOf(s.element(s.result(0)));
  if (widens ? to > from : to < from)
    return {};
  return cat("expects a ", widens ? "wider" : "narrower", " result than ", from, " bits, but got ",
             to);
}

//===--- Floating-point numbers

Status runFloatToFloat(Step &step) {
  TypeKind from = step.elementOf(0), to = step.element(step.result());
  number::Rounding rounding = number::roundingOf(step.attributeAs<RoundingMode>(0));
  Codes out = step.codes(0);
  for (uint64_t &code : out)
    code = to == TypeKind::F64 && isNan(from, code) ? nanOf(to)
                                                    : encode(to, decode(from, code), rounding);
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkFloatToFloat(const Signed &s) {
  auto rounding = RoundingMode(s.attribute(0));
  bool is13_4 = s.program.version >= tile_bytecode::Version{13, 4};
  bool toScale = s.element(s.result(0)) == TypeKind::F8E8M0FNU;
  if (s.element(s.operand(0)) == s.element(s.result(0)))
    return "expects two different types";
  if (rounding == RoundingMode::Approx || rounding == RoundingMode::Full ||
      rounding == RoundingMode::NearestIntToZero)
    return cat("expects a rounding to nearest or in a direction, but got ", keyword(rounding));
  if (toScale && rounding != RoundingMode::Zero && rounding != RoundingMode::PositiveInf)
    return cat("expects the rounding zero or positive_inf to f8E8M0FNU, but got ",
               keyword(rounding));
  if (!is13_4 && !toScale && rounding != RoundingMode::NearestEven)
    return cat("expects the rounding nearest_even before 13.4, but got ", keyword(rounding));
  return {};
}

/// Attributes signedness and rounding_mode; saturating is the first. A conversion to unsigned i1,
/// which is how cuTile Python writes one to bool, yields 1 for everything but zero, and not the
/// integer part: its tests (test_cast.py, test_array_astype) expect that of NVIDIA's compiler, for
/// 2.0 and for 0.5.
Status runFloatToInteger(Step &step) {
  TypeKind from = step.elementOf(0), to = step.element(step.result());
  unsigned bits = bitsOf(to);
  bool saturates = step.has(0), toSigned = isSigned(step, 1);
  // Both bounds are powers of two or zero, which a double has.
  double above = std::ldexp(1.0, int(bits) - toSigned), least = toSigned ? -above : 0;
  bool toBoolean = bits == 1 && !toSigned;
  return forEach(step, [&](uint64_t code, size_t i) -> Result<uint64_t> {
    double value = std::trunc(decode(from, code));
    if (toBoolean)
      return decode(from, code) != 0;
    if (value >= least && value < above)
      return (value < 0 ? uint64_t(int64_t(value)) : uint64_t(value)) & lowBits(bits);
    if (!saturates)
      return step.failAt(Error::FloatToInteger, step.result(), i,
                         cat(toSigned ? "signed " : "unsigned ", rowOf(to).text),
                         number::decimal(decode(from, code)));
    uint64_t largest = lowBits(bits - toSigned);
    return std::isnan(value) ? 0 : value > 0 ? largest : toSigned ? largest + 1 : 0;
  });
}
std::optional<std::string> checkFloatToInteger(const Signed &s) {
  if (RoundingMode(s.attribute(2)) != RoundingMode::NearestIntToZero)
    return "expects the rounding nearest_int_to_zero";
  return {};
}

Status runIntegerToFloat(Step &step) {
  unsigned bits = bitsOf(step.elementOf(0));
  TypeKind to = step.element(step.result());
  bool fromSigned = isSigned(step, 0);
  Codes out = step.codes(0);
  for (uint64_t &code : out) {
    __int128 exact = fromSigned ? __int128(signedOf(code, bits)) : __int128(code);
    double value = double(exact);
    if (to != TypeKind::F64) // rounded once: to odd first
      value = number::toOdd(value, double(exact - __int128(value)));
    code = encode(to, value);
  }
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkIntegerToFloat(const Signed &s) {
  if (RoundingMode(s.attribute(1)) != RoundingMode::NearestEven)
    return "expects the rounding nearest_even";
  if (s.element(s.result(0)) == TypeKind::F8E8M0FNU)
    return "expects a type other than f8E8M0FNU";
  return {};
}

//===--- Bits

Status runSame(Step &step) {
  step.add(step.operand(0).codes);
  return Done{};
}
std::optional<std::string> checkBitcast(const Signed &s) {
  if (bitsOf(s.element(s.operand(0))) != bitsOf(s.element(s.result(0))))
    return "expects two types of the same width";
  return {};
}

/// Elements as bits in a row, little-endian; and back. One of the two types is i8.
Status runPack(Step &step) {
  unsigned from = bitsOf(step.elementOf(0)), to = bitsOf(step.element(step.result()));
  const Codes &in = step.codes(0);
  Codes out(size_t(elementsOf(step.result())));
  for (size_t i = 0; i < out.size(); ++i)
    for (unsigned bit = 0; bit < to;) {
      size_t at = i * to + bit;
      unsigned low = unsigned(at % from), width = std::min(from - low, to - bit);
      out[i] |= (in[at / from] >> low & lowBits(width)) << bit;
      bit += width;
    }
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkPack(const Signed &s) {
  const Type &from = s.operand(0), &to = s.result(0);
  if (from.shape.size() != 1 || to.shape.size() != 1)
    return "expects tiles of rank 1";
  if (from.shape[0] * bitsOf(s.element(from)) != to.shape[0] * bitsOf(s.element(to)))
    return "expects tiles of the same size in bytes";
  return {};
}

constexpr Semantics rows[] = {
    {Op::ExtI, "A:anyint -> A:anyint", runExtend, checkWidth<true>, true},
    {Op::TruncI, "A:anyint -> A:anyint", runTruncate, checkWidth<false>, true},
    {Op::FToF, "A:anyfloat -> A:anyfloat", runFloatToFloat, checkFloatToFloat, true},
    {Op::FToI, "A:anyfloat -> A:int", runFloatToInteger, checkFloatToInteger, true},
    {Op::IToF, "A:int -> A:anyfloat", runIntegerToFloat, checkIntegerToFloat, true},
    {Op::Bitcast, "A:number -> A:number", runSame, checkBitcast, true},
    {Op::IntToPtr, "A:i64 -> A:ptr", runSame, nullptr, true},
    {Op::PtrToInt, "A:ptr -> A:i64", runSame, nullptr, true},
    {Op::PtrToPtr, "A:ptr -> A:ptr", runSame, nullptr, true},
    {Op::Pack, "A:number -> B:number", runPack, checkPack},
    {Op::Unpack, "A:number -> B:number", runPack, checkPack},
};

} // namespace

std::span<const Semantics> conversionRows() { return rows; }

} // namespace tessera::tile_eval
