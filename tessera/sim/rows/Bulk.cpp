// Bulk copies, with and without tensor maps. PTX ISA 9.7.9.25.4 and 9.7.9.25.5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/AddressOperand.h"
#include "tessera/sim/Atomic.h"
#include "tessera/sim/Mbarrier.h"
#include "tessera/sim/Tma.h"

#include <memory>

namespace tessera::sim {

namespace {

/// Adds (or the like) the values of some bytes to others.
using Reduction = void (*)(uint8_t op, std::byte *to, const std::byte *from, uint32_t bytes);
Reduction reductionOf(Type type) {
  return byAtomic(type, []<class A>(A) -> Reduction {
    return [](uint8_t op, std::byte *to, const std::byte *from, uint32_t bytes) {
      using Code = typename A::Code;
      for (uint32_t at = 0; at < bytes; at += sizeof(Code)) {
        Code value;
        std::memcpy(&value, from + at, sizeof(Code));
        update<A>(to + at, op, value, value);
      }
    };
  });
}

struct BulkPlan : Plan {
  AddressOperand to, from, barrier;             // the tensor map stands in the place of global memory
  std::vector<Slot> at, offsets;       // of the box
  Slot size = noSlot, blocks = noSlot; // bytes; mask of the blocks of a multicast
  Reduction reduce = nullptr;          // of copies without a map
  uint8_t op = 0;
  bool reduces = false, im2col = false;
  std::string_view mnemonic;
};

constexpr uint32_t lowBits = (1u << clusterRankShift) - 1;

/// Where a load puts its bytes, and who hears of them.
struct Target {
  std::byte *base; // of the block's shared memory
  Mbarrier *barrier;
};

/// The blocks of a load: the one that the address names, or those of a mask. Nothing after a fault.
std::optional<std::vector<Target>> targets(Warp &w, const BulkPlan &plan, uint32_t to, uint32_t bytes, uint32_t alignment,
                                           int lane) {
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
    auto of = [&](uint64_t address) {
      return plan.blocks == noSlot ? address : (address & lowBits) | rank << clusterRankShift;
    };
    std::byte *at = w.locateRange(Space::Shared, of(to), bytes, alignment, Access::BulkWrite, lane);
    auto *hears =
        at ? reinterpret_cast<Mbarrier *>(w.locate(Space::Shared, of(barrier), 8, Access::MbarrierCopy, lane)) : nullptr;
    if (!hears)
      return std::nullopt;
    if (!hears->isThere() || !hears->counts(-int64_t(bytes))) {
      hears->isThere() ? w.fault(lane, Error::MbarrierBytes, hex(barrier), hears->bytes() - int64_t(bytes))
                       : w.fault(lane, Error::MbarrierNone, hex(barrier));
      return std::nullopt;
    }
    out.push_back({ctas[rank]->shared.data(), hears});
  }
  return out;
}

/// Runs f(piece, shared) for the pieces of a load in each block, then tells the mbarriers.
template <class F>
void load(Warp &w, std::vector<Target> targets, std::vector<Piece> pieces, uint32_t bytes, F f) {
  Cluster &cluster = w.cta.cluster;
  cluster.start([&cluster, &w, copy = w.watch ? w.watch->copy() : 0, bytes, f, targets = std::move(targets), pieces = std::move(pieces)] {
    for (const Target &target : targets) {
      for (const Piece &piece : pieces)
        f(piece, target.base + piece.offset);
      if (w.watch)
        w.watch->endCopy(cluster.clocksOf(target.barrier).arrivals, Agent::Copy, copy);
      if (target.barrier->complete(bytes)) {
        cluster.phaseEnded(target.barrier);
        cluster.event();
      }
    }
  });
}
void copy(const BulkPlan &plan, std::byte *to, const std::byte *from, uint32_t bytes) {
  if (plan.reduces)
    plan.reduce(plan.op, to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

Access writes(const BulkPlan &plan) { return plan.reduces ? Access::BulkReduce : Access::BulkWrite; }
/// A copy to memory; who waits for its group learns that it has read, or also that it has written.
void store(Warp &w, int lane, std::function<void()> work) {
  if (!w.watch)
    return w.bulk[lane].start(w.grid.limits.lateCopies, std::move(work));
  uint32_t copy = w.watch->copy();
  w.bulk[lane].stores.push_back({w.bulk[lane].group, copy});
  w.bulk[lane].start(w.grid.limits.lateCopies, [&w, lane, copy, work = std::move(work)] {
    work();
    w.watch->endCopy(Agent::StoreSource, copy, lane);
  });
}

/// The number of bytes; nothing after a fault.
std::optional<uint32_t> sizeOf(Warp &w, const BulkPlan &plan, int lane) {
  uint32_t bytes = w.in<uint32_t>(plan.size)[lane];
  if (bytes % 16 == 0)
    return bytes;
  w.fault(lane, Error::BulkSize, bytes);
  return std::nullopt;
}

template <class F> Flow eachLane(Warp &w, const Instruction &i, Mask mask, F f) {
  const auto &plan = *static_cast<const BulkPlan *>(i.plan);
  for (Mask left = mask; left; left &= left - 1) {
    if (w.watch)
      w.watch->beginCopy();
    if (!f(plan, std::countr_zero(left)))
      return Flow::Fault;
  }
  return Flow::Next;
}

//===--- Plain bytes
//--------------------------------------------------------------------------------===//

Flow bulkLoad(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    std::optional<uint32_t> bytes = sizeOf(w, plan, lane);
    if (!bytes)
      return false;
    auto to = uint32_t(plan.to.address(w, lane));
    auto blocks = targets(w, plan, to, *bytes, 16, lane);
    if (!blocks)
      return false;
    std::byte *from =
        w.locateRange(plan.from.operand.space, plan.from.address(w, lane), *bytes, 16, Access::BulkRead, lane);
    if (from)
      load(w, *std::move(blocks), {{(to & lowBits) - sharedStart, from, *bytes}}, *bytes,
           [&plan](const Piece &piece, std::byte *shared) { copy(plan, shared, piece.other, piece.bytes); });
    return from != nullptr;
  });
}
Flow bulkStore(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    std::optional<uint32_t> bytes = sizeOf(w, plan, lane);
    if (!bytes)
      return false;
    std::byte *to = w.locateRange(Space::Global, plan.to.address(w, lane), *bytes, 16, writes(plan), lane);
    std::byte *from =
        to ? w.locateRange(Space::Shared, plan.from.address(w, lane), *bytes, 16, Access::StoreRead, lane) : nullptr;
    if (from)
      store(w, lane, [=, &plan] { copy(plan, to, from, *bytes); });
    return from != nullptr;
  });
}

