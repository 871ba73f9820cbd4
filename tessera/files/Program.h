// Program: another program, run to its end or for a time, and killed with this one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/files/ScratchFolder.h"

#include <chrono>
#include <optional>
#include <vector>

namespace tessera::files {

/// Of more bytes that a program says the rest is cut off.
inline constexpr size_t mostSaid = size_t(16) << 20;

struct Ended {
  int exitCode = 0;  // of a program that ended by itself
  int signal = 0;    // that ended it; 0 for none
  bool late = false; // it was ended, as its time was over
  std::string said;  // stdout and stderr, in the order in which they came

  bool succeeded() const { return exitCode == 0 && signal == 0 && !late; }
  /// "exit code 3", "signal 9 (Killed)".
  std::string how() const;
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Runs a program in the folder, which is its $TMPDIR too, with an empty stdin and no other open
/// files. What it has started and does not end with it is not waited for, though it may print.
/// Fails only where it cannot be started. If this process ends meanwhile, in whatever way, so does
/// the program; it is in this process's group, so that Ctrl-C reaches it, too. At the deadline it
/// gets SIGTERM, and two seconds later SIGKILL.
Result<Ended> runProgram(const std::string &path, const std::vector<std::string> &arguments,
                         const ScratchFolder &, Deadline = {});

} // namespace tessera::files
