// Reads numbers and operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Cursor.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

namespace tessera::sim {

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
  case Name: return cat(negated ? "!" : "", name, moved);
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

Result<Operand> Cursor::number() {
  bool minus = take("-"), flip = !minus && take("~");
  if (peek().kind != Token::Number)
    return unexpected("a number");
  Operand out;
  if (std::optional<uint64_t> value = integerOf(peek().text)) {
    out.kind = Operand::Integer;
    out.bits = minus ? 0 - *value : flip ? ~*value : *value;
  } else if (std::optional<Operand> value = floatOf(peek().text)) {
    out = *value;
    if (minus)
      out.bits ^= uint64_t(1) << (out.kind == Operand::Single ? 31 : 63);
  } else
    return at_(fail(Error::Number, peek().text));
  take();
  return out;
}

/// `+8`, `-8`, `+-8`, or nothing.
Result<int64_t> Cursor::offset() {
  uint64_t sum = 0;
  while (peek().is("+") || peek().is("-")) {
    bool minus = take().is("-");
    minus ^= take("-");
    TESSERA_TRY(uint64_t value, integer());
    sum += minus ? 0 - value : value;
  }
  return int64_t(sum);
}

Result<Operand> Cursor::name() {
  Operand out;
  out.negated = take("!");
  TESSERA_TRY(out.name, word("an operand"));
  out.kind = out.name == "_" ? Operand::Sink : Operand::Name;
  if (out.name == "generic" &&
      take("(")) { // generic(name): variables lie in the generic space anyway
    TESSERA_TRY(out.name, word("a variable"));
    SIM_CHECK(expect(")"));
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
  for (Operand::Kind kind : {Operand::Vector, Operand::List})
    if (take(kind == Operand::Vector ? "{" : "(")) {
      Operand out;
      out.kind = kind;
      ++depth;
      TESSERA_TRY(out.parts, operands(kind == Operand::Vector ? "}" : ")"));
      --depth;
      return out;
    }
  return peek().kind == Token::Number || peek().is("-") || peek().is("~") ? number() : name();
}

Result<std::vector<Operand>> Cursor::operands(std::string_view close) {
  std::vector<Operand> out;
  if (take(close))
    return out;
  do {
    TESSERA_TRY(Operand next, operand());
    out.push_back(std::move(next));
  } while (take(","));
  SIM_CHECK(expect(close));
  return out;
}

} // namespace tessera::sim
