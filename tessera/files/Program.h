// Program: another program, run to its end and killed with this one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/files/ScratchFolder.h"

#include <vector>

namespace tessera::files {

struct Ended {
  int exitCode = 0; // of a program that ended by itself
  int signal = 0;   // that ended it; 0 for none
  std::string said; // stdout and stderr, in the order in which they came

  bool succeeded() const { return exitCode == 0 && signal == 0; }
  /// "exit code 3", "signal 9 (Killed)".
  std::string how() const;
};

/// Runs a program in the folder, which is its $TMPDIR too, with an empty stdin. Fails only where it
/// cannot be started. If this process ends meanwhile, in whatever way, so does the program.
Result<Ended> runProgram(const std::string &path, const std::vector<std::string> &arguments,
                         const ScratchFolder &);

} // namespace tessera::files
