// Parser: PTX text to its tree, for a whole file or only its outline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Errors.h"
#include "tessera/ptx_text/Tree.h"

#include <memory>

namespace tessera::ptx_text {

/// The tree of a whole file, or a reason with line and text. The tree keeps the text. Source: PTX
/// ISA 9.0, chapters 4, 5, 7 and 11.
Result<std::unique_ptr<Module>> parseModule(std::string text);

/// The statements of a piece of a body, such as inline assembly, up to its end; braces in it must
/// be balanced. A semicolon at the end may be missing. The statements point into the text.
Result<std::vector<Statement>> parseStatements(std::string_view text);

/// The parts of a file that can be read without parsing its code.
struct Outline {
  std::string_view version, target;      // as written: "8.0", "sm_90a"; the target may be missing
  std::vector<std::string_view> kernels; // names of its entries, in their order
};
/// The outline of a file, even of one with directives that the parser does not know. A reason if
/// its first word is not .version, or if it has something that no PTX has. The views point into the
/// text.
Result<Outline> outlineOf(std::string_view text);

} // namespace tessera::ptx_text
