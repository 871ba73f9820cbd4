// Floating-point ops: rounded arithmetic, functions, minimum and maximum, comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are computed in double precision and rounded once, so they are nearer to the exact
// result than any GPU's; what the dialect leaves to an approximation is not imitated. f16 and bf16
// go through f32, as the dialect says.
#include "tessera/tile_eval/Arithmetic.h"
#include "tessera/tile_eval/Semantics.h"

#include <algorithm>
#include <cmath>

namespace tessera::tile_eval {

namespace {

using tile_bytecode::ComparisonOrdering;
using tile_bytecode::ComparisonPredicate;

size_t countOf(std::initializer_list<const Codes *> all) {
  size_t count = 1;
  for (const Codes *codes : all)
    count = std::max(count, codes->size());
  return count;
}

//===--- Rounded arithmetic

/// Attributes flush_to_zero and rounding_mode, where an op has both in this order.
Modifiers modifiersOf(const Step &step) {
  return {.rounding = step.attributeAs<RoundingMode>(1), .flushesToZero = step.has(0)};
}
template <Arithmetic op> Status runBinary(Step &step) {
  const Codes &a = step.codes(0), &b = step.codes(1);
  step.add(compute(op, step.elementOf(0), modifiersOf(step), countOf({&a, &b}), sourceOf(a),
                   sourceOf(b), sourceOf(a)));
  return Done{};
}
Status runFma(Step &step) {
  const Codes &a = step.codes(0), &b = step.codes(1), &c = step.codes(2);
  step.add(compute(Arithmetic::Fma, step.elementOf(0), modifiersOf(step), countOf({&a, &b, &c}),
                   sourceOf(a), sourceOf(b), sourceOf(c)));
  return Done{};
}
Status runSqrt(Step &step) {
  Source a = sourceOf(step.codes(0));
  step.add(compute(Arithmetic::Sqrt, step.elementOf(0), modifiersOf(step), step.codes(0).size(), a,
                   a, a));
  return Done{};
}

/// Whether an op has its rounding, and whether modifiers that only f32 has are on f32.
template <bool hasApprox, bool hasFull> std::optional<std::string> checkModifiers(const Signed &s) {
  auto mode = RoundingMode(s.attribute(1));
  TypeKind element = s.element(s.operand(0));
  bool isKnown = mode <= RoundingMode::PositiveInf || (hasApprox && mode == RoundingMode::Approx) ||
                 (hasFull && mode == RoundingMode::Full);
  if (!isKnown)
    return cat("expects one of the roundings nearest_even, zero, negative_inf, positive_inf",
               hasApprox ? ", approx" : "", hasFull ? ", full" : "", ", but got ", keyword(mode));
  if (element != TypeKind::F32 && mode > RoundingMode::PositiveInf)
    return cat("expects f32 for the rounding ", keyword(mode));
  if (element != TypeKind::F32 && s.has(0))
    return "expects f32 for flush_to_zero";
  return {};
}
template <size_t column> std::optional<std::string> checkFlush(const Signed &s) {
  if (s.has(column) && s.element(s.operand(0)) != TypeKind::F32)
    return "expects f32 for flush_to_zero";
  return {};
}
/// exp and tanh: full, or approx on f32.
std::optional<std::string> checkFunctionRounding(const Signed &s) {
  auto mode = RoundingMode(s.attribute(0));
  if (mode == RoundingMode::Full)
    return {};
  if (mode != RoundingMode::Approx)
    return cat("expects the rounding full or approx, but got ", keyword(mode));
  if (s.element(s.operand(0)) != TypeKind::F32)
    return "expects f32 for the rounding approx";
  return {};
}

//===--- Functions

/// A number rounded to f32 on its way to a type that is computed in f32.
uint64_t encodeFunction(TypeKind kind, double value) {
  if (kind == TypeKind::F16 || kind == TypeKind::BF16)
    value = double(float(value));
  return encode(kind, value);
}
double inverseRoot(double x) { return 1 / std::sqrt(x); }

/// The function of each op that has one.
struct FunctionRow {
  Op op;
  double (*function)(double);
  bool flushes = false; // the first attribute is flush_to_zero
};
constexpr FunctionRow functions[] = {
    {Op::Ceil, [](double x) { return std::ceil(x); }},
    {Op::Floor, [](double x) { return std::floor(x); }},
    {Op::Exp, [](double x) { return std::exp(x); }},
    {Op::Exp2, [](double x) { return std::exp2(x); }, true},
    {Op::Log, [](double x) { return std::log(x); }},
    {Op::Log2, [](double x) { return std::log2(x); }},
    {Op::Rsqrt, inverseRoot, true},
    {Op::Sin, [](double x) { return std::sin(x); }},
    {Op::Cos, [](double x) { return std::cos(x); }},
    {Op::Tan, [](double x) { return std::tan(x); }},
    {Op::SinH, [](double x) { return std::sinh(x); }},
    {Op::CosH, [](double x) { return std::cosh(x); }},
    {Op::TanH, [](double x) { return std::tanh(x); }},
};

Status runFunction(Step &step) {
  const FunctionRow &row = *std::find_if(std::begin(functions), std::end(functions),
                                         [&](auto &r) { return r.op == step.instruction.op; });
  TypeKind kind = step.elementOf(0);
  bool flushes = row.flushes && step.has(0);
  const Codes &in = step.codes(0);
  Codes out(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    uint64_t code =
        encodeFunction(kind, row.function(decode(kind, flushes ? flushed(in[i]) : in[i])));
    out[i] = flushes ? flushed(code) : code;
  }
  step.add(std::move(out));
  return Done{};
}

/// The sign of a number, which a NaN has too.
template <bool negates> Status runSign(Step &step) {
  uint64_t sign = signBitOf(step.elementOf(0));
  Codes out = step.codes(0);
  for (uint64_t &code : out)
    code = negates ? code ^ sign : code & ~sign;
  step.add(std::move(out));
  return Done{};
}

template <double (*function)(double, double)> Status runBinaryFunction(Step &step) {
  TypeKind kind = step.elementOf(0);
  const Codes &a = step.codes(0), &b = step.codes(1);
  Source x = sourceOf(a), y = sourceOf(b);
  Codes out(countOf({&a, &b}));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = encodeFunction(kind, function(decode(kind, x[i]), decode(kind, y[i])));
  step.add(std::move(out));
  return Done{};
}
double power(double x, double y) { return std::pow(x, y); }
double arcTangent(double y, double x) { return std::atan2(y, x); }
/// x - trunc(x / y) * y, exactly; C's fmod is that.
double remainder(double x, double y) { return std::fmod(x, y); }

Status runIntegerPower(Step &step) {
  TypeKind kind = step.elementOf(0);
  unsigned bits = bitsOf(step.elementOf(1));
  const Codes &a = step.codes(0), &b = step.codes(1);
  Source x = sourceOf(a), n = sourceOf(b);
  Codes out(countOf({&a, &b}));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = encodeFunction(kind, std::pow(decode(kind, x[i]), double(signedOf(n[i], bits))));
  step.add(std::move(out));
  return Done{};
}
std::optional<std::string> checkIntegerPower(const Signed &s) {
  if (s.element(s.operand(1)) == TypeKind::I64)
    return "expects an exponent of at most 32 bits";
  return {};
}

//===--- Minimum, maximum, comparison

/// The larger, or the smaller, of two numbers; IEEE 754-2019, 9.6: maximumNumber and maximum.
uint64_t choose(TypeKind kind, bool larger, bool propagatesNan, uint64_t a, uint64_t b) {
  double x = decode(kind, a), y = decode(kind, b);
  if (std::isnan(x) || std::isnan(y)) {
    bool bothNan = std::isnan(x) && std::isnan(y);
    return bothNan || propagatesNan ? nanOf(kind) : std::isnan(x) ? b : a;
  }
  if (x == y) // zeros of two signs
    return std::signbit(x) == larger ? b : a;
  return (x > y) == larger ? a : b;
}
template <bool larger> Status runChoose(Step &step) {
  TypeKind kind = step.elementOf(0);
  bool propagates = step.has(0), flushes = step.has(1);
  const Codes &a = step.codes(0), &b = step.codes(1);
  Source x = sourceOf(a), y = sourceOf(b);
  Codes out(countOf({&a, &b}));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = flushes ? choose(kind, larger, propagates, flushed(x[i]), flushed(y[i]))
                     : choose(kind, larger, propagates, x[i], y[i]);
  step.add(std::move(out));
  return Done{};
}

bool holds(ComparisonPredicate predicate, double x, double y) {
  switch (predicate) {
  case ComparisonPredicate::Equal: return x == y;
  case ComparisonPredicate::NotEqual: return x < y || x > y; // false of a NaN
  case ComparisonPredicate::LessThan: return x < y;
  case ComparisonPredicate::LessThanOrEqual: return x <= y;
  case ComparisonPredicate::GreaterThan: return x > y;
  case ComparisonPredicate::GreaterThanOrEqual: return x >= y;
  }
  return false;
}
Status runCompare(Step &step) {
  TypeKind kind = step.elementOf(0);
  auto predicate = step.attributeAs<ComparisonPredicate>(0);
  bool isUnordered = step.attributeAs<ComparisonOrdering>(1) == ComparisonOrdering::Unordered;
  const Codes &a = step.codes(0), &b = step.codes(1);
  Source x = sourceOf(a), y = sourceOf(b);
  Codes out(countOf({&a, &b}));
  for (size_t i = 0; i < out.size(); ++i) {
    double p = decode(kind, x[i]), q = decode(kind, y[i]);
    out[i] = std::isnan(p) || std::isnan(q) ? isUnordered : holds(predicate, p, q);
  }
  step.add(std::move(out));
  return Done{};
}

constexpr std::string_view unary = "A/e:float -> A/e", binary = "A/e:float A/e -> A/e";

constexpr Semantics rows[] = {
    {Op::AddF, binary, runBinary<Arithmetic::Add>, checkModifiers<false, false>, true},
    {Op::SubF, binary, runBinary<Arithmetic::Sub>, checkModifiers<false, false>, true},
    {Op::MulF, binary, runBinary<Arithmetic::Mul>, checkModifiers<false, false>, true},
    {Op::DivF, binary, runBinary<Arithmetic::Div>, checkModifiers<true, true>, true},
    {Op::Fma, "A/e:float A/e A/e -> A/e", runFma, checkModifiers<false, false>, true},
    {Op::Sqrt, unary, runSqrt, checkModifiers<true, false>, true},
    {Op::Ceil, unary, runFunction, nullptr, true},
    {Op::Floor, unary, runFunction, nullptr, true},
    {Op::Exp, unary, runFunction, checkFunctionRounding, true},
    {Op::Exp2, unary, runFunction, checkFlush<0>, true},
    {Op::Log, unary, runFunction, nullptr, true},
    {Op::Log2, unary, runFunction, nullptr, true},
    {Op::Rsqrt, unary, runFunction, checkFlush<0>, true},
    {Op::Sin, unary, runFunction, nullptr, true},
    {Op::Cos, unary, runFunction, nullptr, true},
    {Op::Tan, unary, runFunction, nullptr, true},
    {Op::SinH, unary, runFunction, nullptr, true},
    {Op::CosH, unary, runFunction, nullptr, true},
    {Op::TanH, unary, runFunction, checkFunctionRounding, true},
    {Op::AbsF, unary, runSign<false>, nullptr, true},
    {Op::NegF, unary, runSign<true>, nullptr, true},
    {Op::FPowF, binary, runBinaryFunction<power>, nullptr, true},
    {Op::Atan2, binary, runBinaryFunction<arcTangent>, nullptr, true},
    {Op::RemF, binary, runBinaryFunction<remainder>, nullptr, true},
    {Op::FPowI, "A/e:float A:int -> A/e", runIntegerPower, checkIntegerPower, true},
    {Op::MaxF, binary, runChoose<true>, checkFlush<1>, true},
    {Op::MinF, binary, runChoose<false>, checkFlush<1>, true},
    {Op::CmpF, "A/e:float A/e -> A:i1", runCompare, nullptr, true},
};

} // namespace

std::span<const Semantics> arithmeticRows() { return rows; }

} // namespace tessera::tile_eval
