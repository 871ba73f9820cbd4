// TensorAccesses: checks a warp's accesses of tensor memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/RaceCheck.h"
#include "tessera/sanitize/TensorOrder.h"
#include "tessera/sanitize/UnsetValues.h"

namespace tessera::sanitize {

class TensorAccesses {
public:
  TensorAccesses(const WatchedWarp &self, WarpReports &reports, RaceCheck &races,
                 const TensorOrder &order, UnsetValues &values)
      : self(self), reports(reports), races(races), order(order), values(values) {}

  /// False if there are reports enough.
  bool access(const sim::TensorAccess &);

private:
  bool note(const Site &, const Mark &mine, int lane);
  /// Whether any of these cells, all of one register, was written; if not, reports it.
  bool isAnyWritten(const sim::TensorAccess &);
  /// The columns are free; forgets all accesses to them.
  void free(const sim::TensorAccess &);

  const WatchedWarp &self;
  WarpReports &reports;
  RaceCheck &races;
  const TensorOrder &order;
  UnsetValues &values;
};

} // namespace tessera::sanitize
