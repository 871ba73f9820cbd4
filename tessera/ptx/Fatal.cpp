// Recovery from report_fatal_error by longjmp, as clang does for its own crashes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Fatal.h"

#include "tessera/base/Guarded.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>

using namespace tessera;

namespace {
/// Where the message of an error on this thread goes.
thread_local std::string *words = nullptr;
/// Whether LLVM was left in the middle of its work: then nobody frees its memory.
std::atomic<bool> leaks = false;

void onFatalError(void *, const char *reason, bool) {
  llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent();
  if (!words || !context)
    return; // not ours: LLVM ends the process
  *words = reason;
  context->HandleExit(1);
}

/// Whether memory that runs out on this thread is thrown to exhaustionOf.
thread_local int regions = 0;

/// Where LLVM does not get memory, which it asks for without exceptions.
void onBadAlloc(void *, const char *, bool) {
  if (regions)
    throw std::bad_alloc();                          // past frames without handlers
  std::fputs("LLVM ERROR: out of memory\n", stderr); // not ours: as LLVM ends the process
  std::abort();
}

void takeFatalErrors() {
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(onFatalError);
}
void leaveFatalErrors() {
  llvm::remove_fatal_error_handler();
  llvm::CrashRecoveryContext::Disable();
}
void takeBadAllocs() { llvm::install_bad_alloc_error_handler(onBadAlloc); }

/// LLVM has one handler of each kind for the whole process: the first thread sets it, the last one
/// removes it.
template <void (*take)(), void (*leave)()> class Handlers {
public:
  Handlers() {
    std::lock_guard lock(mutex);
    if (users++ == 0)
      take();
  }
  ~Handlers() {
    std::lock_guard lock(mutex);
    if (--users == 0)
      leave();
  }

private:
  static inline std::mutex mutex;
  static inline int users = 0;
};
using FatalHandlers = Handlers<takeFatalErrors, leaveFatalErrors>;
using MemoryHandlers = Handlers<takeBadAllocs, llvm::remove_bad_alloc_error_handler>;

/// What `code` throws, where MemoryHandlers are. It has no destructors, as a fatal error jumps over
/// it.
std::optional<Reason> thrownBy(llvm::function_ref<void()> code) {
  ++regions;
  try {
    code();
  } catch (...) {
    --regions;
    leaks = true;
    return reasonOfException();
  }
  --regions;
  return std::nullopt;
}
} // namespace

std::optional<Reason> ptx::exhaustionOf(llvm::function_ref<void()> code) {
  MemoryHandlers handlers;
  return thrownBy(code);
}

std::optional<std::string> ptx::fatalErrorOf(llvm::function_ref<void()> code) {
  std::string said = "LLVM's back end crashed"; // a signal has no words
  FatalHandlers fatal;
  MemoryHandlers memory;
  std::string *outerWords = std::exchange(words, &said);
  int outerRegions = regions;
  std::exception_ptr outerException = std::current_exception();
  llvm::CrashRecoveryContext context;
  std::optional<Reason> exhausted;
  bool ended = context.RunSafely([&] { exhausted = thrownBy(code); });
  words = outerWords;
  regions = outerRegions;
  // LLVM's JIT lets nothing pass: std::terminate, whose signal ends here, has caught the exception.
  if (!ended && std::current_exception() != outerException)
    exhausted = Reason{outOfMemoryId, "memory ran out"};
  if (ended && !exhausted)
    return std::nullopt;
  leaks = true;
  if (!exhausted)
    return said;
  if (regions)
    throw std::bad_alloc(); // to the region around this one, which says so
  return exhausted->text;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// Asked by the leak sanitizer at the end of the process.
extern "C" int __lsan_is_turned_off() { return leaks; }
#endif
#endif
