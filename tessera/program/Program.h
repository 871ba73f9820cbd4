// Program: a file compiled and loaded on a device, whose kernels can be called.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host function of the file launches, its code says; a kernel is launched with a grid.
// Arguments are tensors in DLPack's form and numbers (run/View.h). On a GPU they stay where they
// are and the call queues its work on the stream; the simulator and the interpreter take tensors of
// the host, and have run when the call returns: the simulator on copies, which are brought back
// where they changed.
//
// For a kernel of a tile program a tensor may stand for a pointer, extents and strides: where there
// are as many parameters as that takes.
#pragma once

#include "tessera/program/Device.h"
#include "tessera/run/View.h"

namespace tessera::program {

/// How a kernel is launched. Of a host function only the stream counts.
struct Launch {
  run::Dim3 grid{0, 0, 0};  // in blocks
  run::Dim3 block{0, 0, 0}; // in threads; zeros: what the kernel was compiled for
  run::Dim3 cluster{0, 0, 0};
  int64_t dynamicSharedBytes = 0;
  run::StreamId stream = run::StreamId::Default; // the driver's handle, of any owner
};

/// Any number of threads may use one.
class Program {
public:
  /// Compiles the content of a file, or finds it in the cache, and loads it. `name` is the file's
  /// in messages.
  static Result<std::shared_ptr<Program>> load(std::shared_ptr<Device>, const std::string &content,
                                               const std::string &name, const LoadOptions & = {});
  static Result<std::shared_ptr<Program>> loadFile(std::shared_ptr<Device>, const std::string &path,
                                                   const LoadOptions & = {});
  ~Program();

  const std::shared_ptr<Device> &device() const;
  /// The architecture of its code; "" on the interpreter.
  const std::string &arch() const;
  /// What the compiler warned of.
  const std::string &said() const;

  /// Host functions, then kernels.
  const std::vector<Callable> &callables() const;
  /// The one with a name, or with a unique part of it. Without a name the only host function, or
  /// where there is none the only kernel. Reasons say what there is.
  Result<size_t> find(const std::string &part) const;
  /// What the device says of a kernel; nothing of a host function and on the interpreter.
  std::optional<run::KernelInfo> info(size_t callable) const;

  /// Calls one. Reasons of work on a GPU that fails later come from later calls.
  Status call(size_t callable, std::span<const run::CallArgument>, const Launch & = {});
  /// Waits for a stream of the GPU; done at once elsewhere.
  Status synchronize(run::StreamId);

private:
  struct State;
  explicit Program(std::unique_ptr<State>);
  std::unique_ptr<State> state;
};

} // namespace tessera::program
