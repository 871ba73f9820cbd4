// Deadline: --timeout of commands, and the end of a process whose time is over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/jit/Watchdog.h"

#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tessera::cli {

/// "error: <text>" on stderr, then the process ends with TimedOut as it is: what runs too long does
/// not end by itself, and releasing what it uses would wait for it.
[[noreturn]] void leaveLate(const std::string &text);

/// While it lives, the process may take `seconds`; 0: as long as it likes. `what` is in the error:
/// "compiling a.mlir".
class Deadline {
public:
  Deadline(double seconds, const std::string &what);

private:
  std::optional<jit::Watchdog> watchdog;
};

/// --timeout of a command that compiles or computes: all of it together.
CLI::Option *addTimeout(CLI::App &, double &seconds);

} // namespace tessera::cli
