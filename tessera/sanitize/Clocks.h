// Clocks: what an agent knows about the accesses of other agents.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before by vector clocks, with one entry for each warp and not for each thread: an entry
// has the clock up to which the accesses of all lanes are known, and the clock up to which those of
// some are. If two entries cannot be joined exactly, the result knows more, never less: a race may
// be missed, but none is invented. Sources: Flanagan and Freund, "FastTrack", PLDI 2009; Eizenberg
// et al., "BARRACUDA", PLDI 2017 (clocks of warps); PTX ISA 8 (memory consistency model).
#pragma once

#include "tessera/sim/Access.h"
#include "tessera/sim/Instruction.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace tessera::sanitize {

using sim::Agent;
using sim::Mask;
using sim::warpSize;

/// Known accesses: of all lanes up to clock `full`, of `lanes` up to clock `part`.
struct Known {
  uint32_t full = 0, part = 0;
  Mask lanes = 0;

  bool covers(uint32_t clock, Mask of) const {
    return full >= clock || (part >= clock && !(of & ~lanes));
  }
  void join(const Known &other) {
    full = std::max(full, other.full);
    if (other.part > full && other.part >= part && !(lanes & ~other.lanes))
      part = other.part, lanes = other.lanes;
    else if (other.part > full && (other.part > part || (other.lanes & ~lanes)))
      part = std::max(part, other.part), lanes |= other.lanes;
    if (part <= full)
      part = 0, lanes = 0;
  }

  // For copies, which end in any order: all up to `full`, and later ones whose bit is set in
  // `lanes`. A copy far after `full` counts as known.
  bool coversCopy(uint32_t clock) const {
    return full >= clock || (clock - full <= warpSize && lanes >> (clock - full - 1) & 1);
  }
  void addCopy(uint32_t clock) {
    if (clock <= full)
      return;
    if (clock - full > warpSize)
      slide(clock - warpSize);
    lanes |= Mask(1) << (clock - full - 1);
    settle();
  }
  void joinCopies(Known other) {
    other.full < full ? other.slide(full) : slide(other.full);
    lanes |= other.lanes;
    settle();
  }

private:
  void slide(uint32_t to) {
    lanes = to - full < warpSize ? lanes >> (to - full) : 0;
    full = to;
  }
  void settle() {
    for (; lanes & 1; lanes >>= 1)
      ++full;
  }
};

/// Numbers of agents: those of a cluster are consecutive, followed by those of the next cluster.
/// Each warp has an agent of each kind except Group; those of tensor memory exist only if the
/// program has tcgen05.
struct Agents {
  uint32_t warps = 0, groups = 0; // of a cluster
  bool tensors = false;           // whether the program has tcgen05

  uint32_t firstGroup() const {
    return uint32_t(tensors ? Agent::Group : Agent::TensorLoad) * warps;
  }
  uint32_t count() const { return firstGroup() + groups; }
  Agent kind(uint32_t local) const {
    return local >= firstGroup() ? Agent::Group : Agent(local / warps);
  }

  friend bool operator==(const Agents &, const Agents &) = default;
};

/// The tcgen05 instructions of each warp that are known through tcgen05.fence, by their numbers.
/// Relaxed barriers pass these on too. PTX ISA 9.7.16.6.3.
class TensorClocks {
public:
  enum Kind : uint8_t {
    LoadsBegun,
    WorkBegun,
    Loads, // ended ones; in the order of the agents
    Stores,
    Work,
  };
  static Kind ended(Agent by) {
    return by == Agent::TensorLoad ? Loads : by == Agent::TensorStore ? Stores : Work;
  }

  bool covers(Kind kind, uint32_t warp, uint32_t number) const {
    return !upTo.empty() && upTo[kind * warps() + warp] >= number;
  }
  void set(Kind kind, uint32_t warp, uint32_t number, const Agents &agents) {
    upTo.resize(kinds * agents.warps);
    uint32_t &to = upTo[kind * warps() + warp];
    to = std::max(to, number);
  }
  void join(const TensorClocks &other) {
    if (upTo.size() < other.upTo.size())
      upTo.resize(other.upTo.size());
    for (size_t i = 0; i < other.upTo.size(); ++i)
      upTo[i] = std::max(upTo[i], other.upTo[i]);
  }

private:
  static constexpr size_t kinds = Work + 1;
  size_t warps() const { return upTo.size() / kinds; }
  std::vector<uint32_t> upTo; // by kind and warp of the cluster; empty: nothing
};

