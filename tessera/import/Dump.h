// Dump: a file in which several modules follow each other, each with aliases of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tessera::import {

/// CuTe DSL appends what it prints to one file (CUTE_DSL_KEEP_IR), and every module defines `#loc`
/// and the aliases of its types again, which a parser refuses. These are the texts of the modules,
/// each with as many empty lines before it as it has lines before it in the file. Empty if the file
/// defines no alias twice: then it can be read as it is.
std::vector<std::string> modulesOf(llvm::StringRef text);

} // namespace tessera::import
