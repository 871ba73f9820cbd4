// Bulk copies of bytes. PTX ISA 9.7.9.25.4.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/rows/Bulk.h"

namespace tessera::sim {

namespace bulk {

Reduction reductionOf(Type type) {
  return byAtomic(type, []<class A>(A) -> Reduction {
    return [](uint8_t op, std::byte *to, const std::byte *from, uint32_t bytes) {
      using Code = typename A::Code;
      for (uint32_t at = 0; at < bytes; at += sizeof(Code)) {
        Code value;
        std::memcpy(&value, from + at, sizeof(Code));
        update<A>(to + at, op, value);
      }
    };
  });
}

/// The block whose mbarrier is signalled for bytes that arrive in a block: itself, or with
/// .cta_group::2 the one of its pair with the parity of the block that the operand names. PTX ISA
/// 9.7.9.27.1.2. Nothing after a fault.
static std::optional<uint32_t> hearer(Warp &w, const BulkPlan &plan, uint32_t rank,
                                      uint64_t barrier, int lane) {
  auto named = uint32_t(barrier) >> clusterRankShift;
  uint32_t hears = plan.pairs ? (rank & ~1u) | (named & 1) : rank;
  if (!plan.isTensor || plan.blocks != noSlot || named == hears)
    return plan.isTensor || plan.blocks != noSlot ? hears : named;
  w.fault(lane, Error::BulkBarrier, plan.mnemonic, rank,
          plan.pairs ? cat(rank & ~1u, " or ", rank | 1) : cat(rank), named);
  return std::nullopt;
}

bool touchShared(Warp &w, uint64_t address, std::span<const Range> ranges, uint32_t alignment,
                 Access access, int lane) {
  return std::all_of(ranges.begin(), ranges.end(), [&](const Range &range) {
    bool isAligned = address % alignment == 0; // else this reports it
    return w.locateRange(Space::Shared, isAligned ? address + range.from : address, range.bytes,
                         isAligned ? 1 : alignment, access, lane);
  });
}

std::optional<std::vector<Target>> targets(Warp &w, const BulkPlan &plan, uint32_t to,
                                           std::span<const Range> ranges, uint32_t alignment,
                                           int lane) {
  uint32_t bytes = 0;
  for (const Range &range : ranges)
    bytes += range.bytes;
  std::vector<Target> out;
  auto &ctas = w.cta.cluster.ctas;
  uint64_t barrier = plan.barrier.address(w, lane);
  uint32_t mask = plan.blocks == noSlot ? 0 : w.in<uint16_t>(plan.blocks)[lane];
  if (mask >> ctas.size()) {
    w.fault(lane, Error::MulticastMask, hex(mask), ctas.size());
    return std::nullopt;
  }
  uint32_t own = to >> clusterRankShift;
  for (uint32_t rank = 0; rank < std::max<size_t>(ctas.size(), own + 1); ++rank) {
    if (plan.blocks == noSlot ? rank != own : !(mask >> rank & 1))
      continue;
    auto in = [](uint64_t address, uint32_t block) {
      return (address & lowBits) | uint64_t(block) << clusterRankShift;
    };
    std::optional<uint32_t> hearing = hearer(w, plan, rank, barrier, lane);
    if (!hearing)
      return std::nullopt;
    bool mayWrite = touchShared(w, in(to, rank), ranges, alignment, Access::BulkWrite, lane);
    auto *hears = mayWrite
                      ? reinterpret_cast<Mbarrier *>(w.locate(Space::Shared, in(barrier, *hearing),
                                                              8, Access::MbarrierCopy, lane))
                      : nullptr;
    if (!hears)
      return std::nullopt;
    if (!hears->isThere() || !hears->counts(-int64_t(bytes))) {
      hears->isThere()
          ? w.fault(lane, Error::MbarrierBytes, hex(barrier), hears->bytes() - int64_t(bytes))
          : w.fault(lane, Error::MbarrierNone, hex(barrier));
      return std::nullopt;
    }
    out.push_back({ctas[rank]->shared.data(), hears});
  }
  return out;
}

bool copySame(const Warp &w, const BulkPlan &plan, int a, int b) {
  auto differ = [&](const AddressOperand &at) {
    return at.operand.operand[0] != noSlot && at.address(w, a) != at.address(w, b);
  };
  auto differIn = [&]<class T>(Slot slot, T) {
    return slot != noSlot && w.in<T>(slot)[a] != w.in<T>(slot)[b];
  };
  return !differ(plan.to) && !differ(plan.from) && !differ(plan.barrier) &&
         !differIn(plan.size, uint32_t()) && !differIn(plan.blocks, uint16_t()) &&
         !differIn(plan.mask, uint16_t()) &&
         std::ranges::none_of(plan.at, [&](Slot s) { return differIn(s, uint32_t()); }) &&
         std::ranges::none_of(plan.offsets, [&](Slot s) { return differIn(s, uint16_t()); });
}

void endCopy(Warp &w, uint64_t copy, Mbarrier &barrier, uint32_t bytes) {
  w.tell(
      AsyncWork{.what = AsyncWork::End, .by = Agent::Copy, .number = copy, .mbarrier = &barrier});
  if (barrier.complete(bytes))
    endPhase(w, barrier);
}
void load(Warp &w, std::vector<Target> targets, uint32_t bytes,
          std::function<void(const Target &)> work) {
  w.cta.cluster.start(
      [&w, copy = w.copies, bytes, work = std::move(work), targets = std::move(targets)] {
        for (const Target &target : targets) {
          work(target);
          endCopy(w, copy, *target.barrier, bytes);
        }
      });
}
void store(Warp &w, int lane, std::function<void()> work) {
  if (!w.observer)
    return w.bulk[lane].start(w.grid.limits.lateCopies, std::move(work));
  uint64_t copy = w.copies;
  w.bulk[lane].stores.push_back({w.bulk[lane].group, copy});
  w.bulk[lane].start(w.grid.limits.lateCopies, [&w, lane, copy, work = std::move(work)] {
    work();
    w.tell(
        AsyncWork{.what = AsyncWork::End, .by = Agent::StoreSource, .lane = lane, .number = copy});
  });
}
Status bindPlace(Binding &b, size_t which, Space space, AddressOperand &to) {
  if (which >= b.operands.size() || b.operands[which].kind != Operand::Address)
    return fail(Error::OperandKind, which + 1, b.modifiers.mnemonic, "an address in brackets",
                which < b.operands.size() ? cat("'", b.operands[which].str(), "'") : "nothing");
  to.operand.space = space;
  return b.binder.address(b.operands[which], to.operand, 0);
}
BulkPlan &planOf(Binding &b) {
  auto &plan = b.binder.plan<BulkPlan>();
  plan.mnemonic = b.modifiers.mnemonic;
  plan.reduces = b.modifiers.words[1] == "reduce";
  plan.op = atomicOp(b.modifiers);
  plan.isTensor = b.modifiers.has("tensor");
  plan.pairs = b.modifiers.has("cta_group::2");
  b.out.plan = &plan;
  return plan;
}

} // namespace bulk

namespace {

using namespace bulk;

void copy(const BulkPlan &plan, std::byte *to, const std::byte *from, uint32_t bytes) {
  if (plan.reduces)
    plan.reduce(plan.op, to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

/// The number of bytes; nothing after a fault.
std::optional<uint32_t> sizeOf(Warp &w, const BulkPlan &plan, int lane) {
  uint32_t bytes = w.in<uint32_t>(plan.size)[lane];
  if (bytes % 16 == 0)
    return bytes;
  w.fault(lane, Error::BulkSize, bytes);
  return std::nullopt;
}

Flow bulkLoad(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    std::optional<uint32_t> bytes = sizeOf(w, plan, lane);
    if (!bytes)
      return false;
    auto to = uint32_t(plan.to.address(w, lane));
    auto blocks = targets(w, plan, to, std::array{Range{0, *bytes}}, 16, lane);
    if (!blocks)
      return false;
    std::byte *from = w.locateRange(plan.from.operand.space, plan.from.address(w, lane), *bytes, 16,
                                    Access::BulkRead, lane);
    if (from)
      load(w, *std::move(blocks), *bytes,
           [&plan, from, offset = (to & lowBits) - sharedStart, bytes = *bytes](
               const Target &target) { copy(plan, target.base + offset, from, bytes); });
    return from != nullptr;
  });
}

/// The runs of bytes that a store takes: f(offset, bytes) until it is false.
template <class F> bool eachRun(Warp &w, const BulkPlan &plan, uint32_t bytes, int lane, F f) {
  if (plan.mask == noSlot)
    return f(0, bytes);
  uint32_t mask = w.in<uint16_t>(plan.mask)[lane];
  for (uint32_t chunk = 0; chunk < bytes; chunk += 16)
    for (uint32_t left = mask; left;) {
      int first = std::countr_zero(left), count = std::countr_one(left >> first);
      if (!f(chunk + uint32_t(first), uint32_t(count)))
        return false;
      left &= left + (1u << first);
    }
  return true;
}
Flow bulkStore(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    std::optional<uint32_t> bytes = sizeOf(w, plan, lane);
    if (!bytes)
      return false;
    uint64_t to = plan.to.address(w, lane);
    std::byte *from = w.locateRange(Space::Shared, plan.from.address(w, lane), *bytes, 16,
                                    Access::StoreRead, lane);
    struct Run {
      std::byte *to, *from;
      uint32_t bytes;
    };
    std::vector<Run> runs;
    bool aligned = plan.mask == noSlot || to % 16 == 0 ||
                   w.locateRange(Space::Global, to, *bytes, 16, writes(plan), lane);
    bool all =
        from && aligned && eachRun(w, plan, *bytes, lane, [&](uint32_t offset, uint32_t count) {
          runs.push_back({w.locateRange(Space::Global, to + offset, count,
                                        plan.mask == noSlot ? 16 : 1, writes(plan), lane),
                          from + offset, count});
          return runs.back().to != nullptr;
        });
    if (all)
      store(w, lane, [runs = std::move(runs), &plan] {
        for (const Run &run : runs)
          copy(plan, run.to, run.from, run.bytes);
      });
    return all;
  });
}

