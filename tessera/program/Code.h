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

/// Lowers a module in place and compiles it: to cubins if the options name a ptxas, else to PTX.
/// The handlers of its context get errors in the module; the reason's text is then empty.
Result<Code> codeOf(driver::Compiler &, mlir::ModuleOp, const driver::CompileOptions &);

/// Options for compiling a file for a device, if there is one: for its own target or the requested
/// one, with ptxas if it is installed.
Result<driver::CompileOptions> compileFor(const run::DeviceInfo *, bool simulated,
                                          const std::string &arch);

} // namespace tessera::program
