// Cleanup: removes what must not outlive the process: temporary files and folders, and child
// processes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who makes such a thing enters it here as long as it is there. A program that calls
// prepareProcess() leaves none of them where a signal ends it. A library leaves signals to its
// program, so that only main() functions call it. LLVM's RemoveFileOnSignal does a part of this,
// for files only, and the rooms below the compiler have no LLVM.
#pragma once

#include <csignal>
#include <string>
#include <sys/types.h>

namespace tessera::files {

/// What ends a program from outside, except for SIGKILL: somebody, the terminal, a pipe that nobody
/// reads any more, a limit of processor time. Not what is a defect of the program (SIGSEGV).
inline constexpr int endingSignals[] = {SIGHUP,  SIGINT,  SIGTERM, SIGALRM,
                                        SIGQUIT, SIGPIPE, SIGXCPU};

/// For the first line of a main(). From now on these signals kill the child processes that are
/// entered, remove the files and folders, and then end the process as they would
/// have done before; one that was ignored (nohup) stays ignored. A write past the limit for the
/// size of files (RLIMIT_FSIZE) fails instead of ending the process. Where stdin, stdout or stderr
/// is closed, its number is taken: the next file that is opened would get it, and with it what is
/// printed. What children start becomes this process's own when they end.
void prepareProcess();

/// Kills the child processes that are entered, after prepareProcess() all others in this session
/// too, with what they started (as /proc lists them), and removes the files and folders, for a
/// program that ends without destructors (_Exit). Nothing can be made afterwards: whoever tries
/// waits for the end.
void removeEverything();

/// While it lives, signals wait on this thread, and a signal that another thread takes waits for
/// its end: whatever is made meanwhile is entered before anything is removed. Never held for long.
class Making {
public:
  Making();
  ~Making();
  Making(const Making &) = delete;

private:
  sigset_t before;
};

/// The entry of a file or folder: `name` in the open folder `at`, which stays open as long. Made
/// under a `Making`, before the file is.
class PathEntry {
public:
  PathEntry(int at, const std::string &name);
  ~PathEntry();
  PathEntry(const PathEntry &) = delete;

private:
  int slot;
};

/// The entry of a child process. Made under a `Making`, and destroyed before the child is waited
/// for: later its number may be another process'.
class ChildEntry {
public:
  explicit ChildEntry(pid_t);
  ~ChildEntry();
  ChildEntry(const ChildEntry &) = delete;

private:
  int slot;
};

/// Removes a file, or a folder with all in it; follows no links. Safe in a signal handler.
void removeAll(int at, const char *name);
/// The same for all that is in an open folder. Files need no further descriptor.
void removeAllIn(int folder);

} // namespace tessera::files
