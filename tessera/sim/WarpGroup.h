// WarpGroup: four warps that multiply together, and the products that they have started and not yet
// waited for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Mma.h"

#include <deque>

namespace tessera::sim {

/// The plan of a wgmma instruction. Its list has the registers of C, then those of an A in
/// registers.
struct GroupPlan : MmaPlan {
  Slot aDescriptor = noSlot, bDescriptor = noSlot; // A: noSlot if it is in registers
  Slot accumulates = noSlot;                       // scale-d
  double sign = 1;                                 // of imm-scale-a times imm-scale-b
  atom::Major aMajor = atom::Major::K, bMajor = atom::Major::K;
};

/// Products are done in the order of their instructions, each when the last of the four warps has
/// reached it, or with Limits::lateCopies when it is waited for. PTX ISA 9.7.15.
class WarpGroup {
public:
  static constexpr uint32_t size = 4; // warps

  /// A warp has reached an instruction.
  Flow start(Warp &, const Instruction &, Mask);
  void commit(Warp &);
  /// Waits until all committed groups of the warp except the latest `left` are done.
  Flow wait(Warp &, Mask, uint32_t left);
  /// Whether a product still needs the registers of a frame.
  bool needs(const Frame *) const;

private:
  struct Product {
    const Instruction *instruction = nullptr;
    std::array<Frame *, size> frames{}; // of the warps that have come
    uint64_t a = 0, b = 0;              // descriptors
    bool accumulates = false;

    bool isWhole() const {
      return std::find(frames.begin(), frames.end(), nullptr) == frames.end();
    }
  };
  struct Member {
    uint64_t started = 0;        // products
    std::deque<uint64_t> groups; // number of products started when each group was committed
  };

  /// Does the complete products before the one with this number; false after a fault.
  bool make(Warp &, uint64_t end);
  bool multiply(Warp &, const Product &);
  /// Reports to the observer which matrices a product reads from shared memory.
  bool noteReads(Warp &, const Product &, uint64_t number);

  std::deque<Product> products; // not yet done
  uint64_t made = 0;
  std::array<Member, size> members;
};

} // namespace tessera::sim
