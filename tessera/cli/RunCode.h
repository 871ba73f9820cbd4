// RunCode: the machine code that `tessera run` runs for a file, compiled or from the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Cli.h"
#include "tessera/program/Code.h"

namespace tessera::cli {

using RunCode = program::Code;

/// Lowers the session's module and compiles both sides, unless the cache has the result for the
/// same text, options and machine. A reason without text was printed on stderr.
Result<RunCode> codeOf(Session &, CompileCache &, const driver::CompileOptions &);

} // namespace tessera::cli
