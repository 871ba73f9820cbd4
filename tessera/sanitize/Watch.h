// Watch: what one warp knows about the accesses of others, and reports of accesses without order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Watch accompanies each warp and is told of its events (sim/Observer.h). It stores what the
// lanes know (Clocks.h), records their accesses (Shadow.h) and compares each with earlier ones.
// Barriers, mbarriers, fences and atomics pass clocks on. Work that continues after its
// instruction, such as bulk copies, cp.async, wgmma and tcgen05, is an agent of its own, whose end
// is known only after a wait. Fences of proxies record what the async proxy and tensor maps have
// been shown. Source: PTX ISA 8 (memory consistency model), 8.6 (proxies).
//
// Watch.cpp compares accesses, WarpAccesses.cpp handles whole warps if that is enough, Order.cpp
// passes knowledge on, TensorOrder.cpp and GroupRegisters.cpp have the rules of tensor memory and
// of wgmma's registers, WatchReports.cpp the messages.
#pragma once

#include "tessera/sanitize/Launch.h"
#include "tessera/sim/Observer.h"

namespace tessera::sanitize {

using sim::AccessRow;
using sim::hex;
using sim::Instruction;
using sim::Order;
using sim::TensorSums;
using sim::Warp;
using sim::WarpGroup;

class Watch : public sim::WarpObserver {
public:
  Watch(Launch &, const Warp &);
  ~Watch() override { cluster->watches[index] = nullptr; }

  bool onExecute(const sim::Execute &) override;
  bool onSkip(const sim::Skip &) override;
  bool onAccess(const sim::MemoryAccess &) override;
  bool onWarpAccess(const sim::WarpAccess &) override;
  bool onProductRead(const sim::ProductRead &) override;
  bool onTensorAccess(const sim::TensorAccess &) override;
  bool onChange(const sim::MemoryChange &) override;
  bool onSynchronize(const sim::Synchronize &) override;
  bool onFence(const sim::Fence &) override;
  bool onWork(const sim::AsyncWork &) override;
  bool onEnd(const sim::End &) override;

private:
  //===--- Memory. False when there are reports enough.

  bool shared(const sim::MemoryAccess &);
  bool global(const sim::MemoryAccess &);
  bool local(const sim::MemoryAccess &);
  /// Lanes that access the same bytes, in one weak load or store of shared memory of this block or
  /// of global memory.
  struct Group {
    int first;
    Mask lanes;
  };
  struct Groups {
    Group all[warpSize];
    uint32_t count = 0;
    bool rise = false; // whether each lies after the one before
    const Group *begin() const { return all; }
    const Group *end() const { return all + count; }
  };
  static Groups group(const sim::WarpAccess &);
  bool sharedGroups(const sim::WarpAccess &, const Groups &);
  bool globalGroups(const sim::WarpAccess &, const Groups &);
  bool oneByOne(const sim::WarpAccess &, Mask lanes);
  /// Records an access of whole groups if all earlier accesses are known to all lanes or are
  /// harmless. Otherwise returns false and changes nothing; lanes must then be checked one by one.
  bool noteQuickly(Cell *cells, uint64_t offset, uint32_t bytes, Mark mine);
  bool visitQuickly(Cell &, const Mark &mine);
  /// Called when the last thread of the block ends.
  bool endBlock(int lane);

  //===--- Order

  /// Passes on what some lanes know and have done, or only what they have fenced.
  void release(Clocks &to, Mask lanes, bool relaxed = false);
  void acquire(const Clocks &from, Mask lanes);
  /// Lanes have met, so each knows what the others know.
  void meet(Mask lanes);
  void fence(Order, Scope, Mask lanes);
  /// Arrival at an mbarrier, by threads of the barrier's own block or of others.
  void arrive(PhaseClocks &, Mask lanes, bool isFar);
  void waited(const PhaseClocks &, Mask lanes);
  /// Makes everything that some lanes know visible through a proxy.
  void show(Channel, Mask lanes);
  /// Allows the block to use maps that have been shown.
  void acquireMaps(Mask lanes);

