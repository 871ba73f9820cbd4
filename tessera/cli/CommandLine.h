// CommandLine: reading and refusing the command lines of `tessera` and `tessera-tileiras`, and time
// limits of their commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
} // namespace CLI

namespace tessera::cli {

/// Reads the words, which runs the callbacks of commands. False if nothing was run: after --help
/// and --version, or an error, which went to stderr. Then `exit` is the program's exit code.
bool read(CLI::App &, std::vector<std::string> words, int &exit);

/// The program's exit code. If memory runs out in LLVM or MLIR, which report that in their own
/// ways, the message and the code are those of process::run.
int withinMemory(int argc, char **argv, int (*program)(int argc, char **argv));

/// Checks options with a time limit in seconds. A check of the range alone would not do, since
/// CLI::Range accepts NaN.
CLI::Validator secondsCheck();

/// For an option whose numbers begin at `least`, 0 or 1. CLI11 takes -1 for the largest number
/// without a sign, and its own checks name 300 digits.
CLI::Validator numberFrom(int least);
/// --timeout of a command: for all of it, from when its command line has been read. `seconds`
/// receives the limit if a command has another way to end; then it has `grace` more seconds.
CLI::Option *addTimeout(CLI::App &, double *seconds = nullptr, double grace = 0);
/// --total-timeout, for commands whose --timeout is for each call.
CLI::Option *addTotalTimeout(CLI::App &);

/// A file that a command writes, and the option that names it; "-" and empty names are none.
struct Output {
  std::string option, file;
};
/// A reason if two of them are the same file, however it is spelled: the first would be lost.
/// Devices and pipes may be named several times.
Status differ(const std::vector<Output> &);

/// "A, B or C": the names with the fewest changed letters, at most `most`; empty if there are none.
std::string nearest(const std::string &name, const std::vector<std::string> &names,
                    size_t most = SIZE_MAX);

} // namespace tessera::cli
