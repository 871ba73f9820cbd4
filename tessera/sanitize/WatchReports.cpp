// WatchReports: the texts of reports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Watch.h"

namespace tessera::sanitize {

Party Watch::self(int lane) const {
  return {"", w.cta.index.str(), w.threadName(lane), launch.placeOf(line())};
}

Party Watch::partyOf(const Mark &m, int than) const {
  Mask lanes = m.lanes;
  if (Mask others = lanes & ~(Mask(1) << than); m.agent == base + index && others)
    lanes = others;
  Party out = launch.shape.partyOf(m, lanes);
  out.place = launch.placeOf(int(m.line));
  return out;
}

void Watch::apart() {
  for (const sim::Strand &f : w.parked()) {
    const Instruction &i = f.frame->function->code[f.pc];
    if (f.wait != sim::Wait::Lanes || !i.aligned)
      continue;
    blamed = i.line;
    report(std::countr_zero(f.lanes), Error::AlignedApart, hex(f.lanes), w.index,
           hex(f.subject & w.live & ~f.lanes));
    blamed = 0;
  }
}

bool Watch::add(int lane, Error rule, Access access, const Mark *earlier, const Site &site,
                uint64_t at) {
  if (!launch.wants(rule, line(), earlier ? int(earlier->line) : 0))
    return true;
  std::string whose, line;
  About about{.access = access, .site = &site};
  if (earlier) {
    const Party &party = about.earlier.emplace(partyOf(*earlier, lane));
    about.earlierLine = int(earlier->line);
    whose = cat(party.access, " by thread ", party.thread,
                party.block == w.cta.index.str() ? "" : cat(" of block ", party.block));
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

bool Watch::reportAfter(int lane, Error error, int earlierLine, std::string_view did) {
  if (!launch.wantsAny())
    return true;
  Party earlier = self(lane);
  earlier.access = did;
  earlier.place = launch.placeOf(earlierLine);
  Reason reason = fail(error, earlier.place.str());
  return file(lane, std::move(reason), {.earlier = std::move(earlier)});
}

Report Watch::reportOf(int lane, Reason reason, const About &about) const {
  Report report{reason.id, "", w.grid.kernel.name, self(lane), "", 0, {}, about.earlier};
  if (about.access && !about.site->space.empty())
    report.party.access = nameOf(*about.access);
  if (const Site *site = about.site) {
    report.space = site->space;
    report.address = site->address;
    if (site->allocation)
      report.buffer = {site->address - site->allocation->start, site->allocation->size};
  }
  report.what = reason.text;
  report.text = launch.located(report.party.block, report.party.thread, line(), std::move(reason));
  if (report.buffer) {
    std::string place =
        cat(" [byte ", report.buffer->first, " of an allocation of ", report.buffer->second, "]");
    report.text += place;
    report.what += place;
  }
  return report;
}

bool Watch::file(int lane, Reason reason, const About &about) {
  return !launch.wantsAny() ||
         launch.report(reportOf(lane, std::move(reason), about), about.earlierLine);
}

} // namespace tessera::sanitize
