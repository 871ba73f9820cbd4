// Cursor: the place in a list of tokens, and the pieces that directives and statements share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Constants.h"
#include "tessera/ptx_text/Lexer.h"
#include "tessera/ptx_text/Tree.h"

namespace tessera::ptx_text {

class Cursor {
public:
  Cursor(std::string_view text, std::vector<Token> tokens)
      : text(text), tokens(std::move(tokens)) {}

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  bool atEnd() const { return peek().kind == Token::End; }
  const Token &take() {
    const Token &token = peek();
    at += !atEnd();
    return token;
  }
  bool take(std::string_view what) {
    bool found = peek().is(what) && !atEnd();
    at += found;
    return found;
  }

  Status expect(std::string_view what) {
    if (take(what))
      return Done{};
    return unexpected(cat("'", what, "'"));
  }
  Reason unexpected(const std::string &what) const {
    return at_(fail(Error::Expected, what, cat("'", peek().text, "'")));
  }
  /// The reason with the line of the next token.
  Reason at_(Reason reason) const { return atLine(text, peek().line, std::move(reason)); }

  Result<std::string_view> word(const std::string &what) {
    if (peek().kind != Token::Word)
      return unexpected(what);
    return take().text;
  }
  Result<uint64_t> integer();
  void skipLine() {
    for (int line = peek().line; !atEnd() && peek().line == line;)
      take();
  }
  /// Skips past the `}` of a `{` that was already taken.
  Status skipBraces();

  Result<Operand> operand();
  /// Operands separated by commas up to `close`, which is taken; or up to the end of the text, if
  /// `endsAtEnd`.
  Result<std::vector<Operand>> operands(std::string_view close, bool endsAtEnd = false);
  /// The operands of an instruction: calls have lists in parentheses, where others have constant
  /// expressions, and vmad negates registers. They end with `;`, or at the end of the text if
  /// allowed.
  Result<std::vector<Operand>> operandsOf(std::string_view mnemonic, bool endsAtEnd = false);
  /// A constant expression that is an integer, and not negative.
  Result<uint64_t> extent();

private:
  bool startsConstant() const;
  Result<Constant> constant(int level = 0);
  Result<Constant> binary(int level);
  Result<Constant> unary();
  Result<Constant> literal();
  const BinaryOperator *binaryOperator();
  void takeOperator(const BinaryOperator &);
  Result<Operand> number();
  Result<Operand> masked();
  Result<Operand> name();
  Result<Operand> address();
  Result<int64_t> offset();

  std::string_view text;
  std::vector<Token> tokens;
  size_t at = 0;
  int depth = 0;                       // of nested operands
  int nesting = 0;                     // of constant expressions
  bool lists = false, negates = false; // see operandsOf
};

} // namespace tessera::ptx_text
