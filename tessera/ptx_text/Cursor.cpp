// Reads numbers and operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/Cursor.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

namespace tessera::ptx_text {

namespace {

constexpr int maxDepth = 8; // of nested operands

/// 42, 0x2A, 052, 0b101, with or without U. PTX ISA 4.5.1.
std::optional<uint64_t> integerOf(std::string_view text) {
  if (!text.empty() && text.back() == 'U')
    text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    char mark = text[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

/// 0f3F800000, 0d3FF0000000000000, 1.5, 1e-3. PTX ISA 4.5.2.
std::optional<Operand> floatOf(std::string_view text) {
  Operand out;
  bool marked = text.size() > 2 && text[0] == '0';
  bool single = marked && (text[1] == 'f' || text[1] == 'F');
  if (single || (marked && (text[1] == 'd' || text[1] == 'D'))) {
    out.kind = single ? Operand::Single : Operand::Double;
    auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), out.bits, 16);
    bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && text.size() == (single ? 10u : 18u) ? std::optional(out) : std::nullopt;
  }
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  out.kind = Operand::Double;
  out.bits = std::bit_cast<uint64_t>(value);
  return out;
}

} // namespace

std::string Operand::str() const {
  auto list = [&](std::string_view open, std::string_view close) {
    std::string out(open);
    for (size_t i = 0; i < parts.size(); ++i)
      out += cat(i ? ", " : "", parts[i].str());
    return out + std::string(close);
  };
  std::string moved = offset ? cat(offset > 0 ? "+" : "", offset) : "";
  switch (kind) {
  case Name: return cat(negated ? "!" : minus ? "-" : "", name, moved);
  case Integer: return cat(int64_t(bits));
  case Single: return cat(std::bit_cast<float>(uint32_t(bits)));
  case Double: return cat(std::bit_cast<double>(bits));
  case Vector: return list("{", "}");
  case Address: return list("[", cat(moved, "]"));
  case Pair: return cat(parts[0].str(), "|", parts[1].str());
  case List: return list("(", ")");
  case Sink: return "_";
  }
  return "";
}

Result<uint64_t> Cursor::integer() {
  std::optional<uint64_t> value =
      peek().kind == Token::Number ? integerOf(peek().text) : std::nullopt;
  if (!value)
    return unexpected("an integer");
  take();
  return *value;
}

Status Cursor::skipBraces() {
  for (int open = 1; open; take()) {
    if (atEnd())
      return unexpected("'}'");
    open += peek().is("{") - peek().is("}");
  }
  return Done{};
}

Result<uint64_t> Cursor::extent() {
  TESSERA_TRY(Constant value, constant());
  if (value.kind == Constant::Real || (value.kind == Constant::Signed && int64_t(value.bits) < 0))
    return at_(fail(Error::Expected, "an integer that is not negative", "another number"));
  return value.bits;
}

//===--- Constant expressions: PTX ISA 4.5.5 -------------------------------------------------===//

/// Whether what comes next begins one. A minus and `!` may also stand before a register.
bool Cursor::startsConstant() const {
  size_t ahead = 0;
  while (peek(ahead).is("-") || peek(ahead).is("+") || peek(ahead).is("~") || peek(ahead).is("!") ||
         (!lists && peek(ahead).is("(")))
    ++ahead;
  bool cast =
      ahead && peek(ahead - 1).is("(") && (peek(ahead).is(".s64") || peek(ahead).is(".u64"));
  return peek(ahead).kind == Token::Number || cast;
}

/// The operator that comes next. A `%` may be a token with what follows it.
const BinaryOperator *Cursor::binaryOperator() {
  const Token &first = peek(), &second = peek(1);
  if (first.kind == Token::Word && first.text.starts_with('%'))
    return findOperator("%");
  if (first.kind != Token::Punctuation)
    return nullptr;
  bool together = second.kind == Token::Punctuation && first.text.data() + 1 == second.text.data();
  return findOperator(together ? std::string_view(first.text.data(), 2) : first.text);
}
void Cursor::takeOperator(const BinaryOperator &op) {
  Token &token = tokens[at];
  if (token.text.size() > op.text.size()) { // %3 is a % and a 3
    token.text.remove_prefix(1);
    token.kind = token.text[0] >= '0' && token.text[0] <= '9' ? Token::Number : Token::Word;
    return;
  }
  at += op.text.size();
}

Result<Constant> Cursor::literal() {
  if (peek().kind != Token::Number)
    return unexpected("a number");
  Constant out;
  if (std::optional<uint64_t> value = integerOf(peek().text))
    out = {peek().text.back() == 'U' || *value > uint64_t(INT64_MAX) ? Constant::Unsigned
                                                                     : Constant::Signed,
           *value};
  else if (std::optional<Operand> value = floatOf(peek().text)) {
    out = {Constant::Real, value->bits};
    if (value->kind == Operand::Single)
      out.bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(value->bits))));
  } else
    return at_(fail(Error::Number, peek().text));
  take();
  return out;
}

Result<Constant> Cursor::unary() {
  constexpr int deepest = 64;
  if (nesting > deepest)
    return unexpected("fewer nested parentheses");
  ++nesting;
  auto inner = [&]() -> Result<Constant> {
    for (char sign : {'+', '-', '~', '!'})
      if (take(std::string_view(&sign, 1))) {
        TESSERA_TRY(Constant value, unary());
        Result<Constant> out = apply(sign, value);
        return out ? out : Result<Constant>(at_(out.reason()));
      }
    if (!take("("))
      return literal();
    for (Constant::Kind kind : {Constant::Signed, Constant::Unsigned})
      if (take(kind == Constant::Signed ? ".s64" : ".u64")) {
        TESSERA_CHECK(expect(")"));
        TESSERA_TRY(Constant value, unary());
        if (value.kind == Constant::Real)
          return at_(fail(Error::ConstantOperands, kind == Constant::Signed ? "(.s64)" : "(.u64)"));
        return Constant{kind, value.bits};
      }
    TESSERA_TRY(Constant value, constant());
    TESSERA_CHECK(expect(")"));
    return value;
  };
  Result<Constant> out = inner();
  --nesting;
  return out;
}

