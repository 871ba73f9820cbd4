// Mbarrier: the 64 bits in shared memory that count arrivals and bytes of a phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tessera::sim {

/// Hardware's layout is opaque; here, from the low end: arrivals that are still to come (20 bits),
/// arrivals of a phase (20), bytes that are still to come, with a sign (23), parity of the phase.
/// PTX ISA 9.7.13.16.1.
struct Mbarrier {
  static constexpr uint32_t most = (1 << 20) - 1; // arrivals, and bytes that are still to come

  uint64_t code = 0;

  static Mbarrier initial(uint32_t count) {
    return {uint64_t(count & mask20) | uint64_t(count & mask20) << 20};
  }

  uint32_t pending() const { return uint32_t(code & mask20); }
  uint32_t expected() const { return uint32_t(code >> 20 & mask20); }
  int64_t bytes() const { return int64_t(code << 1) >> 41; }
  uint64_t phase() const { return code >> 63; }

  /// An initialised one waits for arrivals in each phase.
  bool isThere() const { return expected() || pending(); }
  /// Whether so many bytes more (or less) may be waited for. PTX ISA 9.7.13.16.1.
  bool counts(int64_t more) const { return std::abs(bytes() + more) <= int64_t(most); }

  void expect(int64_t count) { set(pending(), expected(), bytes() + count); }
  void addPending(uint32_t count) { set(pending() + count, expected(), bytes()); }
  /// Whether the phase has ended with it.
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

/// What lanes wait for that are suspended at an mbarrier until a phase of this parity ends.
uint32_t phaseSubject(const Cluster &, const Mbarrier *, uint64_t parity);
/// A phase has ended, by a warp or a copy of it: who waits for it goes on.
void endPhase(Warp &by, const Mbarrier &);

} // namespace tessera::sim
