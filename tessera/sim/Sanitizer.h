// Sanitizer: what order the accesses of memory have, and reports of those that have none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Watch stands beside each warp. It keeps what the lanes know (Clocks.h), notes their accesses (Shadow.h) and compares
// each with the earlier ones. Barriers, mbarriers, fences and atomics pass clocks on. What goes on after its instruction,
// as bulk copies, cp.async and wgmma do, is an agent of its own, whose end only a wait tells. Fences of proxies say
// what the async proxy and tensor maps have been shown. Source: PTX ISA 8 (memory consistency model), 8.6 (proxies).
#pragma once

#include "tessera/sim/GroupRegisters.h"
#include "tessera/sim/Report.h"
#include "tessera/sim/Shadow.h"

namespace tessera::sim {

class Cta;
class Warp;

/// The clocks of an mbarrier: of arrivals at the phase that goes on, and at those that have ended.
struct PhaseClocks {
  Clocks arrivals, ended;
};

class Watch {
public:
  explicit Watch(Warp &);

  //===--- Memory. False after a fault, or when there are reports enough.

  bool shared(Cta &owner, uint32_t offset, uint32_t bytes, Access, uint64_t address, int lane);
  bool global(const Allocation &, uint64_t address, uint32_t bytes, Access, int lane);
  /// malloc has given these bytes, whatever was done with them before.
  void allocated(uint64_t address, uint64_t bytes);
  /// The last thread of the block ends.
  bool endBlock(int lane);
  /// By all warps of a group, who come to `product`.
  bool groupRead(uint64_t address, uint32_t bytes, uint32_t product);
  bool local(uint64_t address, uint32_t bytes, Access, int lane);
  /// Bytes of a lane's local memory have been written, or are new.
  void localWritten(int lane, uint64_t first, uint64_t count) {
    locals.resize(warpSize);
    locals[size_t(lane)].add(first, count);
  }
  void localForgotten(uint64_t first, uint64_t count) {
    for (Written &written : locals)
      written.remove(first, count);
  }

  //===--- Order

  /// Passes on what some lanes know and have done, or only what they have fenced.
  void release(Clocks &to, Mask lanes, bool relaxed = false);
  void acquire(const Clocks &from, Mask lanes);
  /// Lanes have met, and know all of each other.
  void meet(Mask lanes);
  void fence(Order, Scope, Mask lanes);
  /// What some lanes know of is shown through a proxy.
  void show(Channel, Mask lanes);
  /// The warp may use maps that have been shown.
  void acquireMaps();

  //===--- Work that goes on

  void beginCopy() { ++copies; }
  uint32_t copy() const { return copies; }
  /// A copy of this warp has ended, which `knows` learns.
  void endCopy(Clocks &knows, Agent, uint32_t clock) const;
  void endCopy(Agent agent, uint32_t clock, int lane);
  /// Whether a try_wait that could wait shall not: every other one, so that what kernels do then is looked at too.
  bool isImpatient() { return impatient = !impatient; }
  void beginAsync() { ++asyncs; }
  uint32_t async() const { return asyncs; }
  /// A lane has waited for its cp.async: they are writes of its own now.
  bool endAsync(uint64_t address, uint32_t bytes, int lane, uint32_t clock, int line);
  /// An instruction that is no wgmma runs: it may touch registers of one. False if there are reports enough.
  bool touch(size_t pc, int lane);
  void fenceProducts() { ++groupFences; }
  /// The warp comes to a wgmma.
  bool startProduct(const Instruction &, uint64_t product, int lane);
  /// The warp has waited for the products of its group up to a number.
  void endProducts(uint32_t product);

  /// False if there are enough. Pieces fill the sentence.
  template <class... Pieces> bool report(int lane, Error error, const Pieces &...pieces) {
    return file(lane, fail(error, pieces...), nullptr, nullptr);
  }

  /// Nobody can go on: lanes that wait for others at an .aligned instruction are reported.
  void apart();

private:
  struct Site {
    std::string_view space;
    uint64_t address; // as the kernel says it
    Cell *cells;
    uint64_t offset; // of the access from the first cell
    uint32_t bytes;
    const Allocation *allocation = nullptr;
  };

  template <class Knows> bool note(const Site &, Mark, int lane, Knows knows);
  template <class Knows> bool visit(const Site &, Cell &, Mark, int lane, Knows &knows);
  bool isWritten(const Site &, const Written &, uint64_t first, Access, int lane);
  bool mbarrier(Cta &owner, const Site &, Access, int lane);
  /// A report about an access of a site, and the earlier one. `at`: the byte within it.
  bool add(int lane, Error, Access, const Mark *earlier, const Site &, uint64_t at = 0);
  bool file(int lane, Reason, const Mark *earlier, const Site *);
  uint32_t groupAgent() const;
  Party partyOf(const Mark &) const;
  Party self(int lane) const;
  Mark markOf(Access, int lane) const;
  Access strength(Access) const;
  /// Whether a lane knows of an access, and whether it has been shown to a proxy.
  bool knows(const Mark &, int lane) const;
  bool knowsWhole(const Mark &) const;
  bool covers(const Clocks &, Channel, const Mark &) const;
  bool isShown(const Mark &, Access) const;
  /// Releases and acquires of strong accesses.
  void order(const std::byte *host, Access, int lane);

  Warp &w;
  const Agents agents;
  const uint32_t base, index; // of the cluster's agents; of the warp in the cluster
  uint32_t now = 1, copies = 0, asyncs = 0;
  Clocks common;                           // of all lanes
  std::unique_ptr<Clocks> extra[warpSize]; // what single lanes know besides
  Known own[warpSize];                     // what each lane knows of the others of its warp
  Clocks fenced, observed[3];              // what relaxed writes pass on; what relaxed reads have met, by scope
  Mask fencedLanes = 0, observedLanes = 0;
  Scope fencedScope = Scope::Cta;
  std::vector<Known> maps; // tensor maps that may be used, by the warp that wrote them
  std::map<uint32_t, Known> farMaps;
  std::map<const Function *, std::vector<GroupRegister>> groupRegisters;
  bool impatient = false;
  uint64_t waitedProducts = 0;
  uint32_t groupFences = 0;
  std::vector<Written> locals;
  GlobalShadow::Page *page = nullptr; // the last one
  uint64_t pageNumber = ~uint64_t(0);
};

} // namespace tessera::sim
