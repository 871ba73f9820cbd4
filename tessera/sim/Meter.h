// Meter: an observer that counts what warps do, and prints the instructions of one of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Grid.h"
#include "tessera/sim/Observer.h"

namespace tessera::sim {

/// What warps issue, and how long products of tcgen05 take: which of the two waits for the other.
struct TensorWork {
  std::map<size_t, uint64_t> issued; // instructions, by the warp's number in its block
  uint64_t products = 0;
  double clocks = 0; // of the tensor cores of all blocks, at their peak rates

  void add(const TensorWork &);
  /// For people; nothing without products.
  std::string str(uint64_t blocks) const;
};

/// Observes one launch. Fills Statistics except for the instructions of warps and threads, which
/// the scheduler counts.
class Meter : public Observer {
public:
  explicit Meter(const Limits &limits) : limits(limits) {}

  /// Whether anything was asked for.
  bool isAsked() const { return limits.counts || limits.trace; }
  std::unique_ptr<WarpObserver> watch(const Warp &) override;
  /// Adds the counts of a warp. If memory runs out they are lost, and isIncomplete() says so.
  void add(const Statistics &, const TensorWork &);
  void lost() { incomplete = true; }
  const Statistics &statistics() const { return counted; }
  const TensorWork &tensorWork() const { return work; }
  bool isIncomplete() const { return incomplete; }

private:
  const Limits &limits;
  std::atomic<bool> incomplete = false;
  std::mutex mutex;
  Statistics counted;
  TensorWork work;
};

} // namespace tessera::sim