Status bindBulk(Binding &b, bool loads) {
  BulkPlan &plan = planOf(b);
  const Modifiers &m = b.modifiers;
  if (plan.reduces)
    plan.reduce = reductionOf(m.type());
  TESSERA_CHECK(bindPlace(b, 0, loads ? Space::Shared : Space::Global, plan.to));
  TESSERA_CHECK(
      bindPlace(b, 1, loads && m.has("global") ? Space::Global : Space::Shared, plan.from));
  TESSERA_TRY(plan.size, b.binder.source(b.operands[2], Type::b32));
  if (loads)
    TESSERA_CHECK(bindPlace(b, 3, Space::Shared, plan.barrier));
  if (m.has("multicast::cluster") && b.operands.size() > 4) {
    TESSERA_TRY(plan.blocks, b.binder.source(b.operands[4], Type::b16));
  }
  size_t needed =
      3u + loads + m.has("multicast::cluster") + m.has("L2::cache_hint") + m.has("cp_mask");
  if (b.operands.size() != needed)
    return fail(Error::OperandCount, m.mnemonic, needed, "[to], [from], size ...",
                b.operands.size());
  if (m.has("cp_mask")) {
    TESSERA_TRY(plan.mask, b.binder.source(b.operands.back(), Type::b16));
  }
  return done(b, loads ? bulkLoad : bulkStore);
}

