// Recovery from report_fatal_error by longjmp, as clang does for its own crashes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Fatal.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <mutex>

using namespace tessera;

namespace {
/// Where the words go of an error on this thread.
thread_local std::string *words = nullptr;
/// Whether LLVM was left in the middle of its work, which nobody frees then.
std::atomic<bool> leaks = false;

void onFatalError(void *, const char *reason, bool) {
  llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent();
  if (!words || !context)
    return; // not ours: LLVM ends the process
  *words = reason;
  context->HandleExit(1);
}

/// LLVM's handlers are the process', and there is one of each kind: the first thread sets them, the
/// last one takes them away.
class Handlers {
public:
  Handlers() {
    std::lock_guard lock(mutex);
    if (users++ == 0) {
      llvm::CrashRecoveryContext::Enable();
      llvm::install_fatal_error_handler(onFatalError);
    }
  }
  ~Handlers() {
    std::lock_guard lock(mutex);
    if (--users == 0) {
      llvm::remove_fatal_error_handler();
      llvm::CrashRecoveryContext::Disable();
    }
  }

private:
  static inline std::mutex mutex;
  static inline int users = 0;
};
} // namespace

std::optional<std::string> ptx::fatalErrorOf(llvm::function_ref<void()> code) {
  std::string said = "LLVM's back end crashed"; // a signal has no words
  Handlers handlers;
  words = &said;
  llvm::CrashRecoveryContext context;
  bool ended = context.RunSafely(code);
  words = nullptr;
  if (!ended)
    leaks = true;
  return ended ? std::nullopt : std::optional(said);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// Asked by the leak sanitizer at the end of the process.
extern "C" int __lsan_is_turned_off() { return leaks; }
#endif
#endif
