// Binding: arguments of the command line as values of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor's shape has one extent for each leaf of the parameter's layout, in their order. Unless
// `:stride=` says otherwise, memory is compact: the mode whose stride the type fixes at 1 is
// innermost, the others follow from right to left if it is the last one, else from left to right;
// without such a mode the last one is innermost. A stride that the type fixes at another number has
// that number.
//
// gmem is memory of the device; a generic pointer is one to host memory, as CuTe DSL passes tensors
// of the CPU. Parameters that nobody can give (streams, static shapes and layouts) have no
// argument. Tensors that a caller owns are bound by View.h.
#pragma once

#include "tessera/run/Argument.h"
#include "tessera/run/Device.h"
#include "tessera/run/Parameter.h"

namespace tessera::run {

/// A parameter with its value. Owns the tensor, the host's and the device's memory; must
/// not outlive the device.
class Bound {
public:
  /// The value of a stream.
  static Bound stream(StreamId);

  /// Where a host function finds the value; null if the parameter has no content.
  void *value() { return bytes.empty() ? nullptr : bytes.data(); }
  /// The value, in the lowered type's layout.
  std::span<const std::byte> valueBytes() const { return bytes; }

  /// The tensor of a memref or pointer; null for anything else. Its elements are those that
  /// were given, until download().
  Tensor *tensor() { return content ? &*content : nullptr; }
  const Tensor *tensor() const { return content ? &*content : nullptr; }
  /// Where the kernel sees element 0; 0 if there is no tensor.
  Address address() const { return start; }

  /// Brings the tensor to the kernel's memory: bind() did so once. Nothing to do for a number.
  Status upload();
  /// Brings the kernel's memory back into the tensor, gaps too.
  Status download();

private:
  friend class Binder;

  std::vector<std::byte> bytes;
  std::optional<Tensor> content;
  Device *device = nullptr; // of the memory; null: the host's
  DeviceBuffer memory;
  Bytes hostMemory;
  Address start = 0;
};

/// The value of one parameter. `number` is the argument's 0-based number: for sentences, and the
/// seed of a `rand` without one. A device is needed for pointers to gmem only. Reasons say which
/// argument, what was expected, what came and what to do.
Result<Bound> bind(const Parameter &, const Argument &, Device *, size_t number);

/// All parameters of a function.
struct Arguments {
  std::vector<Bound> parameters;
  std::vector<size_t> numbers; // for each --arg the parameter that it is

  Bound &argument(size_t number) { return parameters[numbers[number]]; }
  /// What a host function takes; valid while this is not moved or changed.
  std::vector<void *> values();
};

/// Binds the arguments in order to the parameters that take one; streams get `stream`. Fails for
/// another number of arguments than parameters, and where bind() does.
Result<Arguments> bindAll(std::span<const Parameter>, std::span<const Argument>, Device *,
                          StreamId stream = StreamId::Default);

/// The refusal of another number of arguments than parameters take; none if it is right.
Status checkCount(std::span<const Parameter>, size_t given);

/// The code of a number argument in the parameter's type. A number that was written without a type
/// takes the parameter's. Fails for another type, a value that it cannot represent, and one that
/// the divisor does not divide. `who` begins the sentences.
Result<uint64_t> numberCode(const std::string &who, const Parameter &, const Argument &);
/// Whether the divisor of a number's type divides its value.
Status checkDivisor(const std::string &who, int64_t divisor, int64_t value);

} // namespace tessera::run
