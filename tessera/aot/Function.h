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
/// arguments, which lies in memory as declarationOf says, and calls. A cf.assert of the host
/// function that does not hold ends the call with a code.
void define(const Function &, llvm::Module &);
/// Writes the function that gives the sentence of the last one that did not hold on the thread.
void defineMessage(const std::string &name, llvm::Module &);

/// Writes `__tvm_ffi_NAME` beside it, which TVM FFI calls: it makes the struct of tagged values.
void defineForTvm(const Function &, llvm::Module &);

/// Its struct and its declaration, with what has to hold.
std::string declarationOf(const Function &);
/// The whole header.
std::string headerOf(const std::vector<Function> &, const std::string &name,
                     const std::string &file);

} // namespace tessera::aot
