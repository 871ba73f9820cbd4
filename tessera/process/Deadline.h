// Deadline: the end of a process whose time is over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/process/Watchdog.h"

#include <optional>
#include <string>

namespace tessera::process {

/// Prints "error: <text>" on stderr and ends the process with TimedOut at once: work that runs too
/// long does not end by itself, and releasing its resources would wait for it.
[[noreturn]] void leaveLate(const std::string &text);

/// Limits the process to `seconds` while it lives; 0: no limit. The error says that `what`, such as
/// "compiling a.mlir", did not end in time, and names `option`. It comes `grace` seconds later, for
/// what may end by itself.
class Deadline {
public:
  Deadline(double seconds, const std::string &what, const char *option = "--timeout",
           double grace = 0);

private:
  std::optional<Watchdog> watchdog;
};

/// The same for the rest of the process.
void endWithin(double seconds, const std::string &what, const char *option = "--timeout",
               double grace = 0);

} // namespace tessera::process
