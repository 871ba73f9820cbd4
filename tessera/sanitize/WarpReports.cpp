// The texts of reports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/WarpReports.h"

#include "tessera/sanitize/Report.h"

namespace tessera::sanitize {

struct WarpReports::About {
  std::optional<Access> access{};
  const Site *site = nullptr;
  std::optional<Party> earlier{};
  int earlierLine = 0; // 0: it does not tell reports apart
};

Party WarpReports::partyOf(int lane) const {
  return {"", self.w.cta.index.str(), self.w.threadName(lane), self.launch.placeOf(self.line())};
}

Party WarpReports::partyOf(const Mark &m, int than) const {
  Mask lanes = m.lanes;
  if (Mask others = lanes & ~(Mask(1) << than); self.isOwn(m) && others)
    lanes = others;
  Party out = self.launch.shape.partyOf(m, lanes);
  out.place = self.launch.placeOf(int(m.line));
  return out;
}

void WarpReports::apart() {
  for (const sim::Strand &f : self.w.parked()) {
    const Instruction &i = f.frame->function->code[f.pc];
    if (f.wait != sim::Wait::Lanes || !i.aligned)
      continue;
    const Blame blame(self, i.line);
    report(std::countr_zero(f.lanes), Error::AlignedApart, hex(f.lanes), self.w.index,
           hex(f.subject & self.w.live & ~f.lanes));
  }
}

bool WarpReports::add(int lane, Error rule, Access access, const Mark *earlier, const Site &site,
                      uint64_t at) {
  if (!self.launch.wants(rule, self.line(), earlier ? int(earlier->line) : 0))
    return true;
  std::string whose, line;
  About about{.access = access, .site = &site};
  if (earlier) {
    const Party &party = about.earlier.emplace(partyOf(*earlier, lane));
    about.earlierLine = int(earlier->line);
    whose = cat(party.access, " by thread ", party.thread,
                party.block == self.w.cta.index.str() ? "" : cat(" of block ", party.block));
    line = party.place.str();
  }
  uint32_t bytes = isOfTensor(access) ? site.bytes * 4 : site.bytes;
  if (isOfTensor(access)) // lanes are the upper half of an address
    at <<= 16;
  return file(lane,
              fail(rule, nameOf(access), bytes, site.space, hex(site.address),
                   earlier ? whose : hex(site.address + at), line),
              about);
}

bool WarpReports::reportAfter(int lane, Error error, int earlierLine, std::string_view did) {
  if (!self.launch.wantsAny())
    return true;
  Party earlier = partyOf(lane);
  earlier.access = did;
  earlier.place = self.launch.placeOf(earlierLine);
  Reason reason = fail(error, earlier.place.str());
  return file(lane, std::move(reason), About{.earlier = std::move(earlier)});
}

Report WarpReports::reportOf(int lane, Reason reason, const About &about) const {
  Report report{reason.id, "", self.w.grid.kernel.name, partyOf(lane), "", 0, {}, about.earlier};
  if (about.access && !about.site->space.empty())
    report.party.access = nameOf(*about.access);
  if (const Site *site = about.site) {
    report.space = site->space;
    report.address = site->address;
    if (site->allocation)
      report.buffer = {site->address - site->allocation->start, site->allocation->size};
  }
  report.what = reason.text;
  report.text =
      self.launch.located(report.party.block, report.party.thread, self.line(), std::move(reason));
  if (report.buffer) {
    std::string place =
        cat(" [byte ", report.buffer->first, " of an allocation of ", report.buffer->second, "]");
    report.text += place;
    report.what += place;
  }
  return report;
}

Report WarpReports::unsetReport(const UnsetUse &use) {
  const UnsetOrigin &from = use.origin;
  if (!from.name.empty())
    return reportOf(use.lane, fail(Error::UnwrittenRegister, from.name), {});
  const Blame blame(self, from.line);
  if (from.from >= 0)
    return reportOf(use.lane, fail(Error::ShuffledFrom, from.from), {});
  const sim::Allocation *allocation =
      from.space == "global" ? self.w.grid.memory.find(from.address) : nullptr;
  const Site site{from.space, from.address, nullptr, 0, from.bytes, allocation};
  return reportOf(use.lane,
                  fail(Error::Unwritten, nameOf(from.access), from.bytes, from.space,
                       hex(from.address), hex(from.missing), ""),
                  {.access = from.access, .site = &site});
}

bool WarpReports::addUnset(const UnsetUse &use) {
  const bool isRegister = !use.origin.name.empty();
  const Error rule = isRegister            ? Error::UnwrittenRegister
                     : use.origin.from < 0 ? Error::Unwritten
                                           : Error::ShuffledFrom;
  return !self.launch.wants(rule, isRegister ? self.w.line() : use.origin.line, 0) ||
         self.launch.report(unsetReport(use));
}

bool WarpReports::file(int lane, Reason reason) { return file(lane, std::move(reason), About()); }

bool WarpReports::file(int lane, Reason reason, Access access, const Site &site) {
  return file(lane, std::move(reason), About{.access = access, .site = &site});
}

bool WarpReports::file(int lane, Reason reason, const About &about) {
  return !self.launch.wantsAny() ||
         self.launch.report(reportOf(lane, std::move(reason), about), about.earlierLine);
}

} // namespace tessera::sanitize
