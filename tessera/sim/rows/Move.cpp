// Moves, address spaces, special registers. PTX ISA 9.7.9.1, 9.7.9.20 to 9.7.9.24, chapter 10.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

#include <algorithm>
#include <chrono>

namespace tessera::sim {

namespace {

//===--- Moves -------------------------------------------------------------------------------===//

struct B128 {
  uint64_t low, high;
};
template <class T> Flow move(Warp &w, const Instruction &i, Mask mask) {
  T *to = w.out<T>(i.operand[0]);
  const T *from = w.in<T>(i.operand[1]);
  if (mask == allLanes)
    std::memmove(to, from, sizeof(T) * warpSize);
  else
    for (int lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1)
        to[lane] = from[lane];
  return Flow::Next;
}
Flow movePredicate(Warp &w, const Instruction &i, Mask mask) {
  w.putPredicate(i.operand[0], w.predicate(i.operand[1]), mask);
  return Flow::Next;
}
Status bindMove(Binding &b) {
  switch (bits(b.modifiers.type())) {
  case 1: return done(b, movePredicate);
  case 128: return done(b, move<B128>);
  default:
    return done(b, bySize(b.modifiers.type(), []<class T>(T) -> Executor { return move<T>; }));
  }
}

/// The parts of one register, lowest first, in registers of their own; and back. Parts have `width`
/// bytes.
template <bool packs> Flow parts(Warp &w, const Instruction &i, Mask mask) {
  size_t part = i.width, whole = part * i.listSize;
  auto *all = reinterpret_cast<std::byte *>(const_cast<uint8_t *>(w.in<uint8_t>(i.operand[0])));
  for (size_t k = 0; k < i.listSize; ++k) {
    auto *one = reinterpret_cast<std::byte *>(const_cast<uint8_t *>(w.in<uint8_t>(i.list[k])));
    for (size_t lane = 0; lane < warpSize; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      std::byte *in = all + lane * whole + k * part, *out = one + lane * part;
      std::memcpy(packs ? in : out, packs ? out : in, part);
    }
  }
  return Flow::Next;
}
/// A register may be among its own parts (mov.b64 %rd1, {%r1, %r2} cannot, as sizes differ), so
/// order does not matter.
template <bool packs> Status bindParts(Binding &b) {
  const Operand &list = b.operands[packs ? 1 : 0], &single = b.operands[packs ? 0 : 1];
  Type whole = b.modifiers.type();
  size_t count = list.parts.size();
  if (list.kind != Operand::Vector || single.kind == Operand::Vector ||
      (count != 2 && count != 4) || bits(whole) / int(count) < 8)
    return fail(Error::OperandKind, packs ? 2 : 1, b.modifiers.mnemonic,
                "two or four registers in braces", cat("'", list.str(), "'"));
  Type part = bitsOf(bits(whole) / int(count));
  std::vector<Slot> slots;
  for (const Operand &element : list.parts) {
    TESSERA_TRY(Slot slot,
                packs ? b.binder.source(element, part) : b.binder.destination(element, part));
    slots.push_back(slot);
  }
  TESSERA_TRY(b.out.operand[0],
              packs ? b.binder.destination(single, whole) : b.binder.source(single, whole));
  b.out.list = b.binder.keep(slots);
  b.out.listSize = uint8_t(count);
  b.out.width = uint8_t(bytes(part));
  return done(b, parts<packs>);
}

/// operand[1] + immediate[0], from 32 or 64 bits to 32 or 64.
template <class T> Flow place(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 1, address);
  T result[warpSize];
  std::copy(address, address + warpSize, result);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

//===--- Address spaces ----------------------------------------------------------------------===//

uint64_t windowOf(const Modifiers &m) {
  if (m.has("shared") || m.has("shared::cta") || m.has("shared::cluster"))
    return window::shared;
  return m.has("local")                            ? window::local
         : m.has("param") || m.has("param::entry") ? window::parameters
                                                   : 0;
}
/// Puts an address into its window, or takes it out.
template <class T, bool out> Flow cvta(Warp &w, const Instruction &i, Mask mask) {
  const T *from = w.in<T>(i.operand[1]);
  uint64_t base = uint64_t(i.immediate[0]);
  T result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] = T(base == 0 ? from[lane] : out ? uint32_t(from[lane]) : from[lane] | base);
  if (!out && base == window::local && w.grid.wishes.ownedLocals)
    for (int lane = 0; lane < warpSize; ++lane)
      result[lane] |= T(w.ownerOf(lane)) << window::ownerShift;
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
Status bindCvta(Binding &b) {
  b.out.immediate[0] = int64_t(windowOf(b.modifiers));
  return done(b, b.modifiers.has("to") ? cvta<uint64_t, true> : cvta<uint64_t, false>);
}
/// Constant variables lie in the same block as global ones.
bool isConstant(const Grid &grid, uint64_t address) {
  return std::ranges::any_of(grid.program.globals, [&](const GlobalVariable &v) {
    return v.isConst && address - grid.globals - v.offset < std::max<uint64_t>(v.size, 1);
  });
}
Flow isspacep(Warp &w, const Instruction &i, Mask mask) {
  Mask inside = 0;
  for (int lane = 0; lane < warpSize; ++lane) {
    uint64_t address = w.in<uint64_t>(i.operand[1])[lane];
    bool found = address >> window::shift == uint64_t(i.immediate[0]) >> window::shift;
    if (!i.immediate[0])
      found &= isConstant(w.grid, address) == (i.modes.second != 0);
    if (i.modes.choice) // of the block itself, not of its cluster
      found &= uint32_t(address) >> clusterRankShift == w.cta.rank;
    inside |= Mask(found) << lane;
  }
  w.putPredicate(i.operand[0], inside, mask);
  return Flow::Next;
}
Status bindIsspacep(Binding &b) {
  b.out.immediate[0] = int64_t(windowOf(b.modifiers));
  b.out.modes.choice = uint8_t(b.modifiers.has("shared") || b.modifiers.has("shared::cta"));
  b.out.modes.second = uint8_t(b.modifiers.has("const"));
  return done(b, isspacep);
}
/// The same place in the shared memory of another block of the cluster.
struct Mapa {
  template <class T> static T of(T address, uint32_t rank) {
    return T((address & ~T(0xff000000)) | T(rank) << clusterRankShift);
  }
};
struct RankOf {
  template <class T> static uint32_t of(T address) { return uint32_t(address) >> clusterRankShift; }
};
Status bindMapa(Binding &b) {
  return done(b, bits(b.modifiers.type()) == 64 ? each<Mapa, uint64_t, uint64_t, uint32_t>
                                                : each<Mapa, uint32_t, uint32_t, uint32_t>);
}
Status bindRank(Binding &b) {
  return done(b, bits(b.modifiers.type()) == 64 ? each<RankOf, uint32_t, uint64_t>
                                                : each<RankOf, uint32_t, uint32_t>);
}
/// A policy for caches that do not exist.
struct NoPolicy {
  static uint64_t of(uint64_t) { return 0; }
};
Status bindPolicy(Binding &b) {
  b.out.operand[1] = b.binder.module.constant(0, 64);
  return done(b, each<NoPolicy, uint64_t, uint64_t>);
}

//===--- Special registers -------------------------------------------------------------------===//

using Value = uint64_t (*)(const Warp &, int lane);
template <Value value> Flow special(Warp &w, const Instruction &i, Mask mask) {
  if (i.modes.to == Type::pred) {
    Mask found = 0;
    for (int lane = 0; lane < warpSize; ++lane)
      found |= Mask(value(w, lane) != 0) << lane;
    w.putPredicate(i.operand[0], found, mask);
    return Flow::Next;
  }
  return byInteger(bitsOf(bits(i.modes.to)), [&]<class T>(T) {
    T result[warpSize];
    for (int lane = 0; lane < warpSize; ++lane)
      result[lane] = T(value(w, lane));
    w.put(i.operand[0], result, mask);
    return Flow::Next;
  });
}
struct SpecialRegister {
  std::string_view name;
  Type type;
  Executor run;
};
uint64_t nanoseconds() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count());
}
Dim3 tid(const Warp &w, int lane) { return w.grid.block.at(w.threadIndex(lane)); }
Dim3 clusters(const Warp &w) {
  const Grid &g = w.grid;
  return {g.grid.x / g.cluster.x, g.grid.y / g.cluster.y, g.grid.z / g.cluster.z};
}
uint64_t below(int lane) { return (uint64_t(1) << lane) - 1; }

