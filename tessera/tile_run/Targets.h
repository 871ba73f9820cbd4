// Targets: tile kernels on the simulator and on GPUs, compiled when they first run.
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
#include "tessera/tile_dsl/Target.h"

#include <map>
#include <mutex>

namespace tessera::tile {

/// PTX of bytecode for an architecture such as sm_80, or the reason why there is none.
using Compile =
    std::function<Result<std::string>(const std::string &bytecode, const std::string &arch)>;
/// Runs tessera-tileiras as a child process.
Compile compilerProgram();

class DeviceTarget : public Target {
public:
  /// `arch`: what kernels are compiled for; the device runs it.
  DeviceTarget(std::unique_ptr<run::Device> device, std::string arch, Compile compile);
  ~DeviceTarget() override;

  Outcome run(const Launch &) override;
  /// How many kernels were compiled; a kernel is compiled once for each program.
  size_t compiled() const { return kernels.size(); }

private:
  Result<run::KernelId> kernelOf(const Launch &);

  std::unique_ptr<run::Device> device;
  std::string arch;
  Compile compile;
  std::mutex mutex;
  std::map<std::string, run::KernelId> kernels; // by name and bytecode
};

/// The simulator of the process for an architecture, with the compiler of compilerProgram.
Target &simulator(const std::string &arch = "sm_80");
/// A GPU of the process. Where there is none, launches say so.
Target &cuda_device(int ordinal = 0);

} // namespace tessera::tile
