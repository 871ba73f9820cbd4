// Refusal: why an expression has no value, where in its text, and what to do about it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <cstddef>
#include <string>

namespace tessera::eval {

/// A piece of the expression's text, in bytes: [begin, end).
struct Span {
  size_t begin = 0, end = 0;
};

struct Refusal {
  Reason reason;
  Span where;
  std::string detail; // what was computed, in a line; may be empty
  std::string help;   // what to do, in a line; may be empty
};

/// The refusal as people read it: the sentence, the expression's line with the place underlined,
/// the detail and the help. Ends with a newline.
std::string str(const Refusal &, const std::string &expression);

} // namespace tessera::eval
