// WarpgroupRegisters: whether all warps of a warpgroup run the same setmaxnreg.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/WarpReports.h"

namespace tessera::sanitize {

class WarpgroupRegisters {
public:
  WarpgroupRegisters(WatchedWarp &self, WarpReports &reports) : self(self), reports(reports) {}

  // A result is false if there are reports enough.

  /// A warp runs one. `registers`: their number, and in the lowest bit whether they become more.
  bool change(uint32_t registers, int lane);
  /// The block ends: none is missing.
  bool endBlock(int lane);

private:
  WatchedWarp &self;
  WarpReports &reports;
};

} // namespace tessera::sanitize