// clang-format off
#define SPECIAL(name, type, value)                                                                 \
  { name, Type::type, special<[](const Warp &w, int lane) -> uint64_t { (void)w, (void)lane; return uint64_t(value); }> }
#define SPECIAL3(name, value) SPECIAL(name ".x", u32, (value).x), SPECIAL(name ".y", u32, (value).y), SPECIAL(name ".z", u32, (value).z)
#define SPECIAL2(stem, digit, end, type) SPECIAL(stem digit end, type, 0)
#define SPECIAL8(stem, end, type) \
  SPECIAL2(stem, "0", end, type), SPECIAL2(stem, "1", end, type), SPECIAL2(stem, "2", end, type), SPECIAL2(stem, "3", end, type), \
  SPECIAL2(stem, "4", end, type), SPECIAL2(stem, "5", end, type), SPECIAL2(stem, "6", end, type), SPECIAL2(stem, "7", end, type)
#define SPECIAL10(stem, type) SPECIAL8(stem, "", type), SPECIAL2(stem, "8", "", type), SPECIAL2(stem, "9", "", type)
constexpr SpecialRegister specials[] = {
    SPECIAL3("%tid", tid(w, lane)),
    SPECIAL3("%ntid", w.grid.block),
    SPECIAL3("%ctaid", w.cta.index),
    SPECIAL3("%nctaid", w.grid.grid),
    SPECIAL3("%clusterid", w.cta.cluster.index),
    SPECIAL3("%nclusterid", clusters(w)),
    SPECIAL3("%cluster_ctaid", w.grid.cluster.at(w.cta.rank)),
    SPECIAL3("%cluster_nctaid", w.grid.cluster),
    SPECIAL("%cluster_ctarank", u32, w.cta.rank),
    SPECIAL("%cluster_nctarank", u32, w.grid.cluster.volume()),
    SPECIAL("%laneid", u32, lane),
    SPECIAL("%warpid", u32, w.index),
    SPECIAL("%nwarpid", u32, (w.grid.block.volume() + 31) / 32),
    SPECIAL("%smid", u32, 0),
    SPECIAL("%nsmid", u32, 1),
    SPECIAL("%gridid", u64, 0),
    SPECIAL("%lanemask_eq", u32, uint64_t(1) << lane),
    SPECIAL("%lanemask_lt", u32, below(lane)),
    SPECIAL("%lanemask_le", u32, below(lane + 1)),
    SPECIAL("%lanemask_gt", u32, ~below(lane + 1)),
    SPECIAL("%lanemask_ge", u32, ~below(lane)),
    SPECIAL("%clock", u32, w.steps),
    SPECIAL("%clock_hi", u32, w.steps >> 32),
    SPECIAL("%clock64", u64, w.steps),
    SPECIAL("%globaltimer", u64, nanoseconds()),
    SPECIAL("%globaltimer_lo", u32, nanoseconds()),
    SPECIAL("%globaltimer_hi", u32, nanoseconds() >> 32),
    SPECIAL("%dynamic_smem_size", u32, w.grid.dynamicShared),
    SPECIAL("%total_smem_size", u32, w.cta.shared.size()),
    SPECIAL("%is_explicit_cluster", pred, w.grid.cluster.volume() > 1),
    SPECIAL("%reserved_smem_offset_begin", u32, 0),
    SPECIAL("%reserved_smem_offset_end", u32, sharedStart),
    SPECIAL("%reserved_smem_offset_cap", u32, sharedStart),
    SPECIAL("%reserved_smem_offset_0", u32, 0),
    SPECIAL("%reserved_smem_offset_1", u32, 0),
    SPECIAL("%current_graph_exec", u64, 0),
    // Registers that the driver would count or set.
    SPECIAL8("%pm", "", u32), SPECIAL8("%pm", "_64", u64),
    SPECIAL("%envreg1", u32, w.grid.workspace >> 32), SPECIAL("%envreg2", u32, w.grid.workspace), // the first row of a name counts
    SPECIAL8("%envreg", "", u32), SPECIAL2("%envreg", "8", "", u32), SPECIAL2("%envreg", "9", "", u32), SPECIAL10("%envreg1", u32), SPECIAL10("%envreg2", u32),
    SPECIAL2("%envreg3", "0", "", u32), SPECIAL2("%envreg3", "1", "", u32),
    SPECIAL("%aggr_smem_size", u32, w.cta.shared.size() + sharedStart),
};
#undef SPECIAL
#undef SPECIAL2
#undef SPECIAL8
#undef SPECIAL10
#undef SPECIAL3
// clang-format on

