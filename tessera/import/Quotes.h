// Quotes: whether places of a text are in a string or in a comment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera::import {

/// Asked from the first place of a text to the last, so that the text is read once: a file of one
/// line may have as many places as bytes. Strings and comments end with their line.
class Quotes {
public:
  explicit Quotes(llvm::StringRef text) : text(text) {}

  /// Whether a place, not before the one asked for last, is in a string or in a comment.
  bool hold(size_t place) {
    for (; next < place && next < text.size(); ++next) {
      const char c = text[next];
      if (c == '\n')
        inString = inComment = false;
      else if (inComment)
        continue;
      else if (inString && c == '\\')
        ++next; // what follows it is of the text
      else if (c == '"')
        inString = !inString;
      else if (!inString)
        inComment = text.substr(next).starts_with("//");
    }
    return inString || inComment;
  }

private:
  llvm::StringRef text;
  size_t next = 0;
  bool inString = false, inComment = false;
};

} // namespace tessera::import
