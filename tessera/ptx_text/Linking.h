// Linking: several modules of PTX as one, as a driver links them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Errors.h"

#include <string>
#include <vector>

namespace tessera::ptx_text {

/// One text that has what all of them have. What a module declares `.extern` is what another one
/// defines; of several `.weak` definitions one is left, and a module's own names are renamed where
/// another has the same. PTX ISA 5.4.1 and 11.6 say what the linking directives mean.
/// Fails with MultipleDefinitions, or where a text cannot be read as words.
Result<std::string> link(const std::vector<std::string> &modules);

} // namespace tessera::ptx_text
