// HostCode: the host functions of a lowered module, compiled for this machine and callable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace tessera::jit {

/// A host function as LLVM has it.
struct HostFunction {
  std::string name;
  size_t parameters = 0;
  std::string result; // its type in LLVM IR

  bool returnsStatus() const { return result == "void" || result == "i32"; }
};

/// Host functions as machine code for hostMachine(), which can be kept and loaded by another
/// process of the same build.
struct HostImage {
  std::string object; // an object file
  std::vector<HostFunction> functions;

  /// As texts, and back; none for texts that are not from parts().
  std::vector<std::string> parts() const;
  static std::optional<HostImage> from(std::span<const std::string> parts);
};

/// This machine, as far as code depends on it: triple, processor, features.
std::string hostMachine();

/// Compiled code, which lives as long as this object. Several threads may compile and load at once,
/// each a module of a context of its own; one object is used by one thread at a time, and a Runtime
/// (Runtime.h) belongs to the thread that made it current. Where LLVM would end the process
/// (report_fatal_error, a crash, an error without a handler) compile() and load() fail, with LLVM's
/// words.
class HostCode {
public:
  /// Compiles the `llvm.func`s at the top level of a module that has left the pipeline; its
  /// `gpu.module`s are skipped, and the module is not changed. Fails where the module does not
  /// translate to LLVM IR (diagnostics go to the context's handlers), or calls a function that is
  /// neither tessera_rt_* nor one of HostSymbols.cpp, or defines one with a name of ours.
  static Result<HostCode> compile(mlir::ModuleOp lowered);

  /// The code that image() of another one gave. Fails where it is not an object file of this
  /// machine that needs only what compile() allows.
  static Result<HostCode> load(const HostImage &);

  HostCode(HostCode &&) noexcept;
  HostCode &operator=(HostCode &&) noexcept;
  ~HostCode();

  /// What load() takes.
  const HostImage &image() const;

  /// The functions that have a body, in the module's order.
  std::vector<std::string> functions() const;

  /// Calls a function. `arguments[i]` points to the value of its parameter i in LLVM's layout for
  /// this machine; parameters without content are none (Bound::value gives null for them).
  /// Returns its i32 result, 0 for none. Launches go to the thread's current Runtime. Fails for a
  /// function that is not there, another number of arguments, a result that is not an i32, and
  /// where a `cf.assert` of the function does not hold: its sentence is the reason.
  Result<int32_t> call(std::string_view function, std::span<void *const> arguments);

  struct State; // for what compiles

private:
  explicit HostCode(std::unique_ptr<State>);
  static Result<HostCode> compileUnguarded(mlir::ModuleOp, std::unique_ptr<State> &);
  static Result<HostCode> loadUnguarded(const HostImage &, std::unique_ptr<State> &);
  std::unique_ptr<State> state;
};

} // namespace tessera::jit
