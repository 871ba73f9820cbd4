// The frame of main().
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Process.h"

#include "tessera/base/Guarded.h"
#include "tessera/base/Printable.h"
#include "tessera/files/OutputFile.h"
#include "tessera/process/Plain.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sys/mman.h>
#include <unistd.h>

namespace tessera::process {

namespace {

pid_t own = 0;         // a child of a fork flushes what it has printed itself
bool finished = false; // a failure of stdout is reported once

/// Where nothing can be allocated, on any thread and in a signal handler.
[[noreturn]] void leaveWithoutMemory() { leave(Exhausted, "error: memory ran out\n"); }

/// What LLVM calls where it has no memory and cannot throw.
void onBadAllocation(void *, const char *, bool) { leaveWithoutMemory(); }

/// The exception that nobody has taken. The frames of LLVM in between have released nothing, so
/// nothing of it may be touched again.
[[noreturn]] void leaveByException() {
  Reason reason = reasonOfException();
  if (reason.id == outOfMemoryId)
    leaveWithoutMemory();
  leave(fail(reason.text, codeOf(reason)));
}

/// Whether the system gives not even a few bytes.
bool isExhausted() {
  constexpr size_t enough = 4 << 20; // more than malloc asks the system for, to give a few bytes
  void *room = ::mmap(nullptr, enough, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    return true;
  ::munmap(room, enough);
  return false;
}

/// Also where memory runs out in a function that must not throw, or for the exception itself, of
/// which there is none then.
void onTerminate() {
  if (std::current_exception())
    leaveByException();
  if (isExhausted())
    leaveWithoutMemory();
  std::abort();
}

struct sigaction beforeFaults, beforeAborts;

/// Where MLIR registers models of interfaces, it does not check the result of malloc and writes to
/// address 0 if there was no memory. So a fault at the beginning of the address space while the
/// system gives no memory means that memory ran out; any other fault is handled as before.
void onFault(int signal, siginfo_t *info, void *) {
  constexpr uintptr_t beginning = 1 << 16;
  if (reinterpret_cast<uintptr_t>(info->si_addr) < beginning && isExhausted())
    leaveWithoutMemory();
  ::sigaction(signal, &beforeFaults, nullptr); // and it happens again
}

/// Libraries that cannot say that memory ran out abort: glibc where a thread_local registers its
/// destructor (__cxa_thread_atexit_impl), which MLIR's caches do on each thread, or where it loads
/// a library. So an abort while the system gives no memory means that, too.
void onAbort(int signal) {
  if (isExhausted())
    leaveWithoutMemory();
  ::sigaction(signal, &beforeAborts, nullptr);
  ::raise(signal); // which comes when this handler returns
}

void watchFaults() {
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &beforeFaults);
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = onAbort;
  ::sigaction(SIGABRT, &action, &beforeAborts);
}

void onNoStack(int) {
  leave(Exhausted,
        "error: memory ran out: expects more than 1 MiB of stack (ulimit -s, ulimit -v)\n");
}
[[gnu::noinline]] void touchStack() {
  constexpr size_t bytes = 1 << 20, page = 4096;
  volatile char room[bytes];
  for (size_t i = 0; i < bytes; i += page)
    room[i] = 0;
}
/// Takes a mebibyte of stack while nothing else has memory. A stack that cannot grow ends a program
/// by a signal, here one whose handler has a stack of its own; all other memory that runs out is an
/// error with an exit code.
void takeStack() {
  static char own[1 << 14];
  stack_t mine = {}, before = {};
  mine.ss_sp = own, mine.ss_size = sizeof(own);
  struct sigaction action = {}, old = {};
  action.sa_handler = onNoStack;
  action.sa_flags = SA_ONSTACK;
  ::sigaltstack(&mine, &before);
  ::sigaction(SIGSEGV, &action, &old);
  touchStack();
  ::sigaction(SIGSEGV, &old, nullptr);
  ::sigaltstack(&before, nullptr);
}

/// `code`, or CannotWrite where what was printed did not reach stdout.
int finish(int code) {
  finished = true;
  Status written = files::finishStdout();
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    written = files::fail(files::Error::FileWrite, "the standard output", "", error.message());
    llvm::outs().clear_error(); // LLVM would end the process without saying what it wrote to
  }
  if (!written)
    code = fail(written.reason().text, CannotWrite);
  llvm::errs().clear_error(); // there is nowhere to say it
  return code;
}

/// The same where somebody calls exit(), as LLVM's parser of command lines does after --help.
void finishAtExit() {
  if (::getpid() == own && !finished && finish(Right) != Right)
    leave(CannotWrite);
}

} // namespace

int run(int argc, char **argv, int (*program)(int argc, char **argv)) {
  takeStack();
  std::set_terminate(onTerminate); // first, as all that follows takes memory
  watchFaults();
  llvm::install_bad_alloc_error_handler(onBadAllocation);
  prepare();
  own = ::getpid();
  llvm::outs(); // which is destroyed after the next is called, as it was made before
  std::atexit(finishAtExit);
  try {
    return finish(program(argc, argv));
  } catch (...) {
    leaveByException();
  }
}

int fail(const std::string &text, int code) {
  llvm::WithColor::error(llvm::errs()) << printable(text) << "\n";
  return code;
}

} // namespace tessera::process
