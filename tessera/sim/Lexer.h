// Lexer: PTX text as words, numbers, strings and punctuation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Errors.h"

#include <vector>

namespace tessera::sim {

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

/// All tokens, the last of them End, or a reason with its line. Comments are skipped.
Result<std::vector<Token>> tokenize(std::string_view text);

/// "line 7: what\n  the text of line 7".
Reason atLine(std::string_view text, int line, Reason);

} // namespace tessera::sim