Flow nothing(Warp &, const Instruction &, Mask) { return Flow::Next; }
Status bindNothing(Binding &b) { return done(b, nothing); }

/// A write of no particular value: the bytes may stay as they are. PTX ISA, discard.
constexpr uint32_t discarded = 128;
Flow discard(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (; mask; mask &= mask - 1)
    if (const int lane = std::countr_zero(mask);
        !w.locateRange(i.space, address[lane], discarded, discarded, Access::Write, lane))
      return Flow::Fault;
  return Flow::Next;
}
Status bindDiscard(Binding &b) {
  if (b.out.immediate[1] != discarded)
    return fail(Error::OperandKind, 2, b.modifiers.mnemonic, discarded,
                cat("'", b.operands[1].str(), "'"));
  return done(b, discard);
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"mov <any>|pred", "=t t", bindMove, "a; also of a special register, or the address of a variable or function"},
    {"mov b16|b32|b64|b128", "=t any", bindParts<true>, "a register from two or four parts in braces, lowest first"},
    {"mov b16|b32|b64|b128", "any t", bindParts<false>, "two or four parts of a register"},
    {"cvta ?to const|global|local|shared|shared::cta|shared::cluster|param|param::entry u64", "=t t", bindCvta,
     "an address of a space as a generic one, or back"},
    {"isspacep const|global|local|shared|shared::cta|shared::cluster|param|param::entry", "=pred u64", bindIsspacep,
     "whether a generic address is in a space"},
    {"mapa ?shared::cluster u32|u64|s32|s64", "=t t u32", bindMapa, "the same shared address in another block of the cluster"},
    {"getctarank ?shared::cluster u32|u64|s32|s64", "=u32 t", bindRank, "the block of the cluster that a shared address belongs to"},
    {"prefetch ...", "any any?", bindNothing, "nothing: there are no caches"},
    {"prefetchu L1", "addr", bindNothing, "nothing"},
    {"applypriority ?global L2::evict_normal", "addr imm", bindNothing, "nothing"},
    {"discard ?global L2", "addr imm", bindDiscard, "128 bytes have no particular value from now on"},
    {"createpolicy ...", "=b64 any? any? any? any?", bindPolicy, "a cache policy, which nothing reads"},
};
// clang-format on

} // namespace

Executor specialRegister(std::string_view name, Type &type) {
  if (name.empty() || name[0] != '%')
    return nullptr;
  for (const SpecialRegister &s : specials)
    if (s.name == name) {
      type = s.type;
      return s.run;
    }
  return nullptr;
}

Executor placeOf(Type to) {
  return bits(to) == 64 ? place<uint64_t> : bits(to) == 32 ? place<uint32_t> : nullptr;
}

const RowGroup moveRows = {"Moves and addresses", rows};

} // namespace tessera::sim
