// Lanes: executors from functions on one lane, and the C++ type for a PTX type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Binder.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Number.h"

#include <type_traits>

namespace tessera::sim {

/// operand[0] = Op::of(operand[1], ...) in every lane. Op may take the instruction's modes as first
/// argument. Inactive lanes are computed too, which lets the loop vectorise, so Op must be defined
/// for all values.
template <class Op, class R, class... A> Flow each(Warp &w, const Instruction &i, Mask mask) {
  return [&]<size_t... N>(std::index_sequence<N...>) {
    alignas(64) R result[warpSize];
    auto sources = std::tuple{w.in<A>(i.operand[N + 1])...};
    for (int lane = 0; lane < warpSize; ++lane)
      if constexpr (requires { Op::of(i.modes, A{}...); })
        result[lane] = Op::of(i.modes, std::get<N>(sources)[lane]...);
      else
        result[lane] = R(Op::of(std::get<N>(sources)[lane]...));
    w.put(i.operand[0], result, mask);
    return Flow::Next;
  }(std::index_sequence_for<A...>());
}

/// f(T{}) for the C++ integer of a type; untyped ones are unsigned.
template <class F> auto byInteger(Type type, F f) -> decltype(f(uint32_t())) {
  switch (type) {
  case Type::s8: return f(int8_t());
  case Type::s16: return f(int16_t());
  case Type::s32: return f(int32_t());
  case Type::s64: return f(int64_t());
  default: break;
  }
  switch (bits(type)) {
  case 8: return f(uint8_t());
  case 16: return f(uint16_t());
  case 64: return f(uint64_t());
  default: return f(uint32_t());
  }
}
/// The same for the unsigned integer of the same size, if the sign does not matter.
template <class F> auto bySize(Type type, F f) -> decltype(f(uint32_t())) {
  return byInteger(bitsOf(bits(type)), f);
}

/// The integer type of twice the width.
template <class T> struct WideOf;
template <> struct WideOf<int8_t> {
  using type = int16_t;
};
template <> struct WideOf<uint8_t> {
  using type = uint16_t;
};
template <> struct WideOf<int16_t> {
  using type = int32_t;
};
template <> struct WideOf<uint16_t> {
  using type = uint32_t;
};
template <> struct WideOf<int32_t> {
  using type = int64_t;
};
template <> struct WideOf<uint32_t> {
  using type = uint64_t;
};
template <> struct WideOf<int64_t> {
  using type = __int128;
};
template <> struct WideOf<uint64_t> {
  using type = unsigned __int128;
};
template <class T> using Wide = typename WideOf<T>::type;

inline Status done(Binding &b, Executor run) {
  b.out.run = run;
  return Done{};
}

/// Op of one, two or three operands of the instruction's integer type.
template <class Op> Status unary(Binding &b) {
  return done(b,
              byInteger(b.modifiers.type(), []<class T>(T) -> Executor { return each<Op, T, T>; }));
}
template <class Op> Status binary(Binding &b) {
  return done(
      b, byInteger(b.modifiers.type(), []<class T>(T) -> Executor { return each<Op, T, T, T>; }));
}
template <class Op> Status ternary(Binding &b) {
  return done(b, byInteger(b.modifiers.type(),
                           []<class T>(T) -> Executor { return each<Op, T, T, T, T>; }));
}

/// Reads the modes that a mnemonic's words state.
inline void readModes(Binding &b) {
  Modes &m = b.out.modes;
  const Modifiers &words = b.modifiers;
  constexpr Rounding order[] = {Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up,
                                Rounding::NearestAway};
  m.rounding = order[words.pick({"rn", "rz", "rm", "rp", "rna"})];
  const Rounding integral[] = {m.rounding, Rounding::NearestEven, Rounding::Zero, Rounding::Down,
                               Rounding::Up};
  m.rounding = integral[1 + words.pick({"rni", "rzi", "rmi", "rpi"}, -1)];
  m.ftz = words.has("ftz");
  m.sat = words.has("sat");
  m.satfinite = words.has("satfinite");
  m.relu = words.has("relu");
  m.nan = words.has("NaN");
  m.xorsign = words.has("xorsign");
  m.absolute = words.has("abs");
}

} // namespace tessera::sim
