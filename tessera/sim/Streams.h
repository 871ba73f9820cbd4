// Streams: work that waits in queues, as a GPU's streams have it, and events between them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of a stream is done in its order. Work of several streams is done in any order that events
// allow, which a seed chooses, one piece after the other: results that depend on the seed show an
// event that is missing. Nothing is done before someone waits.
//
//   sim::Streams streams(seed);
//   sim::Streams::Stream a = streams.create(), b = streams.create();
//   streams.add(a, [&] { return machine.launch(...); });
//   streams.wait(b, streams.record(a));             // b goes on when a has come so far
//   streams.add(b, [&] { return machine.memory().read(...); });
//   sim::Status ended = streams.finish(b);
#pragma once

#include "tessera/base/Status.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>

namespace tessera::sim {

/// Only one thread at a time may use it.
class Streams {
public:
  using Stream = uint64_t;
  using Work = std::function<Status()>;
  /// All that a stream was given up to a piece of work.
  struct Event {
    Stream stream = 0;
    uint64_t last = 0;
  };

  /// Seed 0: in the order in which work was given, as far as that may be.
  explicit Streams(uint64_t seed = 0) : seed(seed), random(seed) {}
  void setSeed(uint64_t to) { seed = to, random.seed(to); }

  Stream create();
  /// Does the stream's work first; what fails is lost with it.
  void destroy(Stream);

  void add(Stream, Work);
  /// What the stream has been given so far.
  Event record(Stream) const;
  /// What the stream is given from now on waits for the event.
  void wait(Stream, Event);

  bool isDone(const Event &) const;
  /// Does work until all of the stream, all before the event, or all is done. After a reason
  /// nothing is left in any stream.
  Status finish(Stream);
  Status finish(const Event &);
  Status finish();

private:
  struct Piece {
    uint64_t number = 0; // counts all pieces, from 1 on
    Work work{};
    std::optional<Event> waitsFor{}; // instead of work
  };
  /// Does one piece of a stream that need not wait.
  Status step();

  uint64_t seed, given = 0, created = 0;
  std::mt19937_64 random;
  std::map<Stream, std::deque<Piece>> queues;
};

} // namespace tessera::sim
