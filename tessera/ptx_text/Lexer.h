// Lexer: PTX text as words, numbers, strings and punctuation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Errors.h"

#include <vector>

namespace tessera::ptx_text {

/// Words are names, directives and mnemonics with all of their dots: `ld.global.v4.b32`, `%tid.x`.
struct Token {
  enum Kind : uint8_t {
    Word,
    Number,
    String,
    Punctuation,
    End
  } kind = End;
  std::string_view text; // without the quotes of a string
  int line = 0;

  bool is(std::string_view what) const { return kind != String && text == what; }
};

/// Reads token by token, for callers that do not need all of them. Comments are skipped.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  /// The next token, End at the end, or a reason with its line.
  Result<Token> next();

private:
  char look(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  Status skipBlanks();
  bool isExponent(size_t start) const;
  Token token(Token::Kind kind, size_t start) const {
    return {kind, text.substr(start, at - start), line};
  }

  std::string_view text;
  size_t at = 0;
  int line = 1;
};

/// All tokens, the last of them End, or a reason with its line.
Result<std::vector<Token>> tokenize(std::string_view text);

/// A line of the text, from 1, without blanks around it; empty if there is none.
std::string_view lineOf(std::string_view text, int line);

/// "line 7: what\n  the text of line 7".
Reason atLine(std::string_view text, int line, Reason);
/// The line that atLine put into a reason; 0 for any other reason.
int lineSaid(const Reason &);

} // namespace tessera::ptx_text
