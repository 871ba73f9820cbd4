// Waits for mbarriers and their ends; who waits for what, when nobody can go on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/ShortName.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Mbarrier.h"
#include "tessera/sim/Report.h"
#include "tessera/sim/Rows.h"

#include <tuple>

namespace tessera::sim {

namespace {
/// The mbarrier that lanes wait for: its address, the parity they named, and what its phase still
/// waits for.
std::string awaitedMbarrier(const Warp &w, const Frame *at, uint32_t where, Mask of) {
  const Cluster &cluster = w.cta.cluster;
  const Instruction &i = at->function->code[where];
  RegisterFile there{{at->registers.get(), w.registers().bases[1]}};
  int lane = std::countr_zero(of);
  uint64_t address =
      i.wide[1] ? there.in<uint64_t>(i.operand[1])[lane] : there.in<uint32_t>(i.operand[1])[lane];
  auto place = uint32_t(address + uint64_t(i.immediate[1]));
  uint32_t rank = place >> clusterRankShift,
           offset = (place & ((1u << clusterRankShift) - 1)) - sharedStart;
  if (rank >= cluster.ctas.size() || offset + 8ull > cluster.ctas[rank]->shared.size())
    return "an mbarrier";
  Mbarrier b;
  std::memcpy(&b.code, &cluster.ctas[rank]->shared[offset], sizeof(b.code));
  return cat("an mbarrier, at shared address ", hex(place), ", whose phase (parity ", b.phase(),
             ") lacks ", b.pending(), " of ", b.expected(), " arrivals and ", b.bytes(), " bytes");
}

/// What lanes poll, if they do.
std::string awaitedValue(const Warp &w, const Strand &f) {
  const Poll *poll = w.idling ? w.idling->pollOf(f.frame, f.lanes) : nullptr;
  if (!poll)
    return "";
  const Instruction &i = poll->frame->function->code[poll->pc];
  return i.row && i.row->name() == "mbarrier"
             ? awaitedMbarrier(w, poll->frame, poll->pc, poll->lanes)
             : cat("a value other than ", poll->value, " at ", name(i.space), " address ",
                   hex(poll->address));
}
} // namespace

uint32_t phaseSubject(const Cluster &cluster, const Mbarrier *barrier, uint64_t parity) {
  const auto *at = reinterpret_cast<const std::byte *>(barrier);
  for (const auto &cta : cluster.ctas) {
    const bool isOwn = cta->owns(at); // or the system's, which lies below
    const std::vector<std::byte> &memory = isOwn ? cta->shared : cta->reserved;
    if (at >= memory.data() && at < memory.data() + memory.size())
      return cta->rank << clusterRankShift | uint32_t(at - memory.data()) | uint32_t(parity) |
             (isOwn ? 0 : 2); // places are multiples of 8
  }
  return ~0u;
}

/// PTX ISA 9.7.13.15.16: a thread that is suspended continues when the phase completes. So it has
/// seen that even if the next phase completes before it runs; by the parity alone it would then
/// have to wait.
void endPhase(Warp &by, const Mbarrier &ended) {
  by.tell(Synchronize{.what = Synchronize::MbarrierPhase, .mbarrier = &ended});
  Cluster &cluster = by.cta.cluster;
  const uint32_t subject = phaseSubject(cluster, &ended, ended.phase() ^ 1);
  for (auto &cta : cluster.ctas)
    for (auto &warp : cta->warps) {
      const std::pair place{warp->pc, warp->frame};
      for (const Strand &f : warp->parked())
        if (f.wait == Wait::Event && f.subject == subject) { // an observer looks at what waits
          std::tie(warp->pc, warp->frame) = std::pair(f.pc, f.frame);
          warp->tell(
              Synchronize{.what = Synchronize::MbarrierPass, .lanes = f.lanes, .mbarrier = &ended});
        }
      std::tie(warp->pc, warp->frame) = place;
      warp->wake(Wait::Event, subject);
    }
  cluster.event();
}

bool Warp::giveUp() {
  bool any = false;
  for (Strand &f : strands)
    if (f.wait == Wait::Event) {
      const Instruction &i = f.frame->function->code[f.pc];
      auto *ended = reinterpret_cast<Mask *>(f.frame->registers.get() + i.operand[0]);
      *ended &= ~f.lanes;
      f.wait = Wait::None;
      ++f.pc;
      limit = 0; // look at the others before the next instruction
      any = true;
    }
  return any;
}

std::string Warp::waiting() const {
  std::string out;
  for (const Strand &f : strands) {
    std::string what;
    uint32_t place = f.pc;
    switch (f.wait) {
    case Wait::None:
      what = awaitedValue(*this, f);
      if (what.empty())
        continue;
      place = idling->pollOf(f.frame, f.lanes)->pc;
      break;
    case Wait::Lanes:
    case Wait::WarpBarrier: what = cat("lanes ", hex(f.subject & live & ~f.lanes)); break;
    case Wait::Barrier: what = cat("barrier ", f.subject); break;
    case Wait::ClusterBarrier: what = "the cluster's barrier"; break;
    case Wait::Event: what = awaitedMbarrier(*this, f.frame, f.pc, f.lanes); break;
    case Wait::TensorMemory: what = "free columns of tensor memory"; break;
    case Wait::Registers:
      what = cat(f.subject, " registers, where it has ", cta.registers.of(index), " and the block ",
                 cta.registers.free(), " more");
      break;
    case Wait::Group: what = cat("the other warps of group ", f.subject); break;
    }
    out += cat(out.empty() ? "" : "; ", "warp ", index, ", lanes ", hex(f.lanes), ", at line ",
               f.frame->function->code[place].line, " for ", what);
  }
  return out;
}

std::string Cta::waiting() const {
  std::string out;
  for (const auto &warp : warps)
    if (std::string text = warp->waiting(); !text.empty())
      out += cat(out.empty() ? "" : "; ", text);
  for (uint32_t id = 0; id < std::size(barriers); ++id)
    if (barriers[id].arrived)
      out += cat("; barrier ", id, " has ", barriers[id].arrived, " of ",
                 barriers[id].expected ? barriers[id].expected : liveThreads, " threads");
  return out;
}

Party Cluster::firstWaiting() const {
  for (const bool polls : {false, true}) // who is parked comes first
    for (const auto &cta : ctas)
      for (const auto &warp : cta->warps)
        for (const Strand &f : warp->parked()) {
          const Poll *poll =
              polls && warp->idling ? warp->idling->pollOf(f.frame, f.lanes) : nullptr;
          if (f.wait != Wait::None || poll)
            return {"", cta->index.str(), warp->threadName(std::countr_zero(f.lanes)),
                    ptx_text::placeOf(grid.program.text,
                                      f.frame->function->code[poll ? poll->pc : f.pc].line)};
        }
  return {};
}

void stopStuck(Grid &grid, std::span<Cluster *const> clusters) {
  constexpr size_t most = 8; // blocks that are named
  size_t blocks = 0;
  std::string who;
  for (Cluster *cluster : clusters)
    for (auto &cta : cluster->ctas)
      for (auto &warp : cta->warps)
        warp->tell(End{End::Stuck, warp->live});
  for (Cluster *cluster : clusters)
    for (auto &cta : cluster->ctas)
      if (std::string text = cta->waiting(); !text.empty() && ++blocks <= most)
        who += cat(who.empty() ? "" : "; ", "in block ", cta->index.str(), ": ", text);
  if (blocks > most)
    who += cat("; and in ", blocks - most, " blocks more");
  Party first;
  for (auto at = clusters.begin(); at != clusters.end() && first.block.empty(); ++at)
    first = (*at)->firstWaiting();
  Reason reason = fail(Error::Deadlock, who);
  std::string what = reason.text;
  reason.text = cat("kernel '", shortName(grid.kernel.name), "': ", what);
  Report report{reason.id, reason.text, grid.kernel.name, std::move(first), "", 0,
                {},        {},          std::move(what)};
  grid.stop(std::move(reason), std::make_shared<Report>(std::move(report)));
}

} // namespace tessera::sim