/// Operators of a level and above, from left to right.
Result<Constant> Cursor::binary(int level) {
  if (level > highestLevel)
    return unary();
  TESSERA_TRY(Constant left, binary(level + 1));
  for (const BinaryOperator *op; (op = binaryOperator()) && op->level == level;) {
    takeOperator(*op);
    TESSERA_TRY(Constant right, binary(level + 1));
    Result<Constant> out = apply(*op, left, right);
    if (!out)
      return at_(out.reason());
    left = *out;
  }
  return left;
}

/// `a ? b : c` too, if the level is the lowest.
Result<Constant> Cursor::constant(int level) {
  TESSERA_TRY(Constant value, binary(std::max(level, lowestLevel)));
  if (level || !take("?"))
    return value;
  ++nesting;
  TESSERA_TRY(Constant whereTrue, constant());
  TESSERA_CHECK(expect(":"));
  TESSERA_TRY(Constant whereFalse, constant());
  --nesting;
  return value.isTrue() ? whereTrue : whereFalse;
}

/// A number: a single one of 32 bits (0f...) stands for itself.
Result<Operand> Cursor::number() {
  size_t ahead = peek().is("-") ? 1 : 0;
  std::optional<Operand> plain =
      peek(ahead).kind == Token::Number ? floatOf(peek(ahead).text) : std::nullopt;
  if (plain && plain->kind == Operand::Single) {
    at += ahead + 1;
    plain->bits ^= uint64_t(ahead) << 31;
    return *plain;
  }
  TESSERA_TRY(Constant value, constant());
  Operand out;
  out.kind = value.kind == Constant::Real ? Operand::Double : Operand::Integer;
  out.bits = value.bits;
  return out;
}

/// 0xff00(name): bits of an address. PTX ISA 5.4.4.
Result<Operand> Cursor::masked() {
  TESSERA_TRY(uint64_t mask, integer());
  TESSERA_CHECK(expect("("));
  TESSERA_TRY(Operand out, name());
  TESSERA_CHECK(expect(")"));
  out.mask = mask;
  return out;
}

//===--- Operands ----------------------------------------------------------------------------===//

/// `+8`, `-8`, `+-8`, or nothing; terms may be products.
Result<int64_t> Cursor::offset() {
  uint64_t sum = 0;
  while (peek().is("+") || peek().is("-")) {
    bool minus = take().is("-");
    TESSERA_TRY(Constant value, binary(highestLevel));
    if (value.kind == Constant::Real)
      return at_(fail(Error::ConstantOperands, minus ? "-" : "+"));
    sum += minus ? 0 - value.bits : value.bits;
  }
  return int64_t(sum);
}

Result<Operand> Cursor::name() {
  Operand out;
  out.negated = take("!");
  out.minus = negates && take("-");
  TESSERA_TRY(out.name, word("an operand"));
  out.kind = out.name == "_" ? Operand::Sink : Operand::Name;
  if (out.name == "generic" &&
      take("(")) { // generic(name): variables lie in the generic space anyway
    TESSERA_TRY(out.name, word("a variable"));
    TESSERA_CHECK(expect(")"));
  }
  TESSERA_TRY(out.offset, offset());
  if (depth > maxDepth || !take("|"))
    return out;
  Operand pair;
  pair.kind = Operand::Pair;
  ++depth;
  TESSERA_TRY(Operand second, name());
  --depth;
  pair.parts = {std::move(out), std::move(second)};
  return pair;
}

Result<Operand> Cursor::address() {
  Operand out;
  out.kind = Operand::Address;
  ++depth;
  TESSERA_TRY(out.parts, operands("]"));
  --depth;
  if (out.parts.empty())
    return unexpected("an address");
  std::swap(out.offset, out.parts[0].offset);
  return out;
}

Result<Operand> Cursor::operand() {
  if (depth > maxDepth)
    return unexpected("fewer nested operands");
  if (take("["))
    return address();
  if (peek().kind == Token::Number && peek(1).is("(") && peek(2).kind == Token::Word &&
      !peek(2).is(".s64") && !peek(2).is(".u64"))
    return masked();
  if (startsConstant())
    return number();
  for (Operand::Kind kind : {Operand::Vector, Operand::List})
    if (take(kind == Operand::Vector ? "{" : "(")) {
      Operand out;
      out.kind = kind;
      ++depth;
      TESSERA_TRY(out.parts, operands(kind == Operand::Vector ? "}" : ")"));
      --depth;
      return out;
    }
  return name();
}

Result<std::vector<Operand>> Cursor::operandsOf(std::string_view mnemonic, bool endsAtEnd) {
  std::string_view name = mnemonic.substr(0, mnemonic.find('.'));
  lists = name == "call";
  negates = name == "vmad";
  Result<std::vector<Operand>> out = operands(";", endsAtEnd);
  lists = negates = false;
  return out;
}

Result<std::vector<Operand>> Cursor::operands(std::string_view close, bool endsAtEnd) {
  std::vector<Operand> out;
  auto closes = [&] { return take(close) || (endsAtEnd && atEnd()); };
  if (closes())
    return out;
  do {
    TESSERA_TRY(Operand next, operand());
    out.push_back(std::move(next));
  } while (take(","));
  if (!closes())
    return unexpected(cat("'", close, "'"));
  return out;
}

} // namespace tessera::ptx_text
