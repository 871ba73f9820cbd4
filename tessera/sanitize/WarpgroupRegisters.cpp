// Compares the setmaxnreg instructions of the warps of a warpgroup. PTX ISA, setmaxnreg: all
// threads of the warpgroup have to run the same one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/WarpgroupRegisters.h"

namespace tessera::sanitize {

namespace {
std::string nameOf(const RegisterChange &change) {
  return cat("setmaxnreg.", change.registers & 1 ? "inc " : "dec ", change.registers >> 1);
}
} // namespace

bool WarpgroupRegisters::change(uint32_t registers, int lane) {
  auto &warps = self.shadowOf(self.w.cta).registerChanges;
  warps.resize(self.warpsOfBlock());
  std::vector<RegisterChange> &mine = warps[self.w.index];
  mine.push_back({registers, self.line()});
  const uint32_t first = self.w.index / WarpGroup::size * WarpGroup::size;
  for (uint32_t warp = first; warp < std::min<size_t>(first + WarpGroup::size, warps.size());
       ++warp)
    if (const auto &other = warps[warp];
        other.size() >= mine.size() && other[mine.size() - 1].registers != registers)
      return reports.report(lane, Error::RegistersDiffer, nameOf(mine.back()), self.w.index,
                            nameOf(other[mine.size() - 1]), warp);
  return true;
}

bool WarpgroupRegisters::endBlock(int lane) {
  const auto &warps = self.shadowOf(self.w.cta).registerChanges;
  for (size_t first = 0; first < warps.size(); first += WarpGroup::size)
    for (size_t warp = first; warp < std::min(first + WarpGroup::size, warps.size()); ++warp)
      for (size_t other = first; other < std::min(first + WarpGroup::size, warps.size()); ++other)
        if (const size_t count = warps[other].size(); count < warps[warp].size()) {
          const RegisterChange &change = warps[warp][count];
          const Blame blame(self, change.line);
          return reports.report(lane, Error::RegistersApart, nameOf(change), warp, other);
        }
  return true;
}

} // namespace tessera::sanitize
