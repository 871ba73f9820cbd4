// EightThreads: the same work on eight threads at once, from one start.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <thread>
#include <vector>

namespace tessera::test {

inline void expect(bool good, const char *what) {
  if (good)
    return;
  std::fprintf(stderr, "%s is not so\n", what);
  std::_Exit(1);
}

/// work(number) on each of eight threads, that begin together.
template <class Work> void onEightThreads(Work work) {
  constexpr int count = 8;
  std::latch begin(count);
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      begin.arrive_and_wait();
      work(i);
    });
}

} // namespace tessera::test