//===--- Boxes of tensors
//---------------------------------------------------------------------------===//

/// The box that the operands name; nothing after a fault.
std::optional<Box> boxOf(Warp &w, const BulkPlan &plan, const AddressOperand &map, int lane) {
  uint64_t address = map.address(w, lane);
  std::byte *at = w.locateRange(Space::Generic, address, sizeof(atom::TensorMapImage), 64, Access::MapRead, lane);
  if (!at)
    return std::nullopt;
  atom::TensorMapImage image;
  std::memcpy(&image, at, sizeof(image));
  Result<atom::TensorMap> decoded = atom::decode(image);
  auto refuse = [&](const auto &expected, const auto &got) {
    w.fault(lane, Error::TensorMapUse, plan.mnemonic, expected, hex(address), got);
    return std::nullopt;
  };
  if (!decoded) {
    w.fault(lane, Error::TensorMap, hex(address), decoded.reason().text);
    return std::nullopt;
  }
  if (decoded->rank != plan.at.size())
    return refuse(cat("a tensor of ", plan.at.size(), " modes"), decoded->rank);
  if (decoded->interleave != atom::TensorMapInterleave::None)
    return refuse("a tensor without interleave (what hardware does with one is not documented)", "one");
  if ((decoded->kind != atom::TensorMapKind::Tiled) != plan.im2col)
    return refuse(plan.im2col ? "an im2col map" : "a tiled map", plan.im2col ? "tiles" : "im2col columns");
  Box box{*decoded, {}, {}};
  for (size_t mode = 0; mode < plan.at.size(); ++mode)
    box.at[mode] = w.in<int32_t>(plan.at[mode])[lane];
  for (size_t mode = 0; mode < plan.offsets.size(); ++mode)
    box.offsets[mode] = w.in<uint16_t>(plan.offsets[mode])[lane];
  return box;
}

constexpr uint32_t boxAlignment = 128; // of shared memory

