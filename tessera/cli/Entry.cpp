// Host functions by name; texts of arguments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Entry.h"

#include "tessera/driver/Compiler.h"
#include "tessera/jit/Parameters.h"

using namespace tessera;
using namespace tessera::cli;

Result<Entry> tessera::cli::chooseEntry(mlir::ModuleOp module, const std::string &part) {
  std::vector<mlir::func::FuncOp> functions = jit::hostFunctions(module);
  std::vector<std::string> names;
  for (mlir::func::FuncOp function : functions)
    names.push_back(function.getSymName().str());
  TESSERA_TRY(size_t chosen, driver::chooseName(names, part, "host function", "--entry"));
  llvm::ArrayRef<mlir::Type> types = functions[chosen].getArgumentTypes();
  return Entry{functions[chosen], names[chosen], {types.begin(), types.end()}};
}

Result<std::vector<run::Argument>>
tessera::cli::parseArguments(const std::vector<std::string> &texts) {
  std::vector<run::Argument> arguments;
  for (const std::string &text : texts) {
    TESSERA_TRY(run::Argument argument, run::parseArgument(text));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}
