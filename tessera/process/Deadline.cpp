// Waiting for the end of a process with a limit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Deadline.h"

#include "tessera/process/Process.h"

#include <cstdio>

namespace tessera::process {

void leaveLate(const std::string &text) {
  fail(text);
  if (::ftrylockfile(stdout) == 0) // another thread may be writing, to a pipe that nobody reads
    std::fflush(stdout);
  leave(TimedOut);
}

Deadline::Deadline(double seconds, const std::string &what, const char *option, double grace) {
  if (seconds <= 0)
    return;
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g", seconds);
  watchdog.emplace(
      Seconds(seconds + grace),
      [text = cat(what, " did not end within ", limit, " s (", option, ")")] { leaveLate(text); });
}

void endWithin(double seconds, const std::string &what, const char *option, double grace) {
  new Deadline(seconds, what, option, grace); // for the rest of the process, so nothing ends it
}

} // namespace tessera::process
