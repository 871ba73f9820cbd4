// Linking: combines several modules of PTX into one, as a driver does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Errors.h"

#include <string>
#include <vector>

namespace tessera::ptx_text {

/// One text with the contents of all modules. A module's `.extern` declaration refers to another
/// one's definition; of several `.weak` definitions one is kept, and a module's own names are
/// renamed if another module has the same. PTX ISA 5.4.1 and 11.6 define the linking directives.
/// Fails with MultipleDefinitions, or if a text cannot be split into tokens.
Result<std::string> link(const std::vector<std::string> &modules);

} // namespace tessera::ptx_text
