// Loads and stores. PTX ISA 9.7.9.8 to 9.7.9.15, 9.7.9.28.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

#include <algorithm>
#include <atomic>

namespace tessera::sim {

namespace {

struct B128 {
  uint64_t low, high;
};

/// An element of memory. A strong access of one thread may meet that of another on the host too. On
/// hosts with weaker orders than x86 it is ordered more than it has to be, which the memory model
/// allows.
template <class E, bool strong> E read(const std::byte *from) {
  if constexpr (strong && sizeof(E) <= 8)
    return std::atomic_ref<E>(*reinterpret_cast<E *>(const_cast<std::byte *>(from)))
        .load(std::memory_order_acquire);
  E value;
  std::memcpy(&value, from, sizeof(E));
  return value;
}
template <class E, bool strong> void write(std::byte *to, E value) {
  if constexpr (strong && sizeof(E) <= 8)
    std::atomic_ref<E>(*reinterpret_cast<E *>(to)).store(value, std::memory_order_release);
  else
    std::memcpy(to, &value, sizeof(E));
}

/// f(lane, bytes of the host) for each lane; whether all were there.
template <class F>
bool atEach(Warp &w, const Instruction &i, const uint64_t (&address)[warpSize], uint32_t bytes,
            Access access, Mask mask, F f) {
  std::byte *hosts[warpSize];
  switch (w.locateAll(i.space, address, bytes, access, mask, hosts)) {
  case Warp::Located::Ended: return false;
  case Warp::Located::All:
    if (mask == allLanes)
      for (int lane = 0; lane < warpSize; ++lane)
        f(lane, hosts[lane]);
    else
      for (Mask left = mask; left; left &= left - 1)
        f(std::countr_zero(left), hosts[std::countr_zero(left)]);
    return true;
  case Warp::Located::OneByOne: break;
  }
  for (Mask left = mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte *host = w.locate(i.space, address[lane], bytes, access, lane);
    if (!host)
      return false;
    f(lane, host);
  }
  return true;
}

/// Elements of type E become lanes of registers of type R, extended if that is wider. choice: .nc,
/// for observers.
template <class E, class R, bool strong> Flow load(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  const auto bytes = uint32_t(sizeof(E) * i.listSize);
  R *const only = w.out<R>(i.list[0]);
  const bool found =
      i.listSize == 1
          ? atEach(w, i, address, bytes, Access::Read, mask,
                   [&](int lane, const std::byte *from) { only[lane] = R(read<E, strong>(from)); })
          : atEach(w, i, address, bytes, Access::Read, mask, [&](int lane, const std::byte *from) {
              for (size_t k = 0; k < i.listSize; ++k)
                w.out<R>(i.list[k])[lane] = R(read<E, strong>(from + k * sizeof(E)));
            });
  if (!found) [[unlikely]]
    return Flow::Fault;
  if constexpr (strong) {
    int first = std::countr_zero(mask);
    uint64_t value = 0;
    std::memcpy(&value, &w.out<R>(i.list[0])[first], std::min(sizeof(R), sizeof(value)));
    w.polled(mask, address[first], value);
  }
  return Flow::Next;
}
/// For a vector with unused places.
template <class E, class R, bool strong>
Flow storeSome(Warp &w, const Instruction &i, Mask mask, const uint64_t *address) {
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    if (address[lane] % (sizeof(E) * i.listSize)) // says what is wrong
      return w.locate(i.space, address[lane], uint32_t(sizeof(E) * i.listSize), Access::Write,
                      lane),
             Flow::Fault;
    for (size_t k = 0; k < i.listSize; ++k) {
      if (i.list[k] == noSlot)
        continue;
      std::byte *to =
          w.locate(i.space, address[lane] + k * sizeof(E), sizeof(E), Access::Write, lane);
      if (!to)
        return Flow::Fault;
      write<E, strong>(to, E(w.in<R>(i.list[k])[lane]));
    }
  }
  return Flow::Next;
}
/// choice: some of the list are noSlot.
template <class E, class R, bool strong> Flow store(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  if (i.modes.choice)
    return storeSome<E, R, strong>(w, i, mask, address);
  const bool found = atEach(w, i, address, uint32_t(sizeof(E) * i.listSize), Access::Write, mask,
                            [&](int lane, std::byte *to) {
                              for (size_t k = 0; k < i.listSize; ++k)
                                write<E, strong>(to + k * sizeof(E), E(w.in<R>(i.list[k])[lane]));
                            });
  return found ? Flow::Next : Flow::Fault;
}

struct Loads {
  static constexpr Moves moves = Moves::Load;
  template <class E, class R>
  static constexpr Executor run[] = {load<E, R, false>, load<E, R, true>};
};
struct Stores {
  static constexpr Moves moves = Moves::Store;
  template <class E, class R>
  static constexpr Executor run[] = {store<E, R, false>, store<E, R, true>};
};
template <class Direction> Status bindAccess(Binding &b) {
  Type type = b.modifiers.type();
  int count = b.modifiers.has("v2") ? 2 : b.modifiers.has("v4") ? 4 : b.modifiers.has("v8") ? 8 : 1;
  bool isMultimem = b.modifiers.words[0] == "multimem"; // of eight halves or bytes too
  if (count == 8 && bits(type) != 32 && !isMultimem)
    return fail(Error::VectorOfEight, b.modifiers.mnemonic, bits(type));
  if (b.out.listSize != count)
    return fail(Error::OperandKind, 1, b.modifiers.mnemonic, cat("a list of ", count),
                cat("one of ", int(b.out.listSize)));
  b.out.modes.choice = Direction::moves == Moves::Load
                           ? b.modifiers.has("nc")
                           : std::count(b.out.list, b.out.list + b.out.listSize, noSlot) != 0;
  b.out.modes.second = uint8_t(Direction::moves);
  b.out.width = b.out.width ? b.out.width : uint8_t(bytes(type));
  const bool strong = b.out.order != Order::Weak;
  if (bits(type) == 128)
    return done(b, Direction::template run<B128, B128>[strong]);
  return done(b, byInteger(type, [&]<class E>(E) -> Executor {
                return bySize(bitsOf(8 * b.out.width), [&]<class R>(R) -> Executor {
                  if constexpr (sizeof(R) >= sizeof(E) && std::is_unsigned_v<R>)
                    return Direction::template run<E, R>[strong];
                  else
                    return nullptr;
                });
              }));
}

/// One device has one multicast object at most, whose only memory is its own: every address of
/// global memory is a multimem address, and what is reduced is one value.
template <class Direction> Status bindMultimem(Binding &b) {
  b.out.space = Space::Global;
  return bindAccess<Direction>(b);
}

/// operand: address, size.
template <class Size> Flow storeBulk(Warp &w, const Instruction &i, Mask mask) {
  constexpr uint64_t most = 16777216;
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    uint64_t size = w.in<Size>(i.operand[1])[lane], at = address[lane];
    if (size % 8 || size > most)
      return w.fault(lane, Error::StoreBulkSize, size);
    uint64_t inWindow = i.space == Space::Generic ? at - window::shared : at;
    if (inWindow >> 32 || inWindow >> clusterRankShift != w.cta.rank)
      return w.fault(lane, Error::StoreBulkPlace, hex(at));
    std::byte *to = w.locateRange(i.space, at, uint32_t(size), 8, Access::Write, lane);
    if (!to)
      return Flow::Fault;
    std::memset(to, 0, size);
  }
  return Flow::Next;
}
template <class Size> Status bindStoreBulk(Binding &b) {
  if (b.out.immediate[1])
    return fail(Error::OperandKind, 3, b.modifiers.mnemonic, "0",
                cat("'", b.operands[2].str(), "'"));
  return done(b, storeBulk<Size>);
}

