// Waiting for the end of a command with a limit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Deadline.h"

#include "tessera/cli/Cli.h"
#include "tessera/files/Cleanup.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>

using namespace tessera;
using namespace tessera::cli;

void tessera::cli::leaveLate(const std::string &text) {
  fail(text);
  if (::ftrylockfile(stdout) == 0) // another thread may be writing, to a pipe that nobody reads
    std::fflush(stdout);
  files::removeEverything();
  std::_Exit(TimedOut);
}

Deadline::Deadline(double seconds, const std::string &what) {
  if (seconds > 0)
    watchdog.emplace(jit::Seconds(seconds), [seconds, what] {
      leaveLate(cat(what, " did not end within ", run::decimal(seconds), " s (--timeout)"));
    });
}

CLI::Option *tessera::cli::addTimeout(CLI::App &command, double &seconds) {
  return command
      .add_option("--timeout", seconds, "limit in seconds for the whole command; 0: no limit")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}
