// What is told of work that grows, once, and what is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Growth.h"

#include <gtest/gtest.h>

#include <atomic>

using namespace tessera::process;

namespace {
constexpr uint64_t plenty = uint64_t(1) << 60;

/// How often work is told of that goes on until it is.
int timesTold(Growth::Limits limits, Seconds &passed, uint64_t &bytes) {
  std::atomic<int> told = 0;
  {
    Growth growth(limits, [&](Seconds s, uint64_t b) {
      passed = s;
      bytes = b;
      ++told;
    });
    while (!told)
      std::this_thread::yield();
  }
  return told;
}
} // namespace

TEST(Growth, TellsOfTime) {
  Seconds passed{};
  uint64_t bytes = 0;
  EXPECT_EQ(timesTold({Seconds(0.05), plenty}, passed, bytes), 1);
  EXPECT_GE(passed, Seconds(0.05));
}

TEST(Growth, TellsOfMemory) {
  Seconds passed{};
  uint64_t bytes = 0;
  EXPECT_EQ(timesTold({Seconds(3600), 4096}, passed, bytes), 1);
  EXPECT_LT(passed, Seconds(60));
  EXPECT_GE(bytes, 4096u);
}

TEST(Growth, IsSilentOfWorkThatEnds) {
  std::atomic<int> told = 0;
  auto start = std::chrono::steady_clock::now();
  {
    Growth growth({Seconds(3600), plenty}, [&](Seconds, uint64_t) { ++told; });
  }
  EXPECT_EQ(told, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(Growth, SeesMemoryThatIsTaken) {
  uint64_t before = memoryInUse();
  ASSERT_GT(before, 0u);
  std::vector<char> more(64 << 20, 1);
  EXPECT_GE(memoryInUse(), before + (32 << 20)) << int(more.back());
}
