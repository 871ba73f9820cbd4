// WarpReports: makes the reports of a warp: who, where, which earlier access, and the sentence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function returns false if there are enough reports, and the launch shall end.
#pragma once

#include "tessera/sanitize/WatchedWarp.h"

namespace tessera::sanitize {

/// Where an access is: what a report says of it, and its cells in the shadow.
struct Site {
  std::string_view space;
  uint64_t address; // as in the kernel
  Cell *cells;
  uint64_t offset; // of the access from the first cell
  uint32_t bytes;
  const sim::Allocation *allocation = nullptr;
  const std::byte *host = nullptr; // the bytes, of shared memory
};

class WarpReports {
public:
  explicit WarpReports(WatchedWarp &self) : self(self) {}

  /// Of what a lane does. Pieces fill in the sentence.
  template <class... Pieces> bool report(int lane, Error error, const Pieces &...pieces) {
    return file(lane, fail(error, pieces...));
  }
  /// Of an access without an earlier one.
  template <class... Pieces>
  bool reportAt(int lane, Error error, Access access, const Site &site, const Pieces &...pieces) {
    return file(lane, fail(error, pieces...), access, site);
  }
  /// Of an access, and the earlier one if there is one. `at`: the byte within the site.
  bool add(int lane, Error, Access, const Mark *earlier, const Site &, uint64_t at = 0);
  /// Together with an earlier line of the same thread, which did something.
  bool reportAfter(int lane, Error, int earlierLine, std::string_view did);
  /// Of the use of bits that nobody wrote.
  bool addUnset(const UnsetUse &);
  /// No warp can continue: of lanes that wait for others at an .aligned instruction.
  void apart();

private:
  /// The subject of a report besides the line that runs.
  struct About;

  bool file(int lane, Reason);
  bool file(int lane, Reason, Access, const Site &);
  bool file(int lane, Reason, const About &);
  Report reportOf(int lane, Reason, const About &) const;
  Report unsetReport(const UnsetUse &);
  /// The agent of a mark; if several lanes of this warp did it, one other than `than`.
  Party partyOf(const Mark &, int than) const;
  Party partyOf(int lane) const;

  WatchedWarp &self;
};

} // namespace tessera::sanitize
