// Waits for mbarriers and their ends; who waits for what, when nobody can go on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Grid.h"
#include "tessera/sim/Mbarrier.h"

#include <tuple>

namespace tessera::sim {

/// The mbarrier that lanes wait for: its address, the parity they named, and what its phase still
/// waits for.
std::string Warp::awaitedMbarrier(const Strand &f) const {
  const Instruction &i = f.frame->function->code[f.pc];
  RegisterFile there{{f.frame->registers.get(), file.bases[1]}};
  int lane = std::countr_zero(f.lanes);
  uint64_t address =
      i.wide[1] ? there.in<uint64_t>(i.operand[1])[lane] : there.in<uint32_t>(i.operand[1])[lane];
  auto place = uint32_t(address + uint64_t(i.immediate[1]));
  uint32_t rank = place >> clusterRankShift,
           offset = (place & ((1u << clusterRankShift) - 1)) - sharedStart;
  if (rank >= cta.cluster.ctas.size() || offset + 8ull > cta.cluster.ctas[rank]->shared.size())
    return "an mbarrier";
  Mbarrier b;
  std::memcpy(&b.code, &cta.cluster.ctas[rank]->shared[offset], sizeof(b.code));
  return cat("an mbarrier, at shared address ", hex(place), ", whose phase (parity ", b.phase(),
             ") lacks ", b.pending(), " of ", b.expected(), " arrivals and ", b.bytes(), " bytes");
}

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
    switch (f.wait) {
    case Wait::None: continue;
    case Wait::Lanes:
    case Wait::WarpBarrier: what = cat("lanes ", hex(f.subject & live & ~f.lanes)); break;
    case Wait::Barrier: what = cat("barrier ", f.subject); break;
    case Wait::ClusterBarrier: what = "the cluster's barrier"; break;
    case Wait::Event: what = awaitedMbarrier(f); break;
    case Wait::TensorMemory: what = "free columns of tensor memory"; break;
    case Wait::Registers:
      what = cat(f.subject, " registers, where it has ", cta.registers.of(index), " and the block ",
                 cta.registers.free(), " more");
      break;
    case Wait::Group: what = cat("the other warps of group ", f.subject); break;
    }
    out += cat(out.empty() ? "" : "; ", "warp ", index, ", lanes ", hex(f.lanes), ", at line ",
               f.frame->function->code[f.pc].line, " for ", what);
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

} // namespace tessera::sim
