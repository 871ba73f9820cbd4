// Binding: arguments of the command line as values of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor's shape has one extent for each leaf of the parameter's layout, in their order. Without
// `:stride=`, memory is compact. The mode whose stride the type fixes at 1 is innermost; if it is
// the last one, the others follow from right to left, else from left to right. Without such a mode
// the last one is innermost. A stride that the type fixes at another number has that number.
//
// gmem is memory of the device; a generic pointer points to host memory, as CuTe DSL passes tensors
// of the CPU. Parameters without a value to pass (streams, static shapes and layouts) have no
// argument. View.h binds tensors that a caller owns.
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

  /// The tensor of a memref or pointer; null for any other parameter. Until download() its elements
  /// are those that were passed.
  Tensor *tensor() { return content ? &*content : nullptr; }
  const Tensor *tensor() const { return content ? &*content : nullptr; }
  /// The address of element 0 in the kernel; 0 if there is no tensor.
  Address address() const { return start; }

  /// Copies the tensor to the kernel's memory, as bind() did once. Does nothing for a number.
  Status upload();
  /// Copies the kernel's memory back into the tensor, including gaps.
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

/// The value of one parameter. `number` is the argument's 0-based number: for messages, and as the
/// seed of a `rand` without one. A device is only needed for pointers to gmem. Reasons name the
/// argument, what was expected, what came and what to do.
Result<Bound> bind(const Parameter &, const Argument &, Device *, size_t number);

/// All parameters of a function.
struct Arguments {
  std::vector<Bound> parameters;
  std::vector<size_t> numbers; // for each --arg, the parameter that it belongs to

  Bound &argument(size_t number) { return parameters[numbers[number]]; }
  /// The arguments for a host function; valid while this is not moved or changed.
  std::vector<void *> values();
};

/// Binds the arguments in order to the parameters that take one; streams get `stream`. Fails if the
/// numbers of arguments and parameters differ, and where bind() fails.
Result<Arguments> bindAll(std::span<const Parameter>, std::span<const Argument>, Device *,
                          StreamId stream = StreamId::Default);

/// The error if the number of arguments is wrong.
Status checkCount(std::span<const Parameter>, size_t given);

/// The code of a number argument in the parameter's type. A number written without a type takes the
/// parameter's type. Fails for another type, for a value that it cannot represent, and for one that
/// is not a multiple of the divisor. `who` begins the messages.
Result<uint64_t> numberCode(const std::string &who, const Parameter &, const Argument &);
/// Whether a value is a multiple of the divisor of its parameter's type.
Status checkDivisor(const std::string &who, int64_t divisor, int64_t value);

} // namespace tessera::run
