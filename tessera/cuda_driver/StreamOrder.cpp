// Passes on what comes before what.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/StreamOrder.h"

#include "tessera/cuda_driver/Objects.h"

namespace tessera::cuda_driver {

using sanitize::WorkClock;

bool StreamOrder::isBesideLegacy(const Stream &stream) const {
  return &stream != &legacy && !stream.isNonBlocking();
}

WorkClock StreamOrder::before(const Stream &stream) const {
  WorkClock out = host;
  out.join(stream.known);
  if (&stream == &legacy)
    out.join(beside);
  else if (isBesideLegacy(stream))
    out.join(legacy.known);
  return out;
}

/// If memory runs out, everything counts as ordered, as nobody can be told.
template <class F> void StreamOrder::withoutRoom(F &&f) noexcept {
  try {
    f();
  } catch (...) {
    hostWaitsForAll();
  }
}

StreamOrder::Turn::Turn(StreamOrder &order, Stream &stream)
    : order(order), stream(stream), outer(order.now) {
  if (!stream.chain)
    stream.chain = ++order.chains;
  stream.beganDependents = 0;
  order.now = {{stream.chain, ++order.numbers}, order.before(stream)};
}

StreamOrder::Turn::~Turn() {
  order.withoutRoom([&] {
    stream.known.join(order.now.ended());
    if (order.isBesideLegacy(stream))
      order.beside.join(stream.known);
  });
  order.now = std::move(outer);
}

//===--- Graphs ------------------------------------------------------------------------------===//

StreamOrder::Nodes::Nodes(StreamOrder &order, const Graph &graph)
    : order(order), earlier(graph.launched), whole(order.now) {
  whole.after.join(earlier.ended);
}

StreamOrder::Nodes::~Nodes() {
  order.now = std::move(whole);
  order.withoutRoom([&] {
    for (const auto &[node, clock] : ended)
      order.now.after.join(clock);
    earlier.ended = order.now.ended();
  });
}

/// The chain of a node before it, or of the whole graph, if no other node has taken it over.
uint32_t StreamOrder::Nodes::chainOf(const GraphNode &node) {
  for (const GraphNode *before : node.after)
    if (auto free = chains.find(before); free != chains.end()) {
      const uint32_t chain = free->second;
      chains.erase(free);
      return chain;
    }
  if (used == earlier.chains.size())
    earlier.chains.push_back(++order.chains);
  return earlier.chains[used++];
}

void StreamOrder::Nodes::begin(const GraphNode &node) {
  order.now = {{chainOf(node), ++order.numbers}, whole.after};
  for (const GraphNode *before : node.after)
    order.now.after.join(ended[before]);
}

void StreamOrder::Nodes::end(const GraphNode &node) {
  chains[&node] = order.now.point.chain;
  ended[&node] = order.now.ended();
}

//===--- Events and waits --------------------------------------------------------------------===//

void StreamOrder::record(Event &event) const { event.known = now.after; }

void StreamOrder::wait(const Event &event) { now.after.join(event.known); }

void StreamOrder::wait(Stream &stream, const Event &event) {
  Turn turn(*this, stream); // waiting is work of the stream
  wait(event);
}

void StreamOrder::waitForAll() { now.after.addAll(numbers - 1); }

void StreamOrder::hostWaits() { host.join(now.ended()); }

void StreamOrder::hostWaits(Stream &stream) { host.join(before(stream)); }

void StreamOrder::hostWaits(const Event &event) { host.join(event.known); }

void StreamOrder::hostWaitsForAll() { host.addAll(numbers); }

} // namespace tessera::cuda_driver
