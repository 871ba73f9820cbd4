// The queues of Streams.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Streams.h"

#include <algorithm>
#include <vector>

using namespace tessera;
using namespace tessera::sim;

Streams::Stream Streams::create() {
  queues.try_emplace(++created);
  return created;
}
void Streams::destroy(Stream stream) {
  (void)finish(stream);
  queues.erase(stream);
}

void Streams::add(Stream stream, Work work) {
  queues.at(stream).push_back({++given, std::move(work)});
}
Streams::Event Streams::record(Stream stream) const {
  const std::deque<Piece> &queue = queues.at(stream);
  return {stream, queue.empty() ? 0 : queue.back().number};
}
void Streams::wait(Stream stream, Event event) {
  if (!isDone(event))
    queues.at(stream).push_back({++given, {}, event});
}

bool Streams::isDone(const Event &event) const {
  auto found = queues.find(event.stream);
  return found == queues.end() || found->second.empty() ||
         found->second.front().number > event.last;
}

Status Streams::step() {
  std::vector<std::deque<Piece> *> ready;
  for (auto &[stream, queue] : queues) {
    while (!queue.empty() && queue.front().waitsFor && isDone(*queue.front().waitsFor))
      queue.pop_front();
    if (!queue.empty() && !queue.front().waitsFor)
      ready.push_back(&queue);
  }
  // A piece waits for older ones only, so that the oldest of all need not wait.
  if (ready.empty())
    return Done{};
  auto older = [](const std::deque<Piece> *a, const std::deque<Piece> *b) {
    return a->front().number < b->front().number;
  };
  std::deque<Piece> &queue =
      seed ? *ready[random() % ready.size()] : **std::ranges::min_element(ready, older);
  Work work = std::move(queue.front().work);
  queue.pop_front();
  Status ended = work();
  if (!ended)
    for (auto &[stream, left] : queues)
      left.clear();
  return ended;
}

Status Streams::finish(const Event &event) {
  while (!isDone(event))
    if (Status ended = step(); !ended)
      return ended;
  return Done{};
}
Status Streams::finish(Stream stream) { return finish(record(stream)); }
Status Streams::finish() {
  for (const auto &[stream, queue] : queues)
    if (Status ended = finish(stream); !ended)
      return ended;
  return Done{};
}
