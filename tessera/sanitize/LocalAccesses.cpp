// Loads of local memory that nobody wrote.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/LocalAccesses.h"

namespace tessera::sanitize {

bool LocalAccesses::access(const sim::MemoryAccess &a) {
  if (lanes.empty())
    lanes.resize(warpSize);
  Written &of = lanes[size_t(a.lane)];
  if (a.isOfOther) // what is at the same place of the own memory has another meaning
    return reports.reportAt(a.lane, Error::OtherLocal, a.how,
                            {"local", a.address, nullptr, 0, a.bytes}, nameOf(a.how), a.bytes,
                            sim::hex(a.address));
  if (!row(a.how).writes)
    return values.load({"local", a.address, nullptr, 0, a.bytes}, of, a.address, a);
  of.add(a.address, a.bytes);
  return values.store(a, of, a.address);
}

void LocalAccesses::change(const sim::MemoryChange &c) {
  if (c.what == sim::MemoryChange::Written)
    lanes.resize(warpSize);
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    if (!(c.lanes >> lane & 1))
      continue;
    Written &of = lanes[lane];
    if (c.what == sim::MemoryChange::New) {
      of.remove(c.address, c.bytes);
      continue;
    }
    of.add(c.address, c.bytes);
    for (uint64_t at = 0; c.what == sim::MemoryChange::Copied && at < c.bytes; ++at)
      if (of.firstMissing(c.from + at, 1) != c.from + at + 1)
        of.remove(c.address + at, 1);
  }
}

} // namespace tessera::sanitize
