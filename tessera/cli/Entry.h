// Entry: the host function of a file to call, and its arguments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"
#include "tessera/run/Argument.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tessera::cli {

/// A host function as it is before lowering.
struct Entry {
  mlir::func::FuncOp function;
  std::string name;
  std::vector<mlir::Type> parameters;
};
/// The only one of jit::hostFunctions, or the one that `part` is a unique part of.
Result<Entry> chooseEntry(mlir::ModuleOp, const std::string &part);

/// The texts of --arg.
Result<std::vector<run::Argument>> parseArguments(const std::vector<std::string> &texts);

} // namespace tessera::cli
