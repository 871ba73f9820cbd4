// The ends of a process, and the frame of a main() without LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Plain.h"

#include "tessera/base/Guarded.h"
#include "tessera/base/Printable.h"
#include "tessera/files/Cleanup.h"
#include "tessera/files/OutputFile.h"
#include "tessera/process/Watchdog.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

namespace tessera::process {

namespace {

pid_t self = 0; // children of a fork leave alone what their parent has made

void removeOwn() {
  if (::getpid() == self)
    files::removeEverything();
}

} // namespace

void prepare() {
  self = ::getpid();
  files::prepareProcess();
  std::atexit(removeOwn);
}

int runPlain(int argc, char **argv, int (*program)(int argc, char **argv)) {
  prepare();
  int code = Right;
  try {
    code = program(argc, argv);
  } catch (...) {
    Reason reason = reasonOfException();
    code = failPlain(reason.text, codeOf(reason));
  }
  Status written = files::finishStdout();
  return written ? code : failPlain(written.reason().text, CannotWrite);
}

int failPlain(const std::string &text, int code) {
  std::fprintf(stderr, "error: %s\n", printable(text).c_str());
  return code;
}

bool endPlainWithin(const std::string &text, const std::string &program) {
  char *end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !isLimit(seconds)) {
    failPlain(cat("--timeout expects seconds from 0 (no limit) to 1e6, but got '", text, "'"));
    return false;
  }
  if (seconds > 0) // for the rest of the process, so nothing ends it
    new Watchdog(Seconds(seconds), [late = cat(program, " did not end within ", text,
                                               " s (--timeout)")] {
      failPlain(late);
      if (::ftrylockfile(stdout) == 0) // another thread may be writing, to a pipe that nobody reads
        std::fflush(stdout);
      leave(TimedOut);
    });
  return true;
}

int codeOf(const Reason &reason, int code) {
  if (reason.id == outOfMemoryId || reason.id == outOfThreadsId ||
      reason.id == files::errors[size_t(files::Error::NoProcess)].id ||
      reason.id == files::errors[size_t(files::Error::NoOpenFile)].id)
    return Exhausted;
  if (reason.id == files::errors[size_t(files::Error::FileWrite)].id ||
      reason.id == files::errors[size_t(files::Error::ScratchFolder)].id)
    return CannotWrite;
  return code;
}

void leave(int code, std::string_view last) {
  static std::atomic<pthread_t> first = 0;
  pthread_t nobody = 0;
  // A signal that comes while this thread leaves finds it here again.
  if (!first.compare_exchange_strong(nobody, ::pthread_self()) && nobody != ::pthread_self())
    for (;;)
      ::pause();
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, last.data(), last.size());
  removeOwn();
  std::_Exit(code);
}

} // namespace tessera::process