Flow tensorLoad(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    std::optional<Box> box = boxOf(w, plan, plan.from, lane);
    if (!box)
      return false;
    auto to = uint32_t(plan.to.address(w, lane));
    auto blocks = targets(w, plan, to, box->bytes(), boxAlignment, lane);
    auto pieces = blocks ? box->pieces(w, (to & lowBits) - sharedStart, sharedStart, Access::BulkRead, lane) : std::nullopt;
    if (!pieces)
      return false;
    load(w, *std::move(blocks), *std::move(pieces), box->bytes(),
         [map = box->map](const Piece &piece, std::byte *shared) {
           if (!piece.other)
             return fill(map, shared, piece.bytes);
           std::memcpy(shared, piece.other, piece.bytes);
           convert(map, shared, piece.bytes);
         });
    return true;
  });
}
Flow tensorStore(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    std::optional<Box> box = boxOf(w, plan, plan.to, lane);
    if (!box)
      return false;
    uint64_t from = plan.from.address(w, lane);
    std::byte *shared = w.locateRange(Space::Shared, from, box->bytes(), boxAlignment, Access::StoreRead, lane);
    if (!shared)
      return false;
    uint32_t offset = (uint32_t(from) & lowBits) - sharedStart;
    auto pieces = box->pieces(w, offset, sharedStart, writes(plan), lane);
    if (!pieces)
      return false;
    store(w, lane, [&plan, base = shared - offset, map = box->map, pieces = *std::move(pieces)] {
      for (const Piece &piece : pieces)
        if (piece.other && plan.reduces)
          reductionOf(typeOf(map))(plan.op, piece.other, base + piece.offset, piece.bytes);
        else if (piece.other)
          std::memcpy(piece.other, base + piece.offset, piece.bytes);
    });
    return true;
  });
}

//===--- Operands
//-----------------------------------------------------------------------------------===//

Status bindPlace(Binding &b, size_t which, Space space, AddressOperand &to) {
  if (which >= b.operands.size() || b.operands[which].kind != Operand::Address)
    return fail(Error::OperandKind, which + 1, b.modifiers.mnemonic, "an address in brackets",
                which < b.operands.size() ? cat("'", b.operands[which].str(), "'") : "nothing");
  to.operand.space = space;
  return b.binder.address(b.operands[which], to.operand, 0);
}
/// The registers of {...}.
Status bindList(Binding &b, const Operand &operand, Type type, size_t count, std::vector<Slot> &to) {
  if (operand.kind != Operand::Vector || operand.parts.size() != count)
    return fail(Error::OperandKind, 1, b.modifiers.mnemonic, cat("{", count, " registers}"), cat("'", operand.str(), "'"));
  for (const Operand &part : operand.parts) {
    TESSERA_TRY(Slot slot, b.binder.source(part, type));
    to.push_back(slot);
  }
  return Done{};
}
/// The map and its coordinates: [map, {...}].
Status bindBox(Binding &b, size_t which, BulkPlan &plan, AddressOperand &map) {
  SIM_CHECK(bindPlace(b, which, Space::Generic, map));
  size_t modes = 1;
  while (!b.modifiers.has(cat(modes, "d")))
    ++modes;
  const Operand &operand = b.operands[which];
  plan.im2col = b.modifiers.has("im2col") || b.modifiers.has("im2col_no_offs");
  if (operand.parts.size() != 2)
    return fail(Error::OperandKind, which + 1, b.modifiers.mnemonic, "[map, {coordinates}]", cat("'", operand.str(), "'"));
  return bindList(b, operand.parts[1], Type::b32, modes, plan.at);
}
BulkPlan &planOf(Binding &b) {
  auto &plan = b.binder.plan<BulkPlan>();
  plan.mnemonic = b.modifiers.mnemonic;
  plan.reduces = b.modifiers.words[1] == "reduce";
  plan.op = atomicOp(b.modifiers);
  b.out.plan = &plan;
  return plan;
}
Status bindBulk(Binding &b, bool loads) {
  BulkPlan &plan = planOf(b);
  const Modifiers &m = b.modifiers;
  if (plan.reduces)
    plan.reduce = reductionOf(m.type());
  SIM_CHECK(bindPlace(b, 0, loads ? Space::Shared : Space::Global, plan.to));
  SIM_CHECK(bindPlace(b, 1, loads && m.has("global") ? Space::Global : Space::Shared, plan.from));
  TESSERA_TRY(plan.size, b.binder.source(b.operands[2], Type::b32));
  if (loads)
    SIM_CHECK(bindPlace(b, 3, Space::Shared, plan.barrier));
  if (m.has("multicast::cluster")) {
    TESSERA_TRY(plan.blocks, b.binder.source(b.operands[4], Type::b16));
  }
  return done(b, loads ? bulkLoad : bulkStore);
}
Status bindTensorLoad(Binding &b) {
  BulkPlan &plan = planOf(b);
  const Modifiers &m = b.modifiers;
  SIM_CHECK(bindPlace(b, 0, Space::Shared, plan.to));
  SIM_CHECK(bindBox(b, 1, plan, plan.from));
  SIM_CHECK(bindPlace(b, 2, Space::Shared, plan.barrier));
  size_t next = 3, needed = next + plan.im2col + m.has("multicast::cluster") + m.has("L2::cache_hint");
  if (b.operands.size() != needed)
    return fail(Error::OperandCount, m.mnemonic, needed, "[to], [map, {...}], [mbarrier] ...", b.operands.size());
  if (plan.im2col)
    SIM_CHECK(bindList(b, b.operands[next++], Type::b16, plan.at.size() - 2, plan.offsets));
  if (m.has("multicast::cluster")) {
    TESSERA_TRY(plan.blocks, b.binder.source(b.operands[next], Type::b16));
  }
  return done(b, tensorLoad);
}
Status bindTensorStore(Binding &b) {
  BulkPlan &plan = planOf(b);
  SIM_CHECK(bindBox(b, 0, plan, plan.to));
  SIM_CHECK(bindPlace(b, 1, Space::Shared, plan.from));
  return done(b, tensorStore);
}
Status bindNothing(Binding &b) {
  return done(b, [](Warp &, const Instruction &, Mask) { return Flow::Next; });
}

