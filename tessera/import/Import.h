// Reading MLIR in this project's spelling, or in that of CuTe DSL's own LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Version.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>

namespace llvm {
class SourceMgr;
}

namespace tessera::import {

/// What an import did, and the time of each step in seconds; a step that was not needed took none.
struct Report {
  double direct = 0;   ///< reading in our spelling, up to the error if it is not
  double foreign = 0;  ///< making the foreign context and reading there
  double rewrite = 0;  ///< the rows, and verifying what they made
  double handOver = 0; ///< to the caller's context, as bytecode, and verifying there
  /// Number of foreign ops of each name; empty if the file is in our spelling.
  std::map<std::string, unsigned> ops;
  /// The version that the file was read as; null if it is in our spelling, with errors or without.
  const Version *version = nullptr;
  /// Whether values have types that only their uses state (parseStated). MLIR's parser does not
  /// read such a text, though it is in our spelling.
  bool weaker = false;
  /// Whether what modules in the module had is now the module's own.
  bool nested = false;
  /// Whether a note says what there is instead of a name that nobody knows.
  bool unknown = false;
};

/// Reads the main buffer of `source`, text or bytecode (as Input.h says), into a verified module of
/// `context`, in LLVM 22's spelling, whatever the file's spelling is. All dialects that the module
/// may need have to be registered in `context` (among them nvvm and vector); `ownDialects`
/// registers what a foreign file may use besides builtin, arith, cf, func, gpu, llvm, math, scf and
/// vector: cute, cute_nvgpu and cuda. Locations are those of the file. Null after an error, which
/// goes to the handlers of `context`; all foreign ops that cannot be imported are reported, not
/// just the first.
///
/// The version of CuTe DSL that wrote the file is recognised if `how` does not say it. A dump
/// of several modules, side by side or in each other, becomes one module; symbols of the later ones
/// get new names where they have to. Kernels and launches are those of the newest version
/// (Launch.h).
mlir::OwningOpRef<mlir::ModuleOp> importModule(llvm::SourceMgr &source, mlir::MLIRContext &context,
                                               const mlir::DialectRegistry &ownDialects,
                                               Report *report = nullptr, Reading how = {});

} // namespace tessera::import
