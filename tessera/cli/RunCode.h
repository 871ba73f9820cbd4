// RunCode: the machine code of a file that `tessera run` runs, compiled or from the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Cli.h"
#include "tessera/jit/HostCode.h"

namespace tessera::cli {

/// The kernels of one `gpu.module`.
struct DeviceImage {
  std::string module;
  std::string code; // a cubin; PTX where there is no ptxas
  std::string log;  // what ptxas said
};

struct RunCode {
  std::vector<DeviceImage> device;
  jit::HostCode host;
};

/// Lowers the session's module and compiles both sides, unless the cache has what the same text
/// became with the same options on this machine. A reason without text was said on stderr.
Result<RunCode> codeOf(Session &, CompileCache &, const driver::CompileOptions &);

} // namespace tessera::cli
