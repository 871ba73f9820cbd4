// What a program says where memory runs out in a library that can only abort.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <sys/resource.h>

using namespace tessera::process;

namespace {
struct Noted {
  int number = 1;
  ~Noted() { number = 0; }
};
/// glibc registers the destructor where this is called first on a thread, and aborts where it has
/// no memory for that.
void touch() {
  thread_local Noted noted;
  ++noted.number;
}

void *volatile taken = nullptr; // so that the compiler leaves the calls of malloc

/// Takes all memory that there is.
void exhaust() {
  const rlimit nothing{0, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &nothing);
  for (size_t size = 1 << 20; size >= 1; size /= 2)
    do
      taken = std::malloc(size);
    while (taken);
}

int run(int (*program)(int, char **)) {
  const rlimit noCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  static char name[] = "test";
  char *arguments[] = {name, nullptr};
  return tessera::process::run(1, arguments, program);
}
int touchesWithoutMemory(int, char **) {
  exhaust();
  touch();
  return 0;
}
int abortsWithoutMemory(int, char **) {
  exhaust();
  std::abort();
}
int aborts(int, char **) { std::abort(); }
} // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESSERA_SANITIZED
#endif
#endif
TEST(Exhausted, ALibraryThatAbortsWithoutMemoryIsASentence) {
#ifdef TESSERA_SANITIZED
  const bool sanitized = true;
#else
  const bool sanitized = false;
#endif
  if (sanitized)
    GTEST_SKIP() << "the memory of sanitizers is limited, too";
  EXPECT_EXIT(std::exit(run(touchesWithoutMemory)), testing::ExitedWithCode(Exhausted),
              "error: memory ran out");
  EXPECT_EXIT(std::exit(run(abortsWithoutMemory)), testing::ExitedWithCode(Exhausted),
              "error: memory ran out");
}
TEST(Exhausted, AnyOtherAbortEndsTheProgramByItsSignal) {
  EXPECT_EXIT(std::exit(run(aborts)), testing::KilledBySignal(SIGABRT), "");
}
