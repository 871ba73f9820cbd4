// StreamOrder: which work of streams and graphs comes before which, for the sanitizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stand-in runs everything at once and in one order; a GPU promises less. CUDA C++ Programming
// Guide, "Asynchronous Concurrent Execution", and CUDA Runtime API, chapters 2 and 3 on what calls
// and streams wait for, say what it promises:
//   - work of a stream comes in its order; the legacy stream comes after all earlier and before all
//     later work of the streams beside it that are not made with NON_BLOCKING;
//   - a stream that waits for an event comes after what was recorded in it;
//   - nodes of a graph come in the order of its edges, and a launch after earlier launches of the
//     same executable graph;
//   - what the host waits for comes before all that it does next.
// Where documents differ, or the host may know by other ways, more counts as ordered: what one
// thread of the host waited for counts for all; allocations and frees wait for the device; a copy
// from pageable memory that waits has ended.
#pragma once

#include "tessera/sanitize/WorkOrder.h"

#include <map>
#include <vector>

namespace tessera::cuda_driver {

struct Event;
struct Graph;
struct GraphNode;
struct Launched;
struct Stream;

class StreamOrder {
public:
  explicit StreamOrder(Stream &legacy) : legacy(legacy) {}

  /// Work of a stream, which runs for as long as this lives.
  class Turn {
  public:
    Turn(StreamOrder &, Stream &);
    ~Turn();
    Turn(const Turn &) = delete;

  private:
    StreamOrder &order;
    Stream &stream;
    sanitize::WorkStep outer;
  };

  /// The nodes of a graph, which run as the current work, after earlier launches of the graph.
  class Nodes {
  public:
    Nodes(StreamOrder &, const Graph &);
    ~Nodes();
    Nodes(const Nodes &) = delete;
    void begin(const GraphNode &);
    void end(const GraphNode &);

  private:
    uint32_t chainOf(const GraphNode &);
    StreamOrder &order;
    Launched &earlier;
    size_t used = 0; // of its chains
    sanitize::WorkStep whole;
    std::map<const GraphNode *, sanitize::WorkClock> ended;
    std::map<const GraphNode *, uint32_t> chains; // that no later node has taken over
  };

  /// The current work: that which runs.
  sanitize::WorkStep now{};

  void record(Event &) const;
  /// The current work, or all later work of a stream, waits for an event.
  void wait(const Event &);
  void wait(Stream &, const Event &);
  /// The current work waits for a value in memory, which anything may have written.
  void waitForAll();
  /// The host waits for the current work, a stream, an event, or everything.
  void hostWaits();
  void hostWaits(Stream &);
  void hostWaits(const Event &);
  void hostWaitsForAll();
  /// What the host has waited for.
  const sanitize::WorkClock &ofHost() const { return host; }

private:
  template <class F> void withoutRoom(F &&) noexcept;
  bool isBesideLegacy(const Stream &) const;
  sanitize::WorkClock before(const Stream &) const;

  Stream &legacy;
  uint32_t chains = 0, numbers = 0; // given out
  sanitize::WorkClock host, beside; // `beside`: of all streams that the legacy one waits for
};

} // namespace tessera::cuda_driver
