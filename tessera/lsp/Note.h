// Note: a description of a layout in the text of IR, for an editor's hover.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::lsp {

/// Markdown on the layout that is written at a column of a line, counted in bytes from 0: size,
/// cosize, and a small one drawn. A layout is a quoted string of a type, "(8,4):(4,1)" or "S<3,4,3>
/// o 0 o ...", or one after its swizzle, as memrefs have it: S<3,4,3>, "...". Between `!cute.` and
/// the end of a type, but outside of the quotes, it is the type's last. Empty where no layout is
/// written.
std::optional<std::string> noteAt(std::string_view line, size_t column);

/// The same for the last layout of a text.
std::optional<std::string> noteOf(std::string_view text);

} // namespace tessera::lsp
