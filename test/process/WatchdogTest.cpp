// What happens when the time is over, and what does not before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/process/Watchdog.h"

#include <gtest/gtest.h>

#include <atomic>

using namespace tessera::process;

TEST(Watchdog, ExpiresUnlessCalledOff) {
  std::atomic<int> expired = 0;
  auto start = std::chrono::steady_clock::now();
  {
    Watchdog inTime(Seconds(3600), [&] { ++expired; });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  EXPECT_EQ(expired, 0);
  {
    Watchdog late(Seconds(0.01), [&] { ++expired; });
    while (!expired)
      std::this_thread::yield();
  }
  EXPECT_EQ(expired, 1);
}
