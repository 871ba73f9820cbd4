// Local memory whose size is known when the program runs. PTX ISA 9.7.20.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Lanes.h"

namespace tessera::sim {

namespace {

/// The tops of the lanes' stacks, in the frame of the function that runs.
std::vector<uint32_t> &topsOf(Warp &w) {
  if (w.frame->tops.empty())
    w.frame->tops.assign(warpSize, w.frame->top());
  return w.frame->tops;
}

/// operand: where it lies, size; immediate: alignment.
template <class Size> Flow allocate(Warp &w, const Instruction &i, Mask mask) {
  std::vector<uint32_t> &tops = topsOf(w);
  Size result[warpSize] = {};
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    uint64_t align = uint64_t(i.immediate[0]), size = w.in<Size>(i.operand[1])[lane],
             most = w.grid.limits.localBytes;
    uint64_t at = (tops[size_t(lane)] + align - 1) / align * align;
    if (at > most || size > most - at)
      return w.fault(lane, Error::LocalSize, size > UINT64_MAX - at ? UINT64_MAX : at + size, most);
    tops[size_t(lane)] = uint32_t(at + size);
    result[lane] = Size(at);
    w.tell(MemoryChange{MemoryChange::New, Space::Local, at, size, Mask(1) << lane});
  }
  if (Status grown = w.growLocal(w.frame->top()); !grown)
    return w.faultWith(std::countr_zero(mask), std::move(grown).reason());
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
Status bindAllocate(Binding &b) {
  constexpr int64_t usual = 8, most = 1 << 16;
  int64_t &align = b.out.immediate[0];
  if (b.operands.size() == 2)
    align = usual;
  if (align < 1 || align > most || !std::has_single_bit(uint64_t(align)))
    return fail(Error::OperandKind, 3, b.modifiers.mnemonic, cat("a power of two up to ", most),
                cat("'", b.operands[2].str(), "'"));
  return done(
      b, bySize(b.modifiers.type(), []<class Size>(Size) -> Executor { return allocate<Size>; }));
}

template <class Size> Flow save(Warp &w, const Instruction &i, Mask mask) {
  Size result[warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] = Size(w.frame->top(lane));
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
/// Frees what the function allocated since; an invalid top is an error.
template <class Size> Flow restore(Warp &w, const Instruction &i, Mask mask) {
  std::vector<uint32_t> &tops = topsOf(w);
  uint32_t least = w.frame->localBase + w.frame->function->localBytes;
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    uint64_t top = uint64_t(w.in<Size>(i.operand[0])[lane]);
    if (top < least || top > tops[size_t(lane)])
      return w.fault(lane, Error::StackTop, hex(top), hex(uint64_t(least)),
                     hex(uint64_t(tops[size_t(lane)])));
    tops[size_t(lane)] = uint32_t(top);
  }
  return Flow::Next;
}

Status bindSave(Binding &b) {
  return done(b,
              bySize(b.modifiers.type(), []<class Size>(Size) -> Executor { return save<Size>; }));
}
Status bindRestore(Binding &b) {
  return done(
      b, bySize(b.modifiers.type(), []<class Size>(Size) -> Executor { return restore<Size>; }));
}

constexpr InstructionRow rows[] = {
    {"alloca u32|u64", "=t t imm?", bindAllocate,
     "bytes of local memory until the function returns"},
    {"stacksave u32|u64", "=t", bindSave, "the top of the stack"},
    {"stackrestore u32|u64", "t", bindRestore, "frees what was allocated since"},
};

} // namespace

const RowGroup stackRows = {"Stack", rows};

} // namespace tessera::sim
