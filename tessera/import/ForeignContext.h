// A context that reads files in the vendor's spelling: stand-ins for the dialects that differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/import/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"

namespace tessera::import {

/// In here `nvvm` and `nvgpu` take any op and keep attributes and types as text. `vector` and our
/// dialects are themselves, with the few ops added that have a row but no definition
/// (`vector.splat`).
class ForeignContext {
public:
  /// `target` is the context that the module goes to; `ownDialects` registers cute, cute_nvgpu and
  /// cuda. Types that a text leaves out are those of `version`.
  ForeignContext(mlir::MLIRContext &target, const mlir::DialectRegistry &ownDialects,
                 const Version &version);

  mlir::MLIRContext *get() { return &context; }
  /// The version that the foreign context `context` reads; null if it is no such context.
  static const Version *version(mlir::MLIRContext *context);
  /// The context that the foreign context `context` reads for.
  static mlir::MLIRContext *target(mlir::MLIRContext *context);

private:
  mlir::MLIRContext context;
};

/// Whether the op has no definition, in a dialect that lets any name pass: the stand-ins, and
/// upstream's nvvm and llvm.
bool isUndefined(mlir::OperationName name);

} // namespace tessera::import