  //===--- Work that goes on

  bool begin(const sim::AsyncWork &);
  bool end(const sim::AsyncWork &);
  /// A copy of this warp has ended; `knows` learns of it.
  void endCopy(Clocks &knows, Agent, uint32_t clock) const;
  /// A lane has waited for its cp.async; its writes now count as those of the lane.
  bool endAsync(const sim::AsyncWork &);
  /// An instruction other than wgmma runs, which may touch registers of one. False if there are
  /// enough reports.
  bool touch(size_t pc, int lane);
  /// The warp reaches a wgmma.
  bool startProduct(const Instruction &, uint64_t product, int lane);
  /// The warp has waited for the products of its group up to a number.
  void endProducts(uint64_t product);

  //===--- Tensor memory

  /// A tcgen05.ld or .st, or work that commits wait for, begins.
  void beginTensor(Agent by, const TensorSums &sums);
  /// Whether any of these cells, all of one register, was written; if not, reports it.
  bool isAnyWritten(const sim::TensorAccess &);
  /// The columns are free; forgets all accesses to them.
  void freeTensor(const sim::TensorAccess &);
  /// tcgen05.wait: all loads or stores of the warp have ended.
  void endTensor(Agent by);
  void commitTensor(Clocks &to, Mask lanes);

  //===--- Reports

  /// False if there are enough reports. Pieces fill in the sentence.
  template <class... Pieces> bool report(int lane, Error error, const Pieces &...pieces) {
    return file(lane, fail(error, pieces...), {});
  }
  /// No warp can continue: reports lanes that wait for others at an .aligned instruction.
  void apart();

  struct Site {
    std::string_view space;
    uint64_t address; // as in the kernel
    Cell *cells;
    uint64_t offset; // of the access from the first cell
    uint32_t bytes;
    const sim::Allocation *allocation = nullptr;
    const std::byte *host = nullptr; // the bytes, of shared memory
  };

  /// The subject of a report besides the line that runs.
  struct About {
    std::optional<Access> access{};
    const Site *site = nullptr;
    std::optional<Party> earlier{};
    int earlierLine = 0; // 0: it does not tell reports apart
  };

