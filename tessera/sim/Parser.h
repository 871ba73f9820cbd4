// Parser: PTX text to its tree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Ast.h"
#include "tessera/sim/Errors.h"

#include <memory>

namespace tessera::sim {

/// The tree of a whole file, or a reason with line and text. The tree keeps the text. Source: PTX
/// ISA 9.0, chapters 4, 5, 7 and 11.
Result<std::unique_ptr<ModuleAst>> parseModule(std::string text);

} // namespace tessera::sim
