// Atomic operations and reductions. PTX ISA 9.7.13.14 and 9.7.13.15.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Real.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace tessera::sim {

namespace {

enum Op : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exch,
  Cas,
  Inc,
  Dec
};

template <class T> struct IntegerAtomic {
  using Code = std::make_unsigned_t<T>;
  static Code of(uint8_t op, Code old, Code b, Code c) {
    switch (op) {
    case Add: return Code(old + b);
    case Min: return Code(std::min(T(old), T(b)));
    case Max: return Code(std::max(T(old), T(b)));
    case And: return Code(old & b);
    case Or: return Code(old | b);
    case Xor: return Code(old ^ b);
    case Cas: return old == b ? c : old;
    case Inc: return old >= b ? Code(0) : Code(old + 1);
    case Dec: return old == 0 || old > b ? b : Code(old - 1);
    default: return b; // Exch
    }
  }
};
/// Subnormal numbers are kept, but for f32 in global memory on some GPUs, which the ISA leaves
/// open.
template <class R> struct RealAtomic {
  using Code = typename R::Code;
  static Code of(uint8_t op, Code old, Code b, Code) {
    double x = R::read(old, false), y = R::read(b, false);
    return R::write({}, op == Min   ? std::fmin(x, y)
                        : op == Max ? std::fmax(x, y)
                                    : R::add({}, x, y));
  }
};
template <class R> struct PairAtomic {
  using Code = uint32_t;
  static Code of(uint8_t op, Code old, Code b, Code) {
    auto half = [&](int shift) {
      return uint32_t(RealAtomic<R>::of(op, uint16_t(old >> shift), uint16_t(b >> shift), 0))
             << shift;
    };
    return half(16) | half(0);
  }
};

/// operand[0] is the address; list holds what was there (unless it is a reduction), the operand,
/// and what a compare-and-swap puts; a vector has several of each. Lanes come in their order.
template <class A, bool returns> Flow atomic(Warp &w, const Instruction &i, Mask mask) {
  using Code = typename A::Code;
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  size_t count = i.width;
  const Slot *b = i.list + (returns ? count : 0), *c = i.modes.choice == Cas ? b + count : b;
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    std::byte *at =
        w.locate(i.space, address[lane], uint32_t(sizeof(Code) * count), Access::Atomic, lane);
    if (!at)
      return Flow::Fault;
    for (size_t k = 0; k < count; ++k) {
      std::atomic_ref<Code> place(reinterpret_cast<Code *>(at)[k]);
      Code old = place.load(), operand = w.in<Code>(b[k])[lane], other = w.in<Code>(c[k])[lane];
      while (!place.compare_exchange_weak(old, A::of(i.modes.choice, old, operand, other)))
        ;
      if (returns)
        w.out<Code>(i.list[k])[lane] = old;
    }
  }
  return Flow::Next;
}

struct Wide128 {
  uint64_t low, high;
  friend bool operator==(const Wide128 &, const Wide128 &) = default;
};
/// exch and cas of 128 bits, which hosts do not all have.
Flow atomic128(Warp &w, const Instruction &i, Mask mask) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    auto *at =
        reinterpret_cast<Wide128 *>(w.locate(i.space, address[lane], 16, Access::Atomic, lane));
    if (!at)
      return Flow::Fault;
    Wide128 old = *at, b = w.in<Wide128>(i.list[1])[lane];
    if (i.modes.choice == Exch)
      *at = b;
    else if (old == b)
      *at = w.in<Wide128>(i.list[2])[lane];
    w.out<Wide128>(i.list[0])[lane] = old;
  }
  return Flow::Next;
}

