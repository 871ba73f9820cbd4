// Meter: an observer that counts what warps do, and prints the instructions of one of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Grid.h"
#include "tessera/sim/Observer.h"

namespace tessera::sim {

/// Observes one launch. Fills Statistics except for the instructions of warps and threads, which
/// the scheduler counts.
class Meter : public Observer {
public:
  explicit Meter(const Limits &limits) : limits(limits) {}

  /// Whether anything was asked for.
  bool isAsked() const { return limits.counts || limits.trace; }
  std::unique_ptr<WarpObserver> watch(const Warp &) override;
  /// Adds the counts of a warp. If memory runs out they are lost, and isIncomplete() says so.
  void add(const Statistics &);
  void lost() { incomplete = true; }
  const Statistics &statistics() const { return counted; }
  bool isIncomplete() const { return incomplete; }

private:
  const Limits &limits;
  std::atomic<bool> incomplete = false;
  std::mutex mutex;
  Statistics counted;
};

} // namespace tessera::sim
