// RunCode: the machine code of a file that `tessera run` runs, compiled or from the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Cli.h"
#include "tessera/program/Code.h"

namespace tessera::cli {

using RunCode = program::Code;

/// Lowers the session's module and compiles both sides, unless the cache has what the same text
/// became with the same options on this machine. A reason without text was said on stderr.
Result<RunCode> codeOf(Session &, CompileCache &, const driver::CompileOptions &);

} // namespace tessera::cli
