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

/// A host function as it is in LLVM IR.
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

  /// The parts as texts, and an image from such texts; none for texts that are not from parts().
  std::vector<std::string> parts() const;
  static std::optional<HostImage> from(std::span<const std::string> parts);
};

/// The properties of this machine that code depends on: triple, processor, features.
std::string hostMachine();

/// Compiled code, which lives as long as this object. Several threads may compile and load at once,
/// each a module of its own context. Only one thread at a time may use an object, and a Runtime
/// (Runtime.h) belongs to the thread that made it current. Where LLVM would end the process
/// (report_fatal_error, a crash, an error without a handler), compile() and load() fail with LLVM's
/// message.
class HostCode {
public:
  /// Compiles the `llvm.func`s at the top level of a module that the pipeline has lowered; its
  /// `gpu.module`s are skipped, and the module is not changed. Fails if the module does not
  /// translate to LLVM IR (diagnostics go to the context's handlers), calls a function that is
  /// neither tessera_rt_* nor one of HostSymbols.cpp, or defines a function with a name of ours.
  static Result<HostCode> compile(mlir::ModuleOp lowered);

  /// Loads the code from another object's image(). Fails unless it is an object file of this
  /// machine that only needs what compile() allows.
  static Result<HostCode> load(const HostImage &);

  HostCode(HostCode &&) noexcept;
  HostCode &operator=(HostCode &&) noexcept;
  ~HostCode();

  /// The image to pass to load().
  const HostImage &image() const;

  /// The names of all functions with a body, in the module's order.
  std::vector<std::string> functions() const;

  /// Calls a function. `arguments[i]` points to the value of parameter i in LLVM's layout for this
  /// machine; parameters without content are left out (Bound::value gives null for them). Returns
  /// the i32 result, or 0 if there is none. Launches go to the thread's current Runtime. Fails if
  /// the function does not exist, the number of arguments is wrong, the result is not an i32, or a
  /// `cf.assert` of the function fails: its message is the reason.
  Result<int32_t> call(std::string_view function, std::span<void *const> arguments);

  struct State; // for the code that compiles

private:
  explicit HostCode(std::unique_ptr<State>);
  static Result<HostCode> compileUnguarded(mlir::ModuleOp, std::unique_ptr<State> &);
  static Result<HostCode> loadUnguarded(const HostImage &, std::unique_ptr<State> &);
  std::unique_ptr<State> state;
};

} // namespace tessera::jit
