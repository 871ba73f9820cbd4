// Program: a file compiled and loaded on a device, whose kernels can be called.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a host function in the file decides what it launches; a kernel is launched with a
// grid. Arguments are tensors in DLPack's form and numbers (run/View.h). On a GPU tensors stay
// where they are, and a call queues its work on the stream. The simulator and the interpreter take
// tensors of the host, and are done when the call returns; the simulator works on copies, and
// copies changes back.
//
// For a kernel of a tile program, a tensor may stand for a pointer, extents and strides if there
// are enough parameters for that.
#pragma once

#include "tessera/atom/Occupancy.h"
#include "tessera/program/Device.h"
#include "tessera/run/View.h"

namespace tessera::program {

/// How a kernel is launched. For a host function only the stream is used.
struct Launch {
  run::Dim3 grid{0, 0, 0};  // in blocks
  run::Dim3 block{0, 0, 0}; // in threads; zeros: what the kernel was compiled for
  run::Dim3 cluster{0, 0, 0};
  int64_t dynamicSharedBytes = 0;
  run::StreamId stream = run::StreamId::Default; // the driver's handle, of any owner
};

/// Any number of threads may use a program.
class Program {
public:
  /// Compiles the content of a file, or finds it in the cache, and loads it. Messages use `name`
  /// for the file.
  static Result<std::shared_ptr<Program>> load(std::shared_ptr<Device>, const std::string &content,
                                               const std::string &name, const LoadOptions & = {});
  static Result<std::shared_ptr<Program>> loadFile(std::shared_ptr<Device>, const std::string &path,
                                                   const LoadOptions & = {});
  /// The IR of a file as Tessera prints it, after it was verified.
  static Result<std::string> printedIr(const std::string &content, const std::string &name,
                                       const LoadOptions & = {});
  ~Program();

  const std::shared_ptr<Device> &device() const;
  /// The architecture of its code; "" on the interpreter.
  const std::string &arch() const;
  /// What the device loaded: PTX or a cubin for each module of the file; nothing on the
  /// interpreter.
  const std::vector<DeviceImage> &images() const;
  /// The compiler's warnings.
  const std::string &said() const;

  /// Host functions, then kernels.
  const std::vector<Callable> &callables() const;
  /// The callable with a name, or with a unique part of it. Without a name: the only host function,
  /// or if there is none the only kernel. Reasons list what there is.
  Result<size_t> find(const std::string &part) const;
  /// The device's information about a kernel; nothing for a host function and on the interpreter.
  std::optional<run::KernelInfo> info(size_t callable) const;
  /// How many blocks of a kernel a multiprocessor of its GPU holds, with so many threads each (0:
  /// those that it was compiled for). A reason where there is no GPU, and for host functions.
  Result<atom::Occupancy> occupancy(size_t callable, int64_t threads, int64_t dynamicShared) const;

  /// Calls a callable. If work on a GPU fails later, later calls return the reason.
  Status call(size_t callable, std::span<const run::CallArgument>, const Launch & = {});
  /// Waits for a stream of the GPU; done at once elsewhere.
  Status synchronize(run::StreamId);

private:
  struct State;
  explicit Program(std::unique_ptr<State>);
  std::unique_ptr<State> state;
};

} // namespace tessera::program
