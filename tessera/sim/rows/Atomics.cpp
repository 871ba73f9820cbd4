// Atomic operations and reductions. PTX ISA 9.7.13.14 and 9.7.13.15.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Atomic.h"

#include <mutex>

namespace tessera::sim {

namespace {

/// operand[0] is the address; list holds what was there (unless it is a reduction) and the operand;
/// a vector has several of each. Lanes come in their order.
template <class A, bool returns> Flow atomic(Warp &w, const Instruction &i, Mask mask) {
  using Code = typename A::Code;
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  size_t count = i.width;
  const Slot *b = i.list + (returns ? count : 0);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    std::byte *at =
        w.locate(i.space, address[lane], uint32_t(sizeof(Code) * count), Access::Atomic, lane);
    if (!at)
      return Flow::Fault;
    bool isGlobal = i.space == Space::Global ||
                    (i.space == Space::Generic && !(address[lane] >> window::shift));
    uint8_t op = i.modes.ftz && isGlobal ? uint8_t(AddFlushed) : i.modes.choice;
    for (size_t k = 0; k < count; ++k) {
      Code old = update<A>(at + k * sizeof(Code), op, w.in<Code>(b[k])[lane]);
      if (returns)
        w.out<Code>(i.list[k])[lane] = old;
    }
  }
  if (int first = std::countr_zero(mask); returns)
    w.polled(mask, address[first], uint64_t(w.out<Code>(i.list[0])[first]));
  return Flow::Next;
}

/// list holds what was there, what it is compared with, and what is put.
template <class Code> Flow compareAndSwap(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    std::byte *at = w.locate(i.space, address[lane], sizeof(Code), Access::Atomic, lane);
    if (!at)
      return Flow::Fault;
    Code old = w.in<Code>(i.list[1])[lane];
    const bool wrote =
        std::atomic_ref(*reinterpret_cast<Code *>(at))
            .compare_exchange_strong(old, w.in<Code>(i.list[2])[lane]); // else it reads to `old`
    w.out<Code>(i.list[0])[lane] = old;
    if (!w.tell(Swap{lane, wrote}))
      return Flow::Fault;
  }
  const int first = std::countr_zero(mask);
  w.polled(mask, address[first], uint64_t(w.out<Code>(i.list[0])[first]));
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
    if (i.modes.choice == Cas && !w.tell(Swap{lane, old == b}))
      return Flow::Fault;
  }
  return Flow::Next;
}

template <bool returns> Executor executorFor(Type type, uint8_t op) {
  if (type == Type::b128)
    return atomic128;
  if (op == Cas)
    return byInteger(type, []<class T>(T) -> Executor {
      return compareAndSwap<typename IntegerAtomic<T>::Code>;
    });
  return byAtomic(type, []<class A>(A) -> Executor { return atomic<A, returns>; });
}
template <bool returns> Status bindAtomic(Binding &b) {
  const Modifiers &m = b.modifiers;
  b.out.modes.choice = atomicOp(m);
  b.out.modes.ftz = m.type() == Type::f32 && b.out.modes.choice == Add; // in global memory
  int count = m.has("v2") ? 2 : m.has("v4") ? 4 : m.has("v8") ? 8 : 1;
  int groups = returns + (b.out.modes.choice == Cas ? 2 : 1);
  if (b.out.listSize < groups * count)
    return fail(Error::OperandKind, 1, m.mnemonic, cat("lists of ", count),
                cat(int(b.out.listSize), " registers in all"));
  b.out.width = uint8_t(count);
  if (m.words[0] == "multimem")
    b.out.space = Space::Global;
  return done(b, executorFor<returns>(m.type(), b.out.modes.choice));
}

#define ORDERED                                                                                    \
  " ?relaxed|acquire|release|acq_rel|volatile ?<scope> ?global|shared|shared::cta|shared::cluster"
// clang-format off
constexpr InstructionRow rows[] = {
    {"atom" ORDERED " and|or|xor ?L2::cache_hint b32|b64", "=t{} addr t{} b64?", bindAtomic<true>, "a bitwise operation; returns the old value"},
    {"atom" ORDERED " exch ?L2::cache_hint b32|b64|b128", "=t{} addr t{} b64?", bindAtomic<true>, "an exchange"},
    {"atom" ORDERED " cas ?L2::cache_hint b16|b32|b64|b128", "=t{} addr t{} t{} b64?", bindAtomic<true>, "stores c if the value is b"},
    {"atom" ORDERED " add ?L2::cache_hint u32|s32|u64|s64|f32|f64", "=t{} addr t{} b64?", bindAtomic<true>, "a sum"},
    {"atom" ORDERED " add noftz ?L2::cache_hint <half>", "=t{} addr t{} b64?", bindAtomic<true>, "a sum"},
    {"atom" ORDERED " add|min|max ?noftz ?L2::cache_hint v2|v4|v8 f32|<half>", "=t{} addr t{} b64?", bindAtomic<true>, "sums of a vector, each atomic"},
    {"atom" ORDERED " min|max ?L2::cache_hint u32|s32|u64|s64", "=t{} addr t{} b64?", bindAtomic<true>, "the smaller or larger"},
    {"atom" ORDERED " inc|dec ?L2::cache_hint u32", "=t{} addr t{} b64?", bindAtomic<true>, "counts up to b, or down from it"},
    {"red async ?mmio release gpu|sys ?global add u32|s32|u64|s64", "addr t{}", bindAtomic<false>, "a sum in global memory, made at once"},
    {"red async ?mmio release gpu|sys ?global min|max u32|s32", "addr t{}", bindAtomic<false>, "the smaller or larger there"},
    {"red async ?mmio release gpu|sys ?global inc|dec u32", "addr t{}", bindAtomic<false>, "counts up or down there"},
    {"red async ?mmio release gpu|sys ?global and|or|xor b32", "addr t{}", bindAtomic<false>, "a bitwise operation there"},
    {"multimem red ?release|relaxed ?<scope> ?global and|or|xor b32|b64", "addr t{}", bindAtomic<false>, "a bitwise operation on the only device"},
    {"multimem red ?release|relaxed ?<scope> ?global add u32|s32|u64|s64|f16|f16x2|bf16|bf16x2|f32|f64", "addr t{}", bindAtomic<false>, "a sum"},
    {"multimem red ?release|relaxed ?<scope> ?global add v2|v4|v8 f16|f16x2|bf16|bf16x2|f32", "addr t{}", bindAtomic<false>, "sums of a vector"},
    {"multimem red ?release|relaxed ?<scope> ?global min|max v2|v4|v8 <half>", "addr t{}", bindAtomic<false>, "the smaller or larger of each element of a vector"},
    {"multimem red ?release|relaxed ?<scope> ?global min|max u32|s32|u64|s64", "addr t{}", bindAtomic<false>, "the smaller or larger"},
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
