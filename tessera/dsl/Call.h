// Call: one call by the author: its place, its operands, and its mistakes. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the room begins with a Call of its operands and returns a poisoned value unless
// `good()`. An operation made through the call is verified at once: an error of its verifier
// becomes a mistake at the author's line, and building goes on.
#pragma once

#include "tessera/cute/Build.h"
#include "tessera/dsl/Values.h"

#include "mlir/IR/Verifier.h"

namespace tessera::dsl {

class Call {
public:
  /// `name` is what the author called. Mistakes begin with it.
  template <class... Kinds>
  Call(const char *name, Place at, const Kinds &...operands)
      : context(Context::current()), name(name), at(at) {
    begin();
    (look(bool(operands), operands.poisoned()), ...);
    (reach(operands), ...);
  }
  /// Whether there is a context, every operand is set and not poisoned, and nothing failed.
  bool good() const { return fine; }

  mlir::OpBuilder &builder() { return context->builder(); }
  mlir::MLIRContext *mlirContext() { return context->mlirContext(); }
  mlir::Location location() { return context->location(at); }
  Context &ofThread() { return *context; }
  Place place() const { return at; }

  /// Records a mistake.
  void fail(const std::string &why);

  /// Creates and verifies an operation; null after a mistake.
  template <class Op, class... Parts> Op create(Parts &&...parts) {
    if (!fine)
      return {};
    return mlir::cast_or_null<Op>(
        checked([&] { return Op::create(builder(), location(), std::forward<Parts>(parts)...); }));
  }
  /// The first result of an operation whose result types follow from its operands; null after a
  /// mistake.
  template <class Op> mlir::Value infer(mlir::ValueRange operands, mlir::NamedAttrList attrs = {}) {
    llvm::SmallVector<mlir::Value> results = inferAll<Op>(operands, std::move(attrs));
    return results.empty() ? mlir::Value() : results.front();
  }
  /// All results of such an operation; none after a mistake.
  template <class Op>
  llvm::SmallVector<mlir::Value> inferAll(mlir::ValueRange operands,
                                          mlir::NamedAttrList attrs = {}) {
    if (!fine)
      return {};
    mlir::Operation *made = checked([&]() -> mlir::Operation * {
      mlir::FailureOr<Op> op = cute::build<Op>(builder(), location(), operands, std::move(attrs));
      return failed(op) ? nullptr : op->getOperation();
    });
    return made ? llvm::SmallVector<mlir::Value>(made->getResults())
                : llvm::SmallVector<mlir::Value>();
  }
  /// Runs code that emits diagnostics; each error becomes a mistake.
  template <class F> auto collecting(F &&f) {
    mlir::ScopedDiagnosticHandler handler(mlirContext(),
                                          [&](mlir::Diagnostic &said) { return note(said); });
    return f();
  }

  // Values of the algebra as values of the IR: constants where they are static.
  mlir::Value value(const Layout &);
  mlir::Value value(const Tile &);
  mlir::Value value(const Coord &, layout::TreeKind);

private:
  void begin();
  void look(bool set, bool poisoned);
  /// Records a mistake if the value was made in a region that has ended.
  void reach(mlir::Value);
  template <class Kind> void reach(const Kind &operand) {
    if constexpr (requires { operand.ir(); })
      reach(operand.ir());
    if constexpr (requires { operand.numbers(); })
      for (const Num &leaf : operand.numbers())
        reach(leaf.ir());
  }
  mlir::LogicalResult note(mlir::Diagnostic &);
  mlir::Operation *checked(llvm::function_ref<mlir::Operation *()> make);
  mlir::Value constant(const cute::Datum &);

  Context *context;
  const char *name;
  Place at;
  bool fine = true;
};

/// A pointer to shared memory as a pointer of the LLVM dialect; null after a mistake.
mlir::Value sharedPointer(Call &, const Pointer &);

} // namespace tessera::dsl