#define MBARRIER " mbarrier::complete_tx::bytes"
#define OPERATION " add|min|max|inc|dec|and|or|xor"
// clang-format off
constexpr InstructionRow rows[] = {
    {"cp async bulk shared::cluster|shared::cta global" MBARRIER " ?multicast::cluster ?<hint>", "any any any any any? any?", [](Binding &b) { return bindBulk(b, true); }, "copies bytes to shared memory, of which mbarriers hear"},
    {"cp async bulk shared::cluster shared::cta" MBARRIER, "any any any any", [](Binding &b) { return bindBulk(b, true); }, "copies bytes to another block of the cluster"},
    {"cp async bulk global shared::cta bulk_group ?<hint>", "any any any any?", [](Binding &b) { return bindBulk(b, false); }, "copies bytes to global memory"},
    {"cp async bulk prefetch L2 global ?<hint>", "addr any any?", bindNothing, "nothing: there are no caches"},
    {"cp reduce async bulk shared::cluster shared::cta" MBARRIER OPERATION " u32|s32|u64|s64|b32|b64", "any any any any", [](Binding &b) { return bindBulk(b, true); }, "reduces bytes into another block"},
    {"cp reduce async bulk global shared::cta bulk_group ?<hint>" OPERATION " ?noftz u32|s32|u64|s64|b32|b64|f16|bf16|f32|f64", "any any any any?", [](Binding &b) { return bindBulk(b, false); }, "reduces bytes into global memory"},
    {"cp async bulk tensor <modes> shared::cluster|shared::cta global ?tile|im2col" MBARRIER " ?multicast::cluster ?<hint>", "any any any any? any? any?", bindTensorLoad, "copies a box of a tensor to shared memory"},
    {"cp async bulk tensor <modes> global shared::cta ?tile|im2col_no_offs bulk_group ?<hint>", "any any any?", bindTensorStore, "copies a box to a tensor"},
    {"cp reduce async bulk tensor <modes> global shared::cta" OPERATION " ?tile|im2col_no_offs bulk_group ?<hint>", "any any any?", bindTensorStore, "reduces a box into a tensor"},
    {"cp async bulk prefetch tensor <modes> L2 global ?tile|im2col ?<hint>", "any any? any?", bindNothing, "nothing"},
};
// clang-format on
#undef MBARRIER
#undef OPERATION

} // namespace

const RowGroup bulkRows = {"Bulk copies", rows};

} // namespace tessera::sim
