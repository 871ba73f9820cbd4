// Code: a lowered module as code for devices and for the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/driver/Compiler.h"
#include "tessera/jit/HostCode.h"
#include "tessera/program/Compiled.h"

namespace tessera::program {

struct Code {
  std::vector<DeviceImage> images; // one for each `gpu.module`, in their order
  jit::HostCode host;
};

/// Lowers a module in place and compiles it: to cubins where the options name a ptxas, else to PTX.
/// What is wrong with the module goes to its context's handlers, and the reason's text is empty.
Result<Code> codeOf(driver::Compiler &, mlir::ModuleOp, const driver::CompileOptions &);

/// How a file is compiled that runs on a device, where there is one: for its own target or what was
/// asked for, by ptxas where there is one.
Result<driver::CompileOptions> compileFor(const run::DeviceInfo *, bool simulated,
                                          const std::string &arch);

} // namespace tessera::program
