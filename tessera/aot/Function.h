// Function: an exported function, as C declares it and as code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Parameter.h"

#include "llvm/IR/Module.h"

namespace tessera::aot {

struct Function {
  std::string host; // its name in the file
  std::string name; // in C
  std::vector<run::Parameter> parameters;
};

/// The numbers of Codes.def.
enum class Code : int32_t {
#define CODE(name, number, meaning) name = number,
#include "tessera/aot/Codes.def"
#undef CODE
};

/// Writes the function of C into a module that has the host function: it checks its struct of
/// arguments, which lies in memory as declarationOf says, and calls.
void define(const Function &, llvm::Module &);

/// Its struct and its declaration, with what has to hold.
std::string declarationOf(const Function &);
/// The whole header.
std::string headerOf(const std::vector<Function> &, const std::string &name,
                     const std::string &file);

} // namespace tessera::aot
