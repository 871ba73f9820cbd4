// MlirProgram: what our programs around MLIR's mains share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that nobody vouches for are read as every program reads them, and the process ends as it
// should.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mlir {
class MlirOptMainConfig;
}

namespace tessera {

/// process::run of a program whose command line LLVM's parser reads: with --version, which says
/// `name`, and --timeout.
int runMlirProgram(int argc, char **argv, const char *name, int (*program)(int argc, char **argv));

/// import::readFile; null after an error, which went to stderr.
std::unique_ptr<llvm::MemoryBuffer> readFile(const std::string &path);

/// A text for mlir-opt's parser, null after an error, or what there is to do it on already.
struct Input {
  std::unique_ptr<llvm::MemoryBuffer> text;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
/// What mlir-opt does. `read`, if there is one, may make another text of the file's, and with a
/// context, which has the dialects of the registry, a module of it in the same spelling.
using ReadText = Input(std::unique_ptr<llvm::MemoryBuffer>, mlir::MLIRContext *,
                       const mlir::MlirOptMainConfig &);
int optMain(int argc, char **argv, const char *title, mlir::DialectRegistry &registry,
            ReadText *read = nullptr);

} // namespace tessera
