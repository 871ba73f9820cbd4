// Sanitizer: what order the accesses of memory have, and reports of those that have none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Watch stands beside each warp. It keeps what the lanes know (Clocks.h), notes their accesses
// (Shadow.h) and compares each with the earlier ones. Barriers, mbarriers, fences and atomics pass
// clocks on. What goes on after its instruction, as bulk copies, cp.async, wgmma and tcgen05 do, is
// an agent of its own, whose end only a wait tells. Fences of proxies say what the async proxy and
// tensor maps have been shown. Source: PTX ISA 8 (memory consistency model), 8.6 (proxies).
#pragma once

#include "tessera/sim/GroupRegisters.h"
#include "tessera/sim/Report.h"
#include "tessera/sim/Shadow.h"
#include "tessera/sim/TensorMemory.h"

namespace tessera::sim {

class Cta;
class Warp;

/// The clocks of an mbarrier: of arrivals at the phase that goes on, and at those that have ended.
/// Threads of other blocks have their own, as their scope and that of who waits have to reach each
/// other.
struct PhaseClocks {
  Clocks arrivals, ended, arrivalsFar, endedFar;
};

/// What a tcgen05.mma adds to: products of the same sums, shape and kind come one after the other.
/// PTX ISA 9.7.16.6.2.
struct TensorSums {
  uint32_t address = 0;
  uint16_t m = 0, n = 0; // 0: no product
  uint8_t kind = 0, ctas = 0;
  friend bool operator==(const TensorSums &, const TensorSums &) = default;
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
  /// By these of a group's four warps, all of whom come to `product`.
  bool groupRead(uint64_t address, uint32_t bytes, uint32_t product, Mask warps);
  bool local(uint64_t address, uint32_t bytes, Access, int lane);
  /// Bytes of a lane's local memory have been written, or are new.
  void localWritten(int lane, uint64_t first, uint64_t count) {
    locals.resize(warpSize);
    locals[size_t(lane)].add(first, count);
  }
  void localForgotten(uint64_t first, uint64_t count, Mask lanes) {
    for (size_t lane = 0; lane < locals.size(); ++lane)
      if (lanes >> lane & 1)
        locals[lane].remove(first, count);
  }

  //===--- Order

  /// Passes on what some lanes know and have done, or only what they have fenced.
  void release(Clocks &to, Mask lanes, bool relaxed = false);
  void acquire(const Clocks &from, Mask lanes);
  /// Lanes have met, and know all of each other.
  void meet(Mask lanes);
  void fence(Order, Scope, Mask lanes);
  /// mbarriers. Threads of the barrier's own block, or of others.
  void arrive(PhaseClocks &, Mask lanes, bool isFar);
  void waited(const PhaseClocks &, Mask lanes);
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
  /// Whether a try_wait that could wait shall not: every other one, so that what kernels do then is
  /// looked at too.
  bool isImpatient() { return impatient = !impatient; }
  void beginAsync() { ++asyncs; }
  uint32_t async() const { return asyncs; }
  /// A lane has waited for its cp.async: they are writes of its own now.
  bool endAsync(uint64_t address, uint32_t bytes, int lane, uint32_t clock, int line);
  /// An instruction that is no wgmma runs: it may touch registers of one. False if there are
  /// reports enough.
  bool touch(size_t pc, int lane);
  void fenceProducts() { ++groupFences; }
  /// The warp comes to a wgmma.
  bool startProduct(const Instruction &, uint64_t product, int lane);
  /// The warp has waited for the products of its group up to a number.
  void endProducts(uint32_t product);

  //===--- Tensor memory

  /// A tcgen05.ld, .st, or what commits wait for begins.
  void beginTensor(Agent by, const TensorSums &sums = {});
  bool tensor(Cta &owner, const TensorCells &cells, Access, int lane);
  /// Whether somebody wrote one of these cells, all of one register; otherwise it is reported.
  bool isAnyWritten(Cta &owner, const TensorCells &cells, int lane);
  /// The columns are free: what was done with them does not matter any more.
  bool freeTensor(uint32_t column, uint32_t count, int lane);
  /// tcgen05.wait: all loads or stores of the warp have ended.
  void endTensor(Agent by);
  void commitTensor(Clocks &to, Mask lanes);
  void beforeThreadSync() { common.tensor.join(ordered); }
  void afterThreadSync() { ordered.join(common.tensor); }

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
  uint32_t &begun(Agent by) { return tensorsBegun[size_t(by) - size_t(Agent::TensorLoad)]; }
  uint32_t begun(Agent by) const { return tensorsBegun[size_t(by) - size_t(Agent::TensorLoad)]; }
  bool noteTensor(const Site &, const Mark &mine, int lane);
  bool knowsTensor(const Mark &, const Mark &mine, int lane) const;
  bool inOrder(const Mark &, const Mark &mine) const;
  Error raceRule(const Mark &) const;
  const Watch &watchOf(const Mark &) const;
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
  Clocks fenced, observed[3]; // what relaxed writes pass on; what relaxed reads have met, by scope
  Mask fencedLanes = 0, observedLanes = 0;
  Scope fencedScope = Scope::Cta;
  std::vector<Known> maps; // tensor maps that may be used, by the warp that wrote them
  std::map<uint32_t, Known> farMaps;
  std::map<const Function *, std::vector<GroupRegister>> groupRegisters;
  bool impatient = false;
  uint64_t waitedProducts = 0;
  uint32_t groupFences = 0;
  TensorClocks ordered; // what the next tcgen05 comes after
  std::array<uint32_t, 3> tensorsBegun{};
  std::vector<TensorSums> sums; // of the warp's products and copies, by their numbers from 1 on
  std::vector<Written> locals;
  GlobalShadow::Page *page = nullptr; // the last one
  uint64_t pageNumber = ~uint64_t(0);
};

} // namespace tessera::sim
