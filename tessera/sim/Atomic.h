// Atomic: the functions of read-modify-write operations, for atom, red and the reductions of bulk
// copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Real.h"

#include <algorithm>
#include <atomic>

namespace tessera::sim {

/// In the order in which atomicOp looks for them.
enum AtomicOp : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas,
  Inc,
  Dec,
  AddFlushed, // for f32: subnormal operands and results become zero
};

template <class T> struct IntegerAtomic {
  using Code = std::make_unsigned_t<T>;
  static Code of(uint8_t op, Code old, Code b) {
    switch (op) {
    case Add: return Code(old + b);
    case Min: return Code(std::min(T(old), T(b)));
    case Max: return Code(std::max(T(old), T(b)));
    case And: return Code(old & b);
    case Or: return Code(old | b);
    case Xor: return Code(old ^ b);
    case Inc: return old >= b ? Code(0) : Code(old + 1);
    case Dec: return old == 0 || old > b ? b : Code(old - 1);
    default: return b; // Exch
    }
  }
};
/// -0 is less than +0. Subnormal numbers are kept, except in sums of f32 in global memory. Both as
/// on an H100.
template <class R> struct RealAtomic {
  using Code = typename R::Code;
  static Code of(uint8_t op, Code old, Code b) {
    bool flushes = op == AddFlushed;
    double x = R::read(old, flushes), y = R::read(b, flushes);
    if (op != Min && op != Max)
      return R::write({.ftz = flushes}, R::add({}, x, y));
    if (x == y)
      return R::write({}, std::signbit(x) == (op == Min) ? x : y);
    return R::write({}, op == Min ? std::fmin(x, y) : std::fmax(x, y));
  }
};
template <class R> struct PairAtomic {
  using Code = uint32_t;
  static Code of(uint8_t op, Code old, Code b) {
    auto half = [&](int shift) {
      return uint32_t(RealAtomic<R>::of(op, uint16_t(old >> shift), uint16_t(b >> shift))) << shift;
    };
    return half(16) | half(0);
  }
};

/// Atomically replaces the old value by A::of(op, old value, operand), and returns the old value.
/// Of all operations but Cas.
template <class A> typename A::Code update(std::byte *at, uint8_t op, typename A::Code operand) {
  std::atomic_ref<typename A::Code> place(*reinterpret_cast<typename A::Code *>(at));
  typename A::Code old = place.load();
  while (!place.compare_exchange_weak(old, A::of(op, old, operand)))
    ;
  return old;
}

inline uint8_t atomicOp(const Modifiers &m) {
  return uint8_t(m.pick({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}));
}

/// f(A{}) for the class A that updates values of a type of at most 64 bits.
template <class F> auto byAtomic(Type type, F f) {
  switch (type) {
  case Type::f32: return f(RealAtomic<F32>());
  case Type::f64: return f(RealAtomic<F64>());
  case Type::f16: return f(RealAtomic<F16>());
  case Type::bf16: return f(RealAtomic<Bf16>());
  case Type::f16x2: return f(PairAtomic<F16>());
  case Type::bf16x2: return f(PairAtomic<Bf16>());
  default: return byInteger(type, [&]<class T>(T) { return f(IntegerAtomic<T>()); });
  }
}

} // namespace tessera::sim
