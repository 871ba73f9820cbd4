// Host functions by name; texts of arguments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Entry.h"

#include "tessera/driver/Compiler.h"
#include "tessera/jit/Parameters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace tessera;
using namespace tessera::cli;

/// A function of the host as dumps have it after its lowering: no types that say what it takes.
static mlir::LLVM::LLVMFuncOp loweredHostFunction(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      return function;
  return {};
}

Result<Entry> tessera::cli::chooseEntry(mlir::ModuleOp module, const std::string &part) {
  std::vector<mlir::func::FuncOp> functions = jit::hostFunctions(module);
  if (mlir::LLVM::LLVMFuncOp lowered = loweredHostFunction(module); lowered && functions.empty())
    return Reason{
        "HostLowered",
        cat("the host code of the file is lowered to the LLVM dialect already (llvm.func '",
            lowered.getSymName().str(),
            "'), so there is no func.func with CuTe types to bind arguments to: give an "
            "earlier dump, or run the kernel alone: tessera compile FILE --emit ptx -o "
            "k.ptx, then tessera sim k.ptx with --grid, --block and --arg")};
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
