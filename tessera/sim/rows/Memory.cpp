// Loads and stores. PTX ISA 9.7.9.8 to 9.7.9.15.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

namespace tessera::sim {

namespace {

struct B128 {
  uint64_t low, high;
};

/// Elements of type E become registers of type R, extended if that is wider.
template <class E, class R> Flow load(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    std::byte *from =
        w.locate(i.space, address[lane], uint32_t(sizeof(E) * i.listSize), Access::Read, lane);
    if (!from) [[unlikely]]
      return Flow::Fault;
    for (size_t k = 0; k < i.listSize; ++k) {
      E value;
      std::memcpy(&value, from + k * sizeof(E), sizeof(E));
      w.out<R>(i.list[k])[lane] = R(value);
    }
  }
  return Flow::Next;
}
template <class E, class R> Flow store(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    std::byte *to =
        w.locate(i.space, address[lane], uint32_t(sizeof(E) * i.listSize), Access::Write, lane);
    if (!to) [[unlikely]]
      return Flow::Fault;
    for (size_t k = 0; k < i.listSize; ++k) {
      E value = E(w.in<R>(i.list[k])[lane]);
      std::memcpy(to + k * sizeof(E), &value, sizeof(E));
    }
  }
  return Flow::Next;
}

struct Loads {
  template <class E, class R> static constexpr Executor run = load<E, R>;
};
struct Stores {
  template <class E, class R> static constexpr Executor run = store<E, R>;
};
template <class Direction> Status bindAccess(Binding &b) {
  Type type = b.modifiers.type();
  int count = b.modifiers.has("v2") ? 2 : b.modifiers.has("v4") ? 4 : b.modifiers.has("v8") ? 8 : 1;
  if (count == 8 && bits(type) != 32)
    return fail(Error::VectorOfEight, b.modifiers.mnemonic, bits(type));
  if (b.out.listSize != count)
    return fail(Error::OperandKind, 1, b.modifiers.mnemonic, cat("a list of ", count),
                cat("one of ", int(b.out.listSize)));
  if (bits(type) == 128)
    return done(b, Direction::template run<B128, B128>);
  return done(b, byInteger(type, [&]<class E>(E) -> Executor {
                return bySize(bitsOf(8 * b.out.width), [&]<class R>(R) -> Executor {
                  if constexpr (sizeof(R) >= sizeof(E) && std::is_unsigned_v<R>)
                    return Direction::template run<E, R>;
                  else
                    return nullptr;
                });
              }));
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"ld ?<order> ?<scope> ?<space> *<cache>|<hint> ?<vector> <any>", "=~t{} addr b64?", bindAccess<Loads>, "what lies at an address"},
    {"ldu ?global ?<vector> <any>", "=~t{} addr", bindAccess<Loads>, "the same, the same address in all lanes"},
    {"st ?<order> ?<scope> ?<space> *<cache>|<hint> ?<vector> <any>", "addr ~t{} b64?", bindAccess<Stores>, "puts values at an address"},
};
// clang-format on

} // namespace

const RowGroup memoryRows = {"Memory", rows};

} // namespace tessera::sim
