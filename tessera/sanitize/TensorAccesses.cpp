// Checks accesses of tensor memory, cell by cell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/TensorAccesses.h"

namespace tessera::sanitize {

using sim::TensorAddress;
using sim::TensorCells;

bool TensorAccesses::access(const sim::TensorAccess &a) {
  if (a.isOfOneRegister)
    return isAnyWritten(a);
  SharedShadow &shadow = self.shadowOf(a.owner).tensor();
  Mark mine = self.markOf(a.how, a.lane);
  bool fine = a.cells.runs([&](TensorAddress at, uint32_t lanes) {
    uint64_t offset = at.column * TensorCells::lanes + at.lane;
    Site site{"tensor", at.word(), shadow.cells.data(), offset, lanes};
    if (a.how != Access::TensorLoad &&
        !values.isWritten(site, shadow.written, offset, a.how, a.lane)) // of loads see isAnyWritten
      return false;
    if (!note(site, mine, a.lane))
      return false;
    if (row(a.how).writes)
      shadow.written.add(offset, lanes);
    return true;
  });
  if (a.how == Access::TensorFree)
    free(a);
  return fine;
}

bool TensorAccesses::note(const Site &site, const Mark &mine, int lane) {
  return races.note(
      site, mine, lane, [&](const Mark &m) { return order.knows(m, mine, lane); },
      [&](const Mark &m) { return order.missing(m); });
}

/// A load of a warp cannot leave out lanes, and those of M = 64 have nothing in half of them: one
/// that is written is enough.
bool TensorAccesses::isAnyWritten(const sim::TensorAccess &a) {
  SharedShadow &shadow = self.shadowOf(a.owner).tensor();
  std::optional<Site> missing;
  bool none = a.cells.runs([&](TensorAddress at, uint32_t lanes) {
    uint64_t offset = at.column * TensorCells::lanes + at.lane;
    if (!missing)
      missing = Site{"tensor", at.word(), shadow.cells.data(), offset, lanes};
    for (uint32_t i = 0; i < lanes; ++i)
      if (shadow.written.firstMissing(offset + i, 1) != offset + i)
        return false;
    return true;
  });
  return !none || reports.add(a.lane, Error::Unwritten, Access::TensorLoad, nullptr, *missing);
}

void TensorAccesses::free(const sim::TensorAccess &a) {
  SharedShadow &shadow = self.shadowOf(a.owner).tensor();
  a.cells.runs([&](TensorAddress at, uint32_t lanes) { // whole columns
    uint64_t first = at.column * TensorCells::lanes + at.lane;
    shadow.written.remove(first, lanes);
    std::fill_n(shadow.cells.begin() + ptrdiff_t(first / Cell::bytes), lanes / Cell::bytes, Cell{});
    return true;
  });
}

} // namespace tessera::sanitize
