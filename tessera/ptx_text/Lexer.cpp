// Splits PTX text into tokens; puts lines into reasons.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/Lexer.h"

#include <algorithm>
#include <charconv>

namespace tessera::ptx_text {

namespace {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' ||
         c == '.';
}
constexpr bool isNamePart(char c) { return isNameStart(c) || isDigit(c); }
/// Of a number: 5%3 is three tokens.
constexpr bool isNumberPart(char c) { return isNamePart(c) && c != '%' && c != '$'; }

} // namespace

Status Lexer::skipBlanks() {
  while (at < text.size()) {
    if (look() == '\n')
      ++line, ++at;
    else if (look() == ' ' || look() == '\t' || look() == '\r')
      ++at;
    else if (look() == '/' && look(1) == '/')
      at = std::min(text.find('\n', at), text.size());
    else if (look() == '/' && look(1) == '*') {
      size_t end = text.find("*/", at + 2);
      if (end == text.npos)
        return atLine(text, line, fail(Error::Unterminated, "comment"));
      line += int(std::count(text.begin() + long(at), text.begin() + long(end), '\n'));
      at = end + 2;
    } else
      break;
  }
  return Done{};
}

Result<Token> Lexer::next() {
  TESSERA_CHECK(skipBlanks());
  if (at == text.size())
    return Token{Token::End, "the end of the file", line};
  size_t start = at;
  if (isDigit(look())) {
    while (isNumberPart(look()) || ((look() == '-' || look() == '+') && isExponent(start)))
      ++at;
    return token(Token::Number, start);
  }
  if (isNameStart(look())) {
    // `::` belongs to a modifier (.shared::cta), a single colon ends a label. Directives may follow
    // each other without a blank: .reg.b32.
    bool isDirective = look() == '.';
    while ((isNamePart(look()) && !(isDirective && at > start && look() == '.')) ||
           (look() == ':' && look(1) == ':') ||
           (look() == ':' && at > start && text[at - 1] == ':' && isNamePart(look(1))))
      ++at;
    return token(Token::Word, start);
  }
  if (look() == '"') {
    size_t end = text.find('"', at + 1);
    if (end == text.npos)
      return atLine(text, line, fail(Error::Unterminated, "string"));
    at = end + 1;
    return Token{Token::String, text.substr(start + 1, end - start - 1), line};
  }
  constexpr std::string_view punctuation = "{}[]()<>,;:=+-!?|@*&^~/";
  if (punctuation.find(look()) == punctuation.npos)
    return atLine(text, line, fail(Error::Character, std::string(1, look())));
  ++at;
  return token(Token::Punctuation, start);
}

/// A sign after the e of a decimal number, which 0x1e-4 is not.
bool Lexer::isExponent(size_t start) const {
  char before = text[at - 1];
  bool decimal = start + 1 >= text.size() || text[start] != '0' || isDigit(text[start + 1]) ||
                 text[start + 1] == '.';
  return decimal && (before == 'e' || before == 'E');
}

Result<std::vector<Token>> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (Lexer lexer(text); tokens.empty() || tokens.back().kind != Token::End;) {
    TESSERA_TRY(Token token, lexer.next());
    tokens.push_back(token);
  }
  return tokens;
}

std::string_view lineOf(std::string_view text, int line) {
  if (line < 1)
    return {};
  for (int i = 1; i < line; ++i) {
    size_t end = text.find('\n');
    if (end == text.npos)
      return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

Reason atLine(std::string_view text, int line, Reason reason) {
  return {reason.id,
          cat("line ", line, ": ", reason.text, "\n  ", lineOf(text, line).substr(0, 160))};
}

int lineSaid(const Reason &reason) {
  constexpr std::string_view before = "line ";
  const std::string &said = reason.text;
  int line = 0;
  if (!said.starts_with(before))
    return 0;
  auto [end, error] = std::from_chars(said.data() + before.size(), said.data() + said.size(), line);
  return error == std::errc() && std::string_view(end).starts_with(": ") ? line : 0;
}

} // namespace tessera::ptx_text
