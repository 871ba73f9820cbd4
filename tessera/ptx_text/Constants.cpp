// The table of operators of constant expressions. PTX ISA 4.5.6, Table 5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/Constants.h"

#include <algorithm>
#include <bit>

namespace tessera::ptx_text {

namespace {

using enum BinaryOperator::Operands;
// Longer ones first, as `<` begins `<<`.
constexpr BinaryOperator operators[] = {
    {"||", 1, Unsigned}, {"&&", 2, Unsigned}, {"==", 6, Common},  {"!=", 6, Common},
    {"<=", 7, Common},   {">=", 7, Common},   {"<<", 8, First},   {">>", 8, First},
    {"|", 3, Unsigned},  {"^", 4, Unsigned},  {"&", 5, Unsigned}, {"<", 7, Common},
    {">", 7, Common},    {"+", 9, Common},    {"-", 9, Common},   {"*", 10, Common},
    {"/", 10, Common},   {"%", 10, Unsigned},
};

template <class T> Constant constantOf(T value) {
  if constexpr (std::is_same_v<T, double>)
    return {Constant::Real, std::bit_cast<uint64_t>(value)};
  else
    return {std::is_signed_v<T> ? Constant::Signed : Constant::Unsigned, uint64_t(value)};
}
Constant truth(bool is) { return {Constant::Signed, is}; }

/// Operators whose operands have been converted to one type. Integers wrap.
template <class T> std::optional<Constant> common(std::string_view op, T a, T b) {
  using Wrapping = std::conditional_t<std::is_same_v<T, double>, double, uint64_t>;
  if (op.size() == 2)
    return truth(op == "==" ? a == b : op == "!=" ? a != b : op == "<=" ? a <= b : a >= b);
  switch (op[0]) {
  case '<': return truth(a < b);
  case '>': return truth(a > b);
  case '+': return constantOf(T(Wrapping(a) + Wrapping(b)));
  case '-': return constantOf(T(Wrapping(a) - Wrapping(b)));
  case '*': return constantOf(T(Wrapping(a) * Wrapping(b)));
  default: break;
  }
  if constexpr (!std::is_same_v<T, double>) {
    if (b == 0)
      return std::nullopt;
    if (std::is_signed_v<T> && b == T(-1))
      return constantOf(T(0 - uint64_t(a)));
  }
  return constantOf(T(a / b));
}

template <class T> T shifted(bool left, T a, uint64_t by) {
  if (left)
    return by < 64 ? T(uint64_t(a) << by) : 0;
  return T(a >> std::min<uint64_t>(by, 63)) >> (by < 64 ? 0 : 1); // all of it, but its sign
}

/// Operators that read bits, and give a boolean or bits.
std::optional<Constant> unsignedly(std::string_view op, uint64_t a, uint64_t b) {
  if (op.size() == 2)
    return truth(op == "||" ? a || b : a && b);
  switch (op[0]) {
  case '|': return constantOf(a | b);
  case '^': return constantOf(a ^ b);
  case '&': return constantOf(a & b);
  default: return b ? std::optional(constantOf(int64_t(a % b))) : std::nullopt;
  }
}

double realOf(Constant c) {
  return c.kind == Constant::Real     ? std::bit_cast<double>(c.bits)
         : c.kind == Constant::Signed ? double(int64_t(c.bits))
                                      : double(c.bits);
}

} // namespace

const BinaryOperator *findOperator(std::string_view text) {
  auto found = std::find_if(std::begin(operators), std::end(operators),
                            [&](const BinaryOperator &op) { return text.starts_with(op.text); });
  return found == std::end(operators) ? nullptr : found;
}

Result<Constant> apply(const BinaryOperator &op, Constant a, Constant b) {
  bool reals = a.kind == Constant::Real || b.kind == Constant::Real;
  if (reals && op.operands != Common)
    return fail(Error::ConstantOperands, op.text);
  std::optional<Constant> out;
  if (op.operands == Unsigned)
    out = unsignedly(op.text, a.bits, b.bits);
  else if (op.operands == First)
    out = a.kind == Constant::Signed ? constantOf(shifted(op.text == "<<", int64_t(a.bits), b.bits))
                                     : constantOf(shifted(op.text == "<<", a.bits, b.bits));
  else if (reals)
    out = common(op.text, realOf(a), realOf(b));
  else if (a.kind == Constant::Signed && b.kind == Constant::Signed)
    out = common(op.text, int64_t(a.bits), int64_t(b.bits));
  else
    out = common(op.text, a.bits, b.bits);
  if (!out)
    return fail(Error::ConstantDivision, op.text);
  return *out;
}

Result<Constant> apply(char sign, Constant c) {
  bool real = c.kind == Constant::Real;
  switch (sign) {
  case '+': return c;
  case '-': return Constant{c.kind, real ? c.bits ^ uint64_t(1) << 63 : 0 - c.bits};
  default: break;
  }
  if (real)
    return fail(Error::ConstantOperands, std::string(1, sign));
  return sign == '!' ? truth(!c.isTrue()) : Constant{Constant::Unsigned, ~c.bits};
}

} // namespace tessera::ptx_text