Status bindLoad(Binding &b) { return bindBulk(b, true); }
Status bindStore(Binding &b) { return bindBulk(b, false); }

#define MBARRIER " mbarrier::complete_tx::bytes"
#define REMOTE "cp reduce async bulk shared::cluster shared::cta" MBARRIER
#define LOCAL "cp reduce async bulk global shared::cta bulk_group ?L2::cache_hint"
// clang-format off
constexpr InstructionRow rows[] = {
    {"cp async bulk shared::cluster|shared::cta global" MBARRIER " ?multicast::cluster ?L2::cache_hint", "any any any any any? any?", bindLoad, "copies bytes to shared memory, and signals mbarriers"},
    {"cp async bulk shared::cluster shared::cta" MBARRIER, "any any any any", bindLoad, "copies bytes to another block of the cluster"},
    {"cp async bulk global shared::cta bulk_group ?L2::cache_hint ?cp_mask", "any any any any? any?", bindStore, "copies bytes to global memory; with .cp_mask those of each 16 whose bits are set"},
    {"cp async bulk prefetch L2 global ?L2::cache_hint", "addr any any?", bindNothing, "nothing: there are no caches"},
    {REMOTE " and|or|xor b32", "any any any any", bindLoad, "combines bits into another block"},
    {REMOTE " add u32|s32|u64", "any any any any", bindLoad, "sums into another block"},
    {REMOTE " min|max u32|s32", "any any any any", bindLoad, "the smaller or larger there"},
    {REMOTE " inc|dec u32", "any any any any", bindLoad, "counts up or down there"},
    {LOCAL " and|or|xor b32|b64", "any any any any?", bindStore, "combines bits into global memory"},
    {LOCAL " add u32|s32|u64|f32|f64", "any any any any?", bindStore, "sums into global memory"},
    {LOCAL " add noftz f16|bf16", "any any any any?", bindStore, "the same of halves"},
    {LOCAL " min|max u32|s32|u64|s64|f16|bf16", "any any any any?", bindStore, "the smaller or larger in global memory"},
    {LOCAL " inc|dec u32", "any any any any?", bindStore, "counts up or down in global memory"},
};
// clang-format on
#undef MBARRIER
#undef REMOTE
#undef LOCAL

} // namespace

const RowGroup bulkRows = {"Bulk copies", rows};

} // namespace tessera::sim
