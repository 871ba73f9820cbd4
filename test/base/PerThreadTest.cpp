// Objects of threads: one for each, and gone at its end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/PerThread.h"

#include <gtest/gtest.h>

#include <latch>
#include <set>
#include <thread>
#include <vector>

using namespace tessera;

namespace {
std::atomic<int> alive = 0;
struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  int value = 0;
};

/// All keys that the system has.
struct Keys {
  std::vector<pthread_key_t> all;
  Keys() {
    pthread_key_t key;
    while (::pthread_key_create(&key, nullptr) == 0)
      all.push_back(key);
  }
  ~Keys() {
    for (pthread_key_t key : all)
      ::pthread_key_delete(key);
  }
};

constinit PerThread<Counted> few, many, late;
} // namespace

TEST(PerThread, IsOneForEachThreadUntilItEnds) {
  const int before = alive;
  EXPECT_EQ(few.find(), nullptr);
  few.get().value = 1;
  std::thread([&] {
    EXPECT_EQ(few.find(), nullptr);
    few.get().value = 2;
    EXPECT_EQ(few.get().value, 2);
    EXPECT_EQ(alive, before + 2);
  }).join();
  EXPECT_EQ(alive, before + 1);
  EXPECT_EQ(few.get().value, 1);
}

TEST(PerThread, IsMadeByThreadsThatComeAtOnce) {
  constexpr int count = 16;
  const int before = alive;
  std::latch begin(count), all(count);
  std::vector<Counted *> made(count);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        begin.arrive_and_wait();
        made[i] = &many.get();
        all.arrive_and_wait(); // so that none is freed before all are made
        EXPECT_EQ(made[i], many.find());
      });
  }
  EXPECT_EQ(std::set<Counted *>(made.begin(), made.end()).size(), size_t(count));
  EXPECT_EQ(alive, before);
}

/// Asked for by what else is called at the end of a thread, after its object is gone.
TEST(PerThread, IsMadeAgainWhileItsThreadEnds) {
  const int before = alive;
  pthread_key_t key;
  static int calls;
  calls = 0;
  late.get(); // its key is the first of the two, and glibc goes through them in order
  ASSERT_EQ(::pthread_key_create(&key,
                                 [](void *) {
                                   ++calls;
                                   late.get().value = 1;
                                 }),
            0);
  std::thread([&] {
    late.get();
    ::pthread_setspecific(key, &key);
  }).join();
  ::pthread_key_delete(key);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(alive, before + 1); // that of this thread
}

TEST(PerThread, HasNoObjectWhereTheSystemHasNoMoreKeys) {
  static constinit PerThread<Counted> objects;
  const int before = alive;
  {
    Keys keys;
    EXPECT_GT(keys.all.size(), 0u);
    EXPECT_EQ(objects.find(), nullptr);
    EXPECT_THROW(objects.get(), std::bad_alloc);
    EXPECT_EQ(alive, before);
  }
  objects.get(); // there are some again
  EXPECT_EQ(alive, before + 1);
}
