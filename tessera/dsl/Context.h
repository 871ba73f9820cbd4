// Context: the program that is being written, and every mistake that its author made so far.
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

/// Where in the author's C++ a call is written. Every function of this room takes one as its last
/// parameter, whose default is the place of the call.
using Place = std::source_location;

/// A mistake of the author: a sentence, and where the call is written that it is about.
struct Mistake {
  std::string file;
  unsigned line = 0, column = 0; // from 1
  std::string text;

  std::string str() const; // "gemm.cpp:12:7: error: ..."
  friend bool operator==(const Mistake &, const Mistake &) = default;
};

/// The module that is written, the place where the next operation goes, the target, and the
/// mistakes. The functions of this room work on the context of their thread: the one that was made
/// last and still lives. Nothing here aborts or throws: a call that fails records a mistake and
/// gives a poisoned value, of which the calls that use it say nothing.
class Context {
public:
  /// Loads the dialects that programs need, and becomes the context of this thread.
  explicit Context(mlir::MLIRContext *, atom::Target target = hopper());
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  /// The context that was there before is the thread's again.
  ~Context();

  /// The thread's context; null where none lives.
  static Context *current();
  /// The target if none is given: sm_90a.
  static atom::Target hopper();

  mlir::MLIRContext *mlirContext() { return module->getContext(); }
  mlir::OpBuilder &builder() { return ops; }
  mlir::ModuleOp ir() { return *module; }
  const atom::Target &target() const { return gpu; }
  /// A place as IR has it: file, line and column.
  mlir::Location location(Place);

  // A loop of C++ makes the same mistake each time round; it is one.
  void mistake(Place, std::string text);
  void mistake(Mistake);
  const std::vector<Mistake> &mistakes() const { return found; }

  /// The module, verified; null after a mistake. All mistakes are then errors of the MLIR context,
  /// each at its place. The context is empty afterwards.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

private:
  mlir::OpBuilder ops;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  atom::Target gpu;
  std::vector<Mistake> found;
  Context *before;
};

} // namespace tessera::dsl
