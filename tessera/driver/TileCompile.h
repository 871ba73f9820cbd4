// compileTiles: a tile program to PTX in this process, as a function that tile_run takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <string>

namespace tessera::driver {

/// PTX of all kernels of a tile program, which is bytecode or text, for an architecture such as
/// sm_80. A reason has the errors of the compiler, one in a line. Any number of threads may call
/// it.
Result<std::string> compileTiles(const std::string &program, const std::string &arch);

} // namespace tessera::driver
