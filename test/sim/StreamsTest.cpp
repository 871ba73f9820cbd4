// Streams: any order that is taken is one that queues and events allow, and every one is taken.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace tessera;
using namespace tessera::sim;

namespace {

/// Random work in three streams with events between them. before[i]: the pieces that have to be
/// done before piece i, by the definition of streams and events, with what those need in turn.
struct Scene {
  std::vector<std::set<int>> before;
  std::vector<int> order;

  void build(Streams &streams, uint64_t seed) {
    std::minstd_rand random(unsigned(seed) + 1);
    std::vector<Streams::Stream> all = {streams.create(), streams.create(), streams.create()};
    std::vector<std::set<int>> reached(all.size()); // of each stream, all that it has come after
    std::vector<std::pair<Streams::Event, std::set<int>>> events;
    for (int step = 0; step < 40; ++step) {
      size_t of = random() % all.size();
      switch (random() % 4) {
      case 0: events.emplace_back(streams.record(all[of]), reached[of]); break;
      case 1:
        if (!events.empty()) {
          const auto &[event, needs] = events[random() % events.size()];
          streams.wait(all[of], event);
          reached[of].insert(needs.begin(), needs.end());
        }
        break;
      default: {
        int piece = int(before.size());
        before.push_back(reached[of]);
        reached[of].insert(piece);
        streams.add(all[of], [this, piece]() -> Status {
          order.push_back(piece);
          return Done{};
        });
      }
      }
    }
  }
  void check() const {
    ASSERT_EQ(order.size(), before.size());
    std::set<int> done;
    for (int piece : order) {
      EXPECT_TRUE(std::ranges::includes(done, before[size_t(piece)])) << piece;
      EXPECT_TRUE(done.insert(piece).second) << "done twice: " << piece;
    }
  }
};

TEST(Streams, TakeOrdersThatEventsAllow) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    Streams streams(seed);
    Scene scene;
    scene.build(streams, seed);
    ASSERT_TRUE(streams.finish());
    scene.check();
    if (seed == 0)
      EXPECT_TRUE(std::ranges::is_sorted(scene.order));
  }
}

TEST(Streams, TakeEveryOrder) {
  // Two pieces in each of two streams have six orders.
  std::set<std::vector<int>> orders;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Streams streams(seed);
    std::vector<int> order;
    Streams::Stream a = streams.create(), b = streams.create();
    for (int piece = 0; piece < 4; ++piece)
      streams.add(piece < 2 ? a : b, [&order, piece]() -> Status {
        order.push_back(piece);
        return Done{};
      });
    ASSERT_TRUE(streams.finish());
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(Streams, DoNothingThatNobodyWaitsFor) {
  Streams streams;
  int done = 0;
  auto count = [&]() -> Status {
    ++done;
    return Done{};
  };
  Streams::Stream a = streams.create(), b = streams.create();
  streams.add(a, count);
  Streams::Event event = streams.record(a);
  streams.add(a, count);
  EXPECT_EQ(done, 0);
  EXPECT_FALSE(streams.isDone(event));
  ASSERT_TRUE(streams.finish(event));
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(streams.isDone(event));
  streams.add(b, [] { return Status(Reason{"Test", "it failed"}); });
  streams.add(b, count);
  Status ended = streams.finish(b);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.reason().text, "it failed");
  ASSERT_TRUE(streams.finish());
  EXPECT_EQ(done, 2); // what was left of both is lost; a's second piece was older
  streams.destroy(b);
  EXPECT_TRUE(streams.isDone(Streams::Event{b, 100}));
}

} // namespace
