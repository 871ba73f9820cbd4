// A child process: vfork, the death signal of Linux, a pipe for what it says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/Program.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tessera::files {

namespace {

/// What the child needs, made before it is: it may only call the system.
struct Start {
  const char *path;
  char *const *arguments, *const *environment;
  int input, output, folder;
  pid_t parent;
  sigset_t signals;
};

/// vfork, as the compiler's process is large. The child borrows the parent's memory until it is
/// another program: it must not change any of it. Returns the child's number, or -1.
[[gnu::noinline]] pid_t start(const Start &how) {
  pid_t child = ::vfork();
  if (child != 0)
    return child;
  // A process that is killed can do nothing for its children, so the system does. It may have been
  // killed before this line.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != how.parent)
    ::_exit(127);
  // No handler of the parent may run here. A limit for the size of files ends the child, instead of
  // an error that it may overlook.
  for (int signal = 1; signal < NSIG; ++signal)
    if (signal != SIGINT && signal != SIGHUP && signal != SIGQUIT)
      ::signal(signal, SIG_DFL);
  for (int signal : {SIGINT, SIGHUP, SIGQUIT}) { // nohup and background jobs ignore them
    struct sigaction now;
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      ::signal(signal, SIG_DFL);
  }
  ::sigprocmask(SIG_SETMASK, &how.signals, nullptr);
  if (::dup2(how.input, STDIN_FILENO) < 0 || ::dup2(how.output, STDOUT_FILENO) < 0 ||
      ::dup2(how.output, STDERR_FILENO) < 0 || ::fchdir(how.folder) != 0)
    ::_exit(127);
  // Files that another thread or a library has opened for itself; before Linux 5.11 they stay open.
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  ::execve(how.path, how.arguments, how.environment);
  ::_exit(127);
}

/// A child until it is waited for, which happens in any case: else it would run on, or stay as a
/// zombie.
class Child {
public:
  explicit Child(Start &how) {
    Making guard; // which blocks signals, also in the child until it has no handlers
    ::pthread_sigmask(SIG_BLOCK, nullptr, &how.signals);
    for (int signal : endingSignals)
      sigdelset(&how.signals, signal);
    number = start(how);
    error = errno;
    if (number > 0)
      entry.emplace(number);
  }
  Child(const Child &) = delete;
  ~Child() {
    if (number > 0) {
      send(SIGKILL);
      wait();
    }
  }

  bool started() const { return number > 0; }
  /// The errno of a child that was not started.
  int why() const { return error; }
  void send(int signal) const { ::kill(number, signal); }
  bool hasEnded() const {
    siginfo_t info = {};
    int got = ::waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT | WNOHANG);
    // Where SIGCHLD is ignored, or somebody waits for every child, nothing is left to wait for.
    return got == 0 ? info.si_pid == number : errno == ECHILD;
  }
  /// Waits for the end; returns the status as waitpid does.
  int wait() {
    siginfo_t info;
    while (::waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
      ;
    entry.reset();
    int status = 0;
    while (::waitpid(number, &status, 0) < 0 && errno == EINTR)
      ;
    number = -1;
    return status;
  }

private:
  pid_t number;
  int error;
  std::optional<ChildEntry> entry;
};

/// Reads what a child prints until it ends. A process that still holds its output then, such as a
/// program that it started, is not waited for. True if the child was ended because its time was up.
bool listenUntil(Deadline deadline, const Descriptor &from, const Child &child, std::string &said) {
  using std::chrono::milliseconds;
  constexpr milliseconds slice{20}, grace{2000}; // to remove what is temporary
  constexpr size_t inPipe = 1 << 20; // bytes at most that are on their way when the child ends
  bool late = false, open = true, ended = false, cut = false;
  char piece[4096];
  for (size_t afterEnd = 0; open || deadline;) {
    auto now = std::chrono::steady_clock::now();
    ended = ended || child.hasEnded(); // before it is asked for what it said last
    if (!late && !ended && deadline && now >= *deadline) {
      late = true;
      child.send(SIGTERM);
    }
    if (deadline && now >= *deadline + grace) {
      child.send(SIGKILL);
      break;
    }
    auto wait = ended ? milliseconds(0) : slice;
    if (!late && !ended && deadline)
      wait = std::min(wait, std::chrono::ceil<milliseconds>(*deadline - now));
    pollfd ready = {open ? from.get() : -1, POLLIN, 0};
    if (::poll(&ready, 1, int(wait.count())) > 0) {
      ssize_t size = ::read(from.get(), piece, sizeof piece);
      if (size > 0) {
        size_t kept = std::min(size_t(size), mostSaid - said.size());
        said.append(piece, kept);
        cut |= kept < size_t(size);
        afterEnd += ended ? size_t(size) : 0;
      }
      open = size > 0 || (size < 0 && errno == EINTR);
      if (open && afterEnd < inPipe)
        continue;
    }
    if (ended)
      break;
  }
  if (cut)
    said += "\n(cut off)\n";
  return late;
}

/// With $TMPDIR as the folder, so that what the program leaves goes with it.
std::vector<std::string> environmentWith(const std::string &folder) {
  std::vector<std::string> variables = {"TMPDIR=" + folder};
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "TMPDIR=", 7) != 0)
      variables.emplace_back(*variable);
  return variables;
}

std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The path from the root: the child has another current folder.
std::string absolute(const std::string &path) {
  char resolved[PATH_MAX];
  return !path.starts_with('/') && ::realpath(path.c_str(), resolved) ? resolved : path;
}

} // namespace

std::string Ended::how() const {
  return signal ? cat("signal ", signal, " (", strsignal(signal), ")")
                : cat("exit code ", exitCode);
}

Result<Ended> runProgram(const std::string &path, const std::vector<std::string> &arguments,
                         const ScratchFolder &folder, Deadline deadline) {
  auto failure = [&] {
    return isOutOfFiles() ? fail(Error::NoOpenFile, path, systemReason())
                          : fail(Error::ProgramStart, path, systemReason());
  };
  const std::string program = absolute(path);
  if (::access(program.c_str(), X_OK) != 0)
    return failure();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return failure();
  Descriptor from(ends[0]), to(ends[1]), nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing)
    return failure();
  char place[PATH_MAX];
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environmentWith(
      ::realpath(folder.path().c_str(), place) ? std::string(place) : folder.path());
  std::vector<char *> wordPointers = pointersTo(words), variablePointers = pointersTo(variables);
  Start how = {program.c_str(),
               wordPointers.data(),
               variablePointers.data(),
               nothing.get(),
               to.get(),
               folder.folder().get(),
               ::getpid(),
               {}};

  Child child(how);
  if (!child.started()) {
    errno = child.why();
    // A limit for processes, or no memory for one: nothing is wrong with the program.
    return errno == EAGAIN || errno == ENOMEM ? fail(Error::NoProcess, path, systemReason())
                                              : failure();
  }
  to.close();
  Ended ended;
  ended.late = listenUntil(deadline, from, child, ended.said);
  int status = child.wait();
  if (WIFSIGNALED(status))
    ended.signal = WTERMSIG(status);
  else
    ended.exitCode = WEXITSTATUS(status);
  return ended;
}

} // namespace tessera::files
