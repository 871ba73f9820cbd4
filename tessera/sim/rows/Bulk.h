// Bulk: shared parts of bulk copies of bytes and of boxes: their operands, destinations, and the
// barriers that they signal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/AddressOperand.h"
#include "tessera/sim/Atomic.h"
#include "tessera/sim/Mbarrier.h"

namespace tessera::sim::bulk {

/// Combines values in some bytes with those in others, by a reduction.
using Reduction = void (*)(uint8_t op, std::byte *to, const std::byte *from, uint32_t bytes);
Reduction reductionOf(Type);

/// How tensor copies read their coordinates.
enum class Mode : uint8_t {
  Tile,
  Im2col,
  Im2colW,
  Im2colW128,
  Rows // four of them: tile::gather4, tile::scatter4
};

struct BulkPlan : InstructionParts {
  AddressOperand to, from, barrier;    // the tensor map takes the place of global memory
  std::vector<Slot> at, offsets;       // of the box
  Slot size = noSlot, blocks = noSlot; // bytes; mask of the blocks of a multicast
  Slot mask = noSlot;                  // of the bytes of each 16 that are stored
  Reduction reduce = nullptr;          // of copies without a map
  uint8_t op = 0;
  uint8_t modes = 1; // of the tensor
  Mode mode = Mode::Tile;
  bool reduces = false, pairs = false; // pairs: the mbarrier may be in the other block of a pair
  bool isTensor = false;
  std::string_view mnemonic;
};

inline constexpr uint32_t lowBits = (1u << clusterRankShift) - 1;

/// A destination of a load, and the mbarrier that it signals.
struct Target {
  std::byte *base; // of the block's shared memory
  Mbarrier *barrier;
};
/// Bytes from an address on that a copy touches; there may be gaps between ranges.
struct Range {
  uint32_t from, bytes;
};
/// Whether a copy may touch these bytes of shared memory, which begin at an aligned address; false
/// after a fault.
bool touchShared(Warp &, uint64_t address, std::span<const Range>, uint32_t alignment, Access,
                 int lane);
/// The destinations of a load: the block that the address names, or those of a mask; mbarriers
/// count the bytes of all ranges. Nothing after a fault.
std::optional<std::vector<Target>> targets(Warp &, const BulkPlan &, uint32_t to,
                                           std::span<const Range>, uint32_t alignment, int lane);

/// Does work on each block now, or as late as possible, then signals the mbarriers.
void load(Warp &, std::vector<Target>, uint32_t bytes, std::function<void(const Target &)> work);
/// A copy to memory. Waits for its group learn that it has read, or also that it has written.
void store(Warp &, int lane, std::function<void()> work);

inline Access writes(const BulkPlan &plan) {
  return plan.reduces ? Access::BulkReduce : Access::BulkWrite;
}

/// A copy of a lane begins.
inline void beginCopy(Warp &w, int lane) {
  ++w.copies;
  w.tell(AsyncWork{.what = AsyncWork::Begin, .by = Agent::Copy, .lane = lane, .number = w.copies});
}
/// Whether all operands of two lanes are equal, so that both copy the same bytes to the same place.
bool copySame(const Warp &, const BulkPlan &, int a, int b);
/// A copy has ended, and an mbarrier counts its bytes.
void endCopy(Warp &, uint64_t copy, Mbarrier &, uint32_t bytes);

/// Calls f(plan, lane) for each lane, until it returns false after a fault.
template <class F> Flow eachLane(Warp &w, const Instruction &i, Mask mask, F f) {
  const auto &plan = *static_cast<const BulkPlan *>(i.plan);
  for (Mask left = mask; left; left &= left - 1) {
    beginCopy(w, std::countr_zero(left));
    if (!f(plan, std::countr_zero(left)))
      return Flow::Fault;
  }
  return Flow::Next;
}

BulkPlan &planOf(Binding &);
Status bindPlace(Binding &, size_t which, Space, AddressOperand &to);
inline Status bindNothing(Binding &b) {
  return done(b, [](Warp &, const Instruction &, Mask) { return Flow::Next; });
}

} // namespace tessera::sim::bulk
