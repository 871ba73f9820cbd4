// Process: the frame of each of our programs, from the first line of main() to its exit code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <string>
#include <string_view>

namespace tessera::process {

/// The exit codes: the rows of Exits.def.
enum Exit : int {
#define EXIT(code, name, meaning) name = code,
#include "tessera/process/Exits.def"
#undef EXIT
};

/// What main() returns: `program` with its words. Before, it prepares for signals, as
/// files::prepareProcess says. Memory or threads that run out, wherever that is noticed, are a
/// sentence on stderr and Exhausted; what could not be written to stdout is one and CannotWrite. No
/// way to end but SIGKILL leaves temporary files or children, exit() neither.
int run(int argc, char **argv, int (*program)(int argc, char **argv));

/// "error: <text>" on stderr, without control characters; returns `code`.
int fail(const std::string &text, int code = BadInput);
/// Exhausted where the machine has no more memory or threads, CannotWrite where a file could not be
/// written, else `code`.
int codeOf(const Reason &, int code = BadInput);

/// Removes temporary files and ends the process at once, with a last text on stderr, for when its
/// memory may be damaged or its threads do not end. If several threads call it, the first one
/// decides, and the others print nothing.
[[noreturn]] void leave(int code, std::string_view last = {});

} // namespace tessera::process
