// Deadline: the end of a process whose time is over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/process/Watchdog.h"

#include <optional>
#include <string>

namespace tessera::process {

/// "error: <text>" on stderr, then the process ends with TimedOut as it is: what runs too long does
/// not end by itself, and releasing what it uses would wait for it.
[[noreturn]] void leaveLate(const std::string &text);

/// While it lives, the process may take `seconds`; 0: as long as it likes. The error says that
/// `what`, such as "compiling a.mlir", did not end in time, by `option`.
class Deadline {
public:
  Deadline(double seconds, const std::string &what, const char *option = "--timeout");

private:
  std::optional<Watchdog> watchdog;
};

/// The same for the rest of the process.
void endWithin(double seconds, const std::string &what, const char *option = "--timeout");

} // namespace tessera::process
