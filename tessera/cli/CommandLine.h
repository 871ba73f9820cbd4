// CommandLine: how the command lines of `tessera` and `tessera-tileiras` are read and refused, and
// the limits of time that their commands have.
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

/// Reads the words, which runs the callbacks of commands. True after that, and false where nothing
/// was run: after --help and --version, or an error, which went to stderr. Then `exit` is what the
/// program returns.
bool read(CLI::App &, std::vector<std::string> words, int &exit);

/// What the program returns. Where memory runs out in LLVM or MLIR meanwhile, which say so in ways
/// of their own, the sentence and the code are those of process::run.
int withinMemory(int argc, char **argv, int (*program)(int argc, char **argv));

/// A check of options that take a limit of time in seconds; not of the range only, as CLI::Range
/// takes NaN.
CLI::Validator secondsCheck();
/// --timeout of a command: all of it, from when its command line has been read. `seconds` is given
/// what was asked for, where a command has another way to end; then it has `grace` more.
CLI::Option *addTimeout(CLI::App &, double *seconds = nullptr, double grace = 0);
/// --total-timeout, of commands whose --timeout is for each call.
CLI::Option *addTotalTimeout(CLI::App &);

/// A file that a command writes, and the option that names it; "-" and empty names are none.
struct Output {
  std::string option, file;
};
/// A reason where two of them are one file, whichever way it is spelled: the first would be lost.
/// Devices and pipes take any number.
Status differ(const std::vector<Output> &);

/// "A, B or C": the names that take the fewest changes of a letter, and no more than `most`; empty
/// if there are none.
std::string nearest(const std::string &name, const std::vector<std::string> &names,
                    size_t most = SIZE_MAX);

} // namespace tessera::cli
