// Lines: the widths of texts, and line breaks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::render {

/// Columns that `text` takes in a terminal: its characters, not bytes.
int columns(std::string_view text);
/// `text` broken at blanks into lines of at most `width` columns, as far as its words allow.
std::vector<std::string> wrapped(std::string_view text, int width);

} // namespace tessera::render