#define MULTIMEM_VALUES " u32|s32|b32|u64|s64|b64|f16|f16x2|bf16|bf16x2|f32|f64"
#define NARROW "e4m3|e4m3x2|e4m3x4|e5m2|e5m2x2|e5m2x4"
// clang-format off
constexpr InstructionRow rows[] = {
    {"ld ?<order> ?<scope> ?<space> *<cache>|<hint> ?<vector> <any>", "=~t{} addr b64?", bindAccess<Loads>, "the values at an address"},
    {"ldu ?global ?<vector> <any>", "=~t{} addr", bindAccess<Loads>, "the same, the same address in all lanes"},
    {"st ?<order> ?<scope> ?<space> *<cache>|<hint> ?<vector> <any>", "addr ~t{_} b64?", bindAccess<Stores>, "stores values at an address"},
    {"ld mmio relaxed sys ?global <any>", "=~t{} addr", bindAccess<Loads>, "the same as ld.relaxed"},
    {"st mmio relaxed sys ?global <any>", "addr ~t{}", bindAccess<Stores>, "the same as st.relaxed"},
    {"st async ?mmio release gpu|sys ?global b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64", "addr t{}", bindAccess<Stores>, "the same; the store is done at once"},
    {"st bulk ?weak ?shared::cta", "addr b64 imm", bindStoreBulk<uint64_t>, "zeros in shared memory"},
    {"st bulk ?weak ?shared::cta", "addr b32 imm", bindStoreBulk<uint32_t>, "the same"},
    {"multimem ld_reduce ?weak|relaxed|acquire ?<scope> ?global min|max|add|and|or|xor ?<vector>" MULTIMEM_VALUES "|" NARROW, "=t{} addr", bindMultimem<Loads>, "the values there, on the only device"},
    {"multimem ld_reduce ?weak|relaxed|acquire ?<scope> ?global add acc::f32 ?<vector> <half>", "=t{} addr", bindMultimem<Loads>, "the same"},
    {"multimem ld_reduce ?weak|relaxed|acquire ?<scope> ?global add acc::f16 ?<vector> " NARROW, "=t{} addr", bindMultimem<Loads>, "the same"},
    {"multimem st ?weak|relaxed|release ?<scope> ?global ?<vector>" MULTIMEM_VALUES "|" NARROW, "addr t{}", bindMultimem<Stores>, "stores values there"},
};
// clang-format on

#undef MULTIMEM_VALUES
#undef NARROW

} // namespace

const RowGroup memoryRows = {"Memory", rows};

} // namespace tessera::sim
