// LocalAccesses: which bytes of its own local memory each lane of a warp has written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/UnsetValues.h"

namespace tessera::sanitize {

class LocalAccesses {
public:
  LocalAccesses(WarpReports &reports, UnsetValues &values) : reports(reports), values(values) {}

  /// False if there are reports enough.
  bool access(const sim::MemoryAccess &);
  /// Frames and stacks begin, and arguments of calls are copied.
  void change(const sim::MemoryChange &);

private:
  WarpReports &reports;
  UnsetValues &values;
  std::vector<Written> lanes; // none before the first access
};

} // namespace tessera::sanitize
