// Plain: the frame of programs that link no LLVM, as they go where nothing else of the project is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/process/Process.h"

namespace tessera::process {

/// run() of Process.h without what LLVM has: what it prints of its own, and its ways to end.
int runPlain(int argc, char **argv, int (*program)(int argc, char **argv));

/// fail() without colours.
int failPlain(const std::string &text, int code = BadInput);

/// --timeout TEXT of `program`: its process ends with TimedOut after so many seconds. False where
/// the text is not a limit, which went to stderr.
bool endPlainWithin(const std::string &text, const std::string &program);

/// The begin of run() and runPlain().
void prepare();

} // namespace tessera::process
