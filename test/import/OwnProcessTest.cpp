// What a process of its own may do, and what is said where it does not end well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/OwnProcess.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace tessera::import::test {

namespace {

using Clock = std::chrono::steady_clock;

/// The id with which work is refused.
template <class Work> std::string refusalOf(Work work, const ProcessLimits &limits = {}) {
  Result<std::string> done = inOwnProcess(work, limits);
  return done ? "not refused" : std::string(done.reason().id);
}

TEST(OwnProcess, GivesTextAndReasons) {
  int seen = 1;
  std::string large(3 << 20, 'x');
  Result<std::string> done = inOwnProcess([&]() -> Result<std::string> {
    seen = 2; // in the child only
    return large + "end";
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(*done, large + "end");
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(*inOwnProcess([]() -> Result<std::string> { return std::string(); }), "");
  Result<std::string> refused =
      inOwnProcess([]() -> Result<std::string> { return Reason{"Any", "is not liked"}; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason().text, "is not liked");
}

TEST(OwnProcess, CrashesAreReasons) {
  EXPECT_EQ(refusalOf([]() -> Result<std::string> { std::abort(); }), "Crashed");
  EXPECT_EQ(refusalOf([]() -> Result<std::string> { ::raise(SIGSEGV), std::abort(); }), "Crashed");
  EXPECT_EQ(refusalOf([]() -> Result<std::string> { std::_Exit(0); }), "Crashed");
  // Half an answer is none.
  EXPECT_EQ(refusalOf([]() -> Result<std::string> {
              for (int one = 3; one < 20; ++one) [[maybe_unused]]
                ssize_t written = ::write(one, "Thalf", 5);
              std::_Exit(0);
            }),
            "Crashed");
}

TEST(OwnProcess, LimitsHold) {
  auto began = Clock::now();
  EXPECT_EQ(refusalOf(
                []() -> Result<std::string> {
                  for (volatile unsigned i = 0;; i = i + 1)
                    ;
                },
                {.seconds = 1}),
            "TooLong");
  EXPECT_EQ(refusalOf( // it waits instead of computing
                []() -> Result<std::string> {
                  for (;;)
                    ::sleep(1);
                },
                {.seconds = 0.5}),
            "TooLong");
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(60));
  EXPECT_EQ(refusalOf([]() -> Result<std::string> { return std::string(2000, 'x'); },
                      {.textBytes = 1000}),
            "TooLarge");
}

#if defined(__linux__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(OwnProcess, HasNoMemoryBeyondItsLimit) {
  Result<std::string> done = inOwnProcess(
      []() -> Result<std::string> {
        void *volatile memory = std::malloc(size_t(1) << 30);
        return std::string(memory ? "memory" : "none");
      },
      {.memoryBytes = 64 << 20});
  EXPECT_EQ(*done, "none");
}

TEST(OwnProcess, SmallFilesAreGivenUpSooner) {
  EXPECT_LT(secondsFor(4888), 11);
  EXPECT_GT(secondsFor(2 << 20), 20);
  EXPECT_EQ(secondsFor(100 << 20), 60);
}

TEST(OwnProcess, OpensAndStartsNothing) {
  Result<std::string> done = inOwnProcess([]() -> Result<std::string> {
    std::string open = ::open("/etc/passwd", O_RDONLY) < 0 ? "refused" : "open";
    std::string made =
        ::open("/tmp/tessera-own-process", O_CREAT | O_WRONLY, 0600) < 0 ? "refused" : "made";
    std::string forked = ::fork() < 0 ? "refused" : "forked";
    return open + " " + made + " " + forked;
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(*done, "refused refused refused");
}
#endif

} // namespace

} // namespace tessera::import::test