template <bool returns> Executor executorFor(Type type) {
  switch (type) {
  case Type::f32: return atomic<RealAtomic<F32>, returns>;
  case Type::f64: return atomic<RealAtomic<F64>, returns>;
  case Type::f16: return atomic<RealAtomic<F16>, returns>;
  case Type::bf16: return atomic<RealAtomic<Bf16>, returns>;
  case Type::f16x2: return atomic<PairAtomic<F16>, returns>;
  case Type::bf16x2: return atomic<PairAtomic<Bf16>, returns>;
  case Type::b128: return atomic128;
  default:
    return byInteger(type,
                     []<class T>(T) -> Executor { return atomic<IntegerAtomic<T>, returns>; });
  }
}
template <bool returns> Status bindAtomic(Binding &b) {
  const Modifiers &m = b.modifiers;
  b.out.modes.choice =
      uint8_t(m.pick({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}));
  int count = m.has("v2") ? 2 : m.has("v4") ? 4 : m.has("v8") ? 8 : 1;
  int groups = returns + (b.out.modes.choice == Cas ? 2 : 1);
  if (b.out.listSize < groups * count)
    return fail(Error::OperandKind, 1, m.mnemonic, cat("lists of ", count),
                cat(int(b.out.listSize), " registers in all"));
  b.out.width = uint8_t(count);
  return done(b, executorFor<returns>(m.type()));
}

#define ORDERED                                                                                    \
  " ?relaxed|acquire|release|acq_rel|volatile ?<scope> ?global|shared|shared::cta|shared::cluster"
// clang-format off
constexpr InstructionRow rows[] = {
    {"atom" ORDERED " and|or|xor ?L2::cache_hint b32|b64", "=t{} addr t{} b64?", bindAtomic<true>, "a bitwise operation; gives what was there"},
    {"atom" ORDERED " exch ?L2::cache_hint b32|b64|b128", "=t{} addr t{} b64?", bindAtomic<true>, "an exchange"},
    {"atom" ORDERED " cas ?L2::cache_hint b16|b32|b64|b128", "=t{} addr t{} t{} b64?", bindAtomic<true>, "puts c where b is"},
    {"atom" ORDERED " add ?L2::cache_hint u32|s32|u64|s64|f32|f64", "=t{} addr t{} b64?", bindAtomic<true>, "a sum"},
    {"atom" ORDERED " add noftz ?L2::cache_hint <half>", "=t{} addr t{} b64?", bindAtomic<true>, "a sum"},
    {"atom" ORDERED " add|min|max ?noftz ?L2::cache_hint v2|v4|v8 f32|<half>", "=t{} addr t{} b64?", bindAtomic<true>, "sums of a vector, each atomic"},
    {"atom" ORDERED " min|max ?L2::cache_hint u32|s32|u64|s64", "=t{} addr t{} b64?", bindAtomic<true>, "the smaller or larger"},
    {"atom" ORDERED " inc|dec ?L2::cache_hint u32", "=t{} addr t{} b64?", bindAtomic<true>, "counts up to b, or down from it"},
    {"red" ORDERED " and|or|xor ?L2::cache_hint b32|b64", "addr t{} b64?", bindAtomic<false>, "the same without a result"},
    {"red" ORDERED " add ?L2::cache_hint u32|s32|u64|s64|f32|f64", "addr t{} b64?", bindAtomic<false>, "a sum"},
    {"red" ORDERED " add noftz ?L2::cache_hint <half>", "addr t{} b64?", bindAtomic<false>, "a sum"},
    {"red" ORDERED " add|min|max ?noftz ?L2::cache_hint v2|v4|v8 f32|<half>", "addr t{} b64?", bindAtomic<false>, "sums of a vector"},
    {"red" ORDERED " min|max ?L2::cache_hint u32|s32|u64|s64", "addr t{} b64?", bindAtomic<false>, "the smaller or larger"},
    {"red" ORDERED " inc|dec ?L2::cache_hint u32", "addr t{} b64?", bindAtomic<false>, "counts up or down"},
};
// clang-format on
#undef ORDERED

} // namespace

const RowGroup atomicRows = {"Atomics and reductions", rows};

} // namespace tessera::sim
