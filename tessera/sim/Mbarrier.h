// Mbarrier: the 64 bits in shared memory that count arrivals and bytes of a phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tessera::sim {

/// Hardware's layout is opaque. Here, from the lowest bit: pending arrivals (20 bits), expected
/// arrivals of a phase (20), pending bytes, with a sign (23), parity of the phase. PTX ISA
/// 9.7.13.16.1.
struct Mbarrier {
  static constexpr uint32_t most = (1 << 20) - 1; // arrivals, and pending bytes

  uint64_t code = 0;

  static Mbarrier initial(uint32_t count) {
    return {uint64_t(count & mask20) | uint64_t(count & mask20) << 20};
  }

  uint32_t pending() const { return uint32_t(code & mask20); }
  uint32_t expected() const { return uint32_t(code >> 20 & mask20); }
  int64_t bytes() const { return int64_t(code << 1) >> 41; }
  uint64_t phase() const { return code >> 63; }

  /// Whether it is initialised: then it expects arrivals in each phase.
  bool isThere() const { return expected() || pending(); }
  /// Whether the pending bytes may change by this number. PTX ISA 9.7.13.16.1.
  bool counts(int64_t more) const { return std::abs(bytes() + more) <= int64_t(most); }

  void expect(int64_t count) { set(pending(), expected(), bytes() + count); }
  void addPending(uint32_t count) { set(pending() + count, expected(), bytes()); }
  /// Counts arrivals; returns whether the phase has ended.
  bool complete(int64_t count) {
    set(pending(), expected(), bytes() - count);
    return advance();
  }
  bool arrive(uint32_t count, bool drops) {
    set(pending() - count, expected() - (drops ? count : 0), bytes());
    return advance();
  }

private:
  static constexpr uint64_t mask20 = (1 << 20) - 1, mask23 = (1 << 23) - 1;

  void set(uint32_t pending, uint32_t expected, int64_t bytes) {
    code = (pending & mask20) | (expected & mask20) << 20 | (uint64_t(bytes) & mask23) << 40 |
           phase() << 63;
  }
  bool advance() {
    if (pending() || bytes())
      return false;
    set(expected(), expected(), 0);
    code ^= uint64_t(1) << 63;
    return true;
  }
};

class Cluster;
class Warp;

/// What lanes suspended at an mbarrier wait for, until a phase of this parity ends.
uint32_t phaseSubject(const Cluster &, const Mbarrier *, uint64_t parity);
/// Called when a warp, or a copy of it, has ended a phase: waiting lanes continue.
void endPhase(Warp &by, const Mbarrier &);

} // namespace tessera::sim
