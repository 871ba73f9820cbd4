// Sentence: a row of a table of messages, and its text filled in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A room keeps its sentences in a `.def` file, one row each: `ERROR(id, text)`. Errors.inc makes
// the enum of the ids, the table and `fail` from it; everything else is here.
#pragma once

#include "tessera/base/Result.h"

#include <cstdint>
#include <initializer_list>

namespace tessera {

struct Sentence {
  std::string_view id, text;
};

/// `text` with {0} to {9} replaced by the pieces; a hole without a piece becomes nothing.
inline std::string filled(std::string_view text, std::initializer_list<std::string> pieces) {
  std::string out;
  while (!text.empty()) {
    bool hole =
        text.size() > 2 && text[0] == '{' && text[2] == '}' && text[1] >= '0' && text[1] <= '9';
    if (!hole) {
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    size_t index = size_t(text[1] - '0');
    if (index < pieces.size())
      out += pieces.begin()[index];
    text.remove_prefix(3);
  }
  return out;
}

/// The sentence with its holes filled by text, characters and numbers, as a refusal.
template <class... Pieces> Reason refusal(const Sentence &sentence, const Pieces &...pieces) {
  return {sentence.id, filled(sentence.text, {cat(pieces)...})};
}

} // namespace tessera
