// A context that reads files in the vendor's spelling: stand-ins for the dialects that differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"

namespace tessera::import {

/// A context with the few ops added that have a row but no definition (`vector.splat`).
class ForeignContext {
public:
  /// Which definitions the other ops have. `Theirs`: `nvvm` and `nvgpu` take any op and keep
  /// attributes and types as text; `vector` and our dialects are the real ones. `Ours`: all
  /// dialects are those of LLVM 22, for files in its spelling that contain some of the added ops.
  enum class Spelling {
    Theirs,
    Ours
  };
  /// `target` is the context that receives the module; `ownDialects` registers cute, cute_nvgpu and
  /// cuda. Types that a text leaves out are those of `version`.
  ForeignContext(mlir::MLIRContext &target, const mlir::DialectRegistry &ownDialects,
                 const Version &version, Spelling spelling = Spelling::Theirs);

  mlir::MLIRContext *get() { return &context; }
  /// The version that the foreign context `context` reads; null if it is not a foreign context or
  /// reads our spelling.
  static const Version *version(mlir::MLIRContext *context);
  /// The context that the foreign context `context` reads for.
  static mlir::MLIRContext *target(mlir::MLIRContext *context);

private:
  mlir::MLIRContext context;
};

/// Whether strides in `context` may be ratios, 1/2@0 (CuteDialect::readsRatios).
void readRatios(bool reads, mlir::MLIRContext &context);
/// The same, once a context of `registry` loads the dialect.
void readRatios(mlir::DialectRegistry &registry);
/// Whether they may be in this file: CuTe DSL's have them, NVIDIA's public dialect refuses them.
bool hasRatios(llvm::StringRef text);

/// Whether the op is defined in LLVM 22 or here, and not added to a foreign context to be
/// rewritten.
bool isDefined(mlir::OperationName name);
/// Whether the op has no definition, in a dialect that lets any name pass: the stand-ins, and
/// upstream's nvvm and llvm.
bool isUndefined(mlir::OperationName name);

} // namespace tessera::import