  template <class Knows> bool note(const Site &, Mark, int lane, Knows knows);
  template <class Knows> bool visit(const Site &, Cell &, Mark, int lane, Knows &knows);
  bool isWritten(const Site &, const Written &, uint64_t first, Access, int lane);
  /// A load: records which bits were never written. Using them is an error.
  bool loadUnset(const Site &, const Written &, uint64_t first, const sim::MemoryAccess &);
  /// Follows unset bits that a cp.async reads into shared memory.
  void copyUnset(const Written &, uint64_t first, uint32_t bytes);
  /// Follows unset bits that are stored. In global memory, storing what was computed from them is a
  /// use, and storing a copy of them may be one.
  bool storeUnset(const sim::MemoryAccess &);
  bool storeUnset(const sim::MemoryAccess &, uint32_t first, uint32_t bytes, UnsetBits);
  Report unsetReport(const UnsetUse &);
  bool reportUnset(const UnsetUse &);
  bool mbarrier(const sim::Cta &owner, const Site &, Access, int lane);
  uint32_t &begun(Agent by) { return tensorsBegun[size_t(by) - size_t(Agent::TensorLoad)]; }
  uint32_t begun(Agent by) const { return tensorsBegun[size_t(by) - size_t(Agent::TensorLoad)]; }
  bool noteTensor(const Site &, const Mark &mine, int lane);
  bool knowsTensor(const Mark &, const Mark &mine, int lane) const;
  bool inOrder(const Mark &, const Mark &mine) const;
  Error raceRule(const Mark &) const;
  const Watch &watchOf(const Mark &) const;
  /// Reports an access of a site, and the earlier one. `at`: the byte within it.
  bool add(int lane, Error, Access, const Mark *earlier, const Site &, uint64_t at = 0);
  /// Reports an access of shared memory without an earlier one.
  template <class... Pieces>
  bool reportAt(int lane, Error error, Access access, const Site &site, const Pieces &...pieces) {
    return file(lane, fail(error, pieces...), {.access = access, .site = &site});
  }
  /// Reports an access together with an earlier line of the same thread.
  bool reportAfter(int lane, Error, int earlierLine, std::string_view did);
  bool file(int lane, Reason, const About &);
  Report reportOf(int lane, Reason, const About &) const;
  uint32_t groupAgent() const;
  /// The agent of a mark; if several lanes of this warp did it, one other than `than`.
  Party partyOf(const Mark &, int than) const;
  Party self(int lane) const;
  Mark markOf(Access, int lane) const;
  Access strength(Access) const;
  /// Whether a lane knows of an access, and whether that has been shown to a proxy.
  bool knows(const Mark &, int lane) const;
  bool knowsWhole(const Mark &) const;
  /// Whether a lane knows that an mbarrier was made. fence.mbarrier_init tells the whole cluster,
  /// the own block as well, through a barrier that is otherwise relaxed.
  bool knowsMade(const Mark &, int lane) const;
  bool covers(const Clocks &, Channel, const Mark &) const;
  bool isShown(const Mark &, Access, int lane) const;
  bool storesTheSame(const Site &, int lane) const;
  /// Releases and acquires of strong accesses.
  void order(const std::byte *host, Access, int lane);
  /// A strong read whose releases have not been looked up yet.
  struct Look {
    const std::byte *host;
    Mask lanes;
    Scope scope;
    bool acquires;
  };
  void look();
  std::vector<Look> looks;
  /// The line that runs, or that of postponed work.
  int32_t line() const { return blamed ? blamed : w.line(); }
  Written &writtenOf(const sim::Allocation &);
  /// The variable of the module past whose end an access is; null if it is within one.
  const sim::GlobalVariable *passedVariable(const sim::Allocation &, uint64_t address,
                                            uint64_t bytes) const;
  BlockShadow &shadowOf(const sim::Cta &cta) { return cluster->blocks[cta.rank]; }

  const sim::Warp &w;
  Launch &launch;
  const std::shared_ptr<ClusterShadow> cluster;
  const Agents agents;
  const uint32_t base, index; // first agent of the cluster; index of the warp in the cluster
  int32_t blamed = 0;         // the line of postponed work
  uint32_t now = 1, copies = 0, asyncs = 0;
  Clocks common;                           // of all lanes
  std::unique_ptr<Clocks> extra[warpSize]; // additional knowledge of single lanes
  Known own[warpSize];                     // what each lane knows of the others of its warp
  Known
      ownInits; // mbarriers made by lanes of the warp, of which a cluster's barrier told all lanes
  Clocks fenced, observed[3]; // what relaxed writes pass on; what relaxed reads have seen, by scope
  Mask fencedLanes = 0, observedLanes = 0;
  Scope fencedScope = Scope::Cta;
  UsableMaps maps; // by fences of the warp itself
  std::map<const sim::Function *, std::vector<GroupRegister>> groupRegisters;
  uint64_t waitedProducts = 0;
  uint32_t groupFences = 0;
  TensorClocks ordered; // what precedes the next tcgen05
  std::array<uint32_t, 3> tensorsBegun{};
  std::vector<TensorSums> sums; // of the warp's products and copies, by number from 1 on
  std::vector<Written> locals;
  UnsetRegisters unset;
  size_t element = 0; // of a fragment: the next one that a wmma loads or stores
  /// Where a cp.async wrote; its reads are reported next.
  struct AsyncTarget {
    const Instruction *instruction = nullptr;
    int lane = 0;
    Written *written = nullptr;
    uint64_t offset = 0;
  };
  AsyncTarget asyncTarget;
  GlobalShadow::Page *page = nullptr; // the last one
  uint64_t pageNumber = ~uint64_t(0);
  const sim::Allocation *writtenAt = nullptr; // the last one
  Written *written = nullptr;
};

} // namespace tessera::sanitize
