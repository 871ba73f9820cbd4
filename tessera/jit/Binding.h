// Binding: arguments of the command line as values of a host function's parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter has its type from before lowering (!cute.memref, !cute.ptr, numbers, !cuda.stream).
// Bytes are those of the type that lower::LoweredTypes gives it, laid out as LLVM does on x86-64.
//
// A tensor's shape has one extent for each leaf of the parameter's layout, in their order. Unless
// `:stride=` says otherwise, memory is compact: the mode whose stride the type fixes at 1 is
// innermost, the others follow from right to left if it is the last one, else from left to right;
// without such a mode the last one is innermost. A stride that the type fixes at another number has
// that number.
//
// gmem is memory of the device; a generic pointer is one to host memory, as CuTe DSL passes tensors
// of the CPU. Parameters that nobody can give (streams, static shapes and layouts) have no
// argument.
#pragma once

#include "tessera/run/Argument.h"
#include "tessera/run/Device.h"

#include "mlir/IR/TypeRange.h"

namespace tessera::jit {

/// A parameter with its value. Owns the tensor, the host's and the device's memory; must
/// not outlive the device.
class Bound {
public:
  /// The value of a `!cuda.stream`.
  static Bound stream(run::StreamId);

  /// Where HostCode::call finds the value; null if the parameter has no content.
  void *value() { return bytes.empty() ? nullptr : bytes.data(); }
  /// The value, in the lowered type's layout.
  std::span<const std::byte> valueBytes() const { return bytes; }

  /// The tensor of a memref or pointer; null for anything else. Its elements are those that
  /// were given, until download().
  run::Tensor *tensor() { return content ? &*content : nullptr; }
  const run::Tensor *tensor() const { return content ? &*content : nullptr; }
  /// Where the kernel sees element 0; 0 if there is no tensor.
  run::Address address() const { return start; }

  /// Brings the tensor to the kernel's memory: bind() did so once. Nothing to do for a number.
  run::Status upload();
  /// Brings the kernel's memory back into the tensor, gaps too.
  run::Status download();

private:
  friend class Binder;

  std::vector<std::byte> bytes;
  std::optional<run::Tensor> content;
  run::Device *device = nullptr; // of the memory; null: the host's
  run::DeviceBuffer memory;
  run::Bytes hostMemory;
  run::Address start = 0;
};

/// Whether a parameter takes an `--arg`: it has content and is not a stream.
bool takesArgument(mlir::Type parameter);

/// The value of one parameter. `number` is the argument's 0-based number: for sentences, and the
/// seed of a `rand` without one. A device is needed for pointers to gmem only. Reasons say which
/// argument, what was expected, what came and what to do.
Result<Bound> bind(mlir::Type parameter, const run::Argument &, run::Device *, size_t number);

/// All parameters of a function.
struct Arguments {
  std::vector<Bound> parameters;
  std::vector<size_t> numbers; // for each --arg the parameter that it is

  Bound &argument(size_t number) { return parameters[numbers[number]]; }
  /// What HostCode::call takes; valid while this is not moved or changed.
  std::vector<void *> values();
};

/// Binds the arguments in order to the parameters that take one; streams get `stream`. Fails for
/// another number of arguments than parameters, and where bind() does.
Result<Arguments> bindAll(mlir::TypeRange parameters, std::span<const run::Argument>, run::Device *,
                          run::StreamId stream = run::StreamId::Default);

} // namespace tessera::jit
