// Runners: tile kernels on the simulator and on GPUs, compiled when they first run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   run_on(simulator("sm_80"), add_vectors<256>, a, b, c);
//   run_on(cuda_device(), gemm<64, 64, 32>, a, b, c);
//
// The compiler is a function from bytecode to PTX, so that nothing here needs LLVM. That of
// `compilerProgram` runs tessera-tileiras, which $TESSERA_TILEIRAS names or $PATH has; a program
// that links the compiler gives its own. Arrays are copied to the device and back.
#pragma once

#include "tessera/run/Device.h"
#include "tessera/tile_dsl/Runner.h"

#include <map>
#include <mutex>

namespace tessera::tile {

/// PTX of bytecode for an architecture such as sm_80, or the reason why there is none.
using Compile =
    std::function<Result<std::string>(const std::string &bytecode, const std::string &arch)>;
/// Runs tessera-tileiras as a child process.
Compile compilerProgram();

class DeviceRunner : public Runner {
public:
  /// `arch`: what kernels are compiled for; the device runs it.
  DeviceRunner(std::unique_ptr<run::Device> device, std::string arch, Compile compile);
  ~DeviceRunner() override;

  Outcome run(const Launch &) override;
  /// Waits for everything that was queued, and returns what went wrong in it.
  Outcome synchronize();
  run::Device &memory() { return *device; }
  /// How many kernels were compiled; a kernel is compiled once for each program.
  size_t compiled() const { return kernels.size(); }

private:
  struct Loaded {
    run::KernelId id;
    run::Dim3 block; // in threads
  };
  Result<Loaded> kernelOf(const Launch &);

  std::unique_ptr<run::Device> device;
  std::string arch;
  Compile compile;
  std::mutex mutex;
  std::map<std::string, Loaded> kernels; // by name and bytecode
  std::optional<std::pair<run::EventId, run::EventId>> timer;
};

/// An array in the memory of a device, row-major. Launches whose arrays all are queue the kernel
/// and return; `read` waits. Must not outlive the device.
template <Element E, int R> class DeviceArray {
public:
  /// A copy.
  DeviceArray(DeviceRunner &target, const Array<E, R> &from) : target(&target), like(from) {
    Result<run::DeviceBuffer> made =
        run::DeviceBuffer::make(target.memory(), size_t(from.size()) * sizeof(E));
    Status status =
        made ? target.memory().copyToDevice(made->address(), bytes()) : Status(made.reason());
    if (status)
      buffer = *std::move(made);
    else
      failed.diagnostics.push_back({std::string(status.reason().id), status.reason().text});
  }
  /// What went wrong when it was made.
  const Outcome &outcome() const { return failed; }
  /// Its elements, after all that was queued.
  Outcome read(Array<E, R> &to) {
    to = like;
    Status status = target->memory().copyToHost(
        {reinterpret_cast<std::byte *>(to.data()), size_t(to.size()) * sizeof(E)},
        buffer.address());
    Outcome out;
    if (!status)
      out.diagnostics.push_back({std::string(status.reason().id), status.reason().text});
    return out;
  }

  ArrayView<E, R> view() {
    ArrayView<E, R> out = like.view();
    out.data = reinterpret_cast<E *>(buffer.address());
    return out;
  }
  const Runner *owner() const { return target; }

private:
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte *>(like.data()), size_t(like.size()) * sizeof(E)};
  }
  DeviceRunner *target;
  Array<E, R> like; // shape, and what it was made of
  run::DeviceBuffer buffer;
  Outcome failed;
};
namespace detail {
template <class E, int R> struct HostArray<DeviceArray<E, R>> {
  static constexpr bool isArray = true;
  static constexpr int rank = R;
  using Element = E;
  static ArrayView<E, R> view(DeviceArray<E, R> &a) { return a.view(); }
  static const Runner *owner(const DeviceArray<E, R> &a) { return a.owner(); }
};
} // namespace detail

/// The simulator of the process for an architecture, with the compiler of compilerProgram.
DeviceRunner &simulator(const std::string &arch = "sm_80");
/// A GPU of the process. Where there is none, launches say so.
Runner &cuda_device(int ordinal = 0);

} // namespace tessera::tile
