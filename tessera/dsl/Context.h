// Context: the program that is being written, and every mistake its author made so far.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <source_location>
#include <string>
#include <vector>

namespace tessera::dsl {

/// Where in the author's C++ a call stands. Every function of this room takes a Place as its last
/// parameter, whose default is the place of the call.
using Place = std::source_location;

/// A mistake of the author: a sentence, and the place of the call that it is about.
struct Mistake {
  std::string file;
  unsigned line = 0, column = 0; // from 1
  std::string text;

  std::string str() const; // "gemm.cpp:12:7: error: ..."
  friend bool operator==(const Mistake &, const Mistake &) = default;
};

/// The module that is being written, the place of the next operation, the target, and the mistakes.
/// The functions of this room work on the context of their thread: the newest one that still lives.
/// Nothing here aborts or throws: a call that fails records a mistake and returns a poisoned value.
/// Calls that take a poisoned value report nothing.
class Context {
public:
  /// Loads the dialects that programs need, and makes this the context of the thread.
  explicit Context(mlir::MLIRContext *, atom::Target target = hopper());
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  /// Makes the context that was there before the thread's context again.
  ~Context();

  /// The thread's context; null if there is none.
  static Context *current();
  /// The default target: sm_90a.
  static atom::Target hopper();

  mlir::MLIRContext *mlirContext() { return module->getContext(); }
  mlir::OpBuilder &builder() { return ops; }
  mlir::ModuleOp ir() { return *module; }
  const atom::Target &target() const { return gpu; }
  /// A place as a location of the IR: file, line and column.
  mlir::Location location(Place);

  // A mistake that a C++ loop repeats in each iteration is recorded once.
  void mistake(Place, std::string text);
  void mistake(Mistake);
  const std::vector<Mistake> &mistakes() const { return found; }

  /// The verified module; null after a mistake, when all mistakes become errors of the MLIR
  /// context, each at its place. The context is empty afterwards.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

private:
  mlir::OpBuilder ops;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  atom::Target gpu;
  std::vector<Mistake> found;
  Context *before;
};

} // namespace tessera::dsl