/// Kinds of knowledge: that an access has happened, and the proxies that fences made it visible to.
enum class Channel : uint8_t {
  Seen,
  Async,
  Inits,
  Maps
};

struct Clocks {
  using Entry = std::array<Known, 4>;         // by channel
  std::array<std::vector<Known>, 4> near;     // by channel: of the agents of the cluster
  std::map<uint32_t, Entry> far;              // of other clusters, by numbers of agents in the grid
  TensorClocks tensor;                        // of the cluster
  std::map<uint32_t, TensorClocks> farTensor; // the same of other clusters, by their first agents

  bool isEmpty() const { return near[0].empty() && far.empty(); }
  Known &at(Channel channel, uint32_t local) { return near[size_t(channel)][local]; }
  const Known &at(Channel channel, uint32_t local) const { return near[size_t(channel)][local]; }
  void prepare(const Agents &agents) {
    near[0].resize(agents.count());
    for (size_t channel = 1; channel < near.size(); ++channel)
      near[channel].resize(agents.warps); // other agents write through the async proxy
  }
  void join(const Clocks &other, const Agents &agents) {
    if (!other.near[0].empty())
      prepare(agents);
    for (size_t channel = 0; channel < near.size(); ++channel)
      join(near[channel], other.near[channel], agents);
    for (const auto &[agent, known] : other.far)
      joinFar(agent, known, agents);
    tensor.join(other.tensor);
    for (const auto &[first, known] : other.farTensor)
      farTensor[first].join(known);
  }
  /// Makes everything that is known visible through `channel` too.
  void show(Channel channel, const Agents &agents) {
    join(near[size_t(channel)], near[0], agents);
    for (auto &[agent, known] : far)
      joinOne(known[size_t(channel)], known[0], agents.kind(agent % agents.count()));
  }
  /// Writes all of it to `far` of clocks for other clusters; `base` is the first agent of this
  /// cluster.
  void leave(Clocks &to, uint32_t base, const Agents &agents) const {
    for (uint32_t local = 0; local < near[0].size(); ++local) {
      Entry entry;
      for (size_t channel = 0; channel < near.size(); ++channel)
        if (local < near[channel].size())
          entry[channel] = near[channel][local];
      if (entry[0].full || entry[0].lanes)
        to.joinFar(base + local, entry, agents);
    }
    for (const auto &[agent, known] : far)
      to.joinFar(agent, known, agents);
    to.farTensor[base].join(tensor);
  }
  /// The reverse: what `from` knows about this cluster becomes `near`.
  void enter(const Clocks &from, uint32_t base, const Agents &agents) {
    prepare(agents);
    for (const auto &[agent, known] : from.far) {
      if (agent - base >= agents.count()) {
        joinFar(agent, known, agents);
        continue;
      }
      for (size_t channel = 0; channel < near.size(); ++channel)
        if (agent - base < near[channel].size())
          joinOne(near[channel][agent - base], known[channel], agents.kind(agent - base));
    }
    if (auto found = from.farTensor.find(base); found != from.farTensor.end())
      tensor.join(found->second);
  }

private:
  static void joinOne(Known &to, const Known &from, Agent kind) {
    if (kind == Agent::Copy || kind == Agent::StoreSource)
      to.joinCopies(from);
    else
      to.join(from);
  }
  /// The second may be longer: other channels only know warps.
  static void join(std::vector<Known> &to, const std::vector<Known> &from, const Agents &agents) {
    for (size_t i = 0, n = std::min(to.size(), from.size()); i < n; ++i)
      joinOne(to[i], from[i], agents.kind(uint32_t(i)));
  }
  void joinFar(uint32_t agent, const Entry &known, const Agents &agents) {
    Entry &entry = far[agent];
    for (size_t channel = 0; channel < known.size(); ++channel)
      joinOne(entry[channel], known[channel], agents.kind(agent % agents.count()));
  }
};

} // namespace tessera::sanitize
