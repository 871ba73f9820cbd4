// Unset: follows bits of memory that was never written through registers until they are used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load may fetch more than the thread needs: the padding of a struct, a key after the last one of
// a list, bits beside a bit field. That is not an error while nothing depends on them. So the bits
// are followed. Moves, stores, shuffles, calls and arithmetic pass them on; a selection, and a
// logic operation whose other operand decides the result, drop them. They are used where they
// affect what others see: in an address, a branch or another guard, a number in global memory, and
// each operand of an instruction that is not arithmetic of one thread (atomics, votes, products of
// a warpgroup). A product of fragments passes them on by rows and columns.
#pragma once

#include "tessera/sim/Access.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Observer.h"

#include <map>
#include <optional>

namespace tessera::sanitize {

using sim::Mask;

/// Where unset bits come from: a load of memory never written, a shuffle from an inactive lane, or
/// a register that no instruction of the function writes.
struct UnsetOrigin {
  std::string_view space;
  uint64_t address = 0, missing = 0; // of the load, and of the first byte never written
  uint32_t bytes = 0;
  int32_t line = 0;
  sim::Access access = sim::Access::Read;
  int from = -1;           // the lane of a shuffle
  std::string_view name{}; // of a register
};

/// The unset bits of a register in one lane.
struct UnsetBits {
  uint64_t bits = 0;
  bool isComputed = false; // they were computed with, not only moved
  UnsetOrigin origin{};
};

/// A use of unset bits by a lane.
struct UnsetUse {
  int lane;
  UnsetOrigin origin;
};

/// The unset bits in a warp's registers. This costs nothing if there are none, and little if an
/// instruction touches none of them.
class UnsetRegisters {
public:
  explicit UnsetRegisters(const sim::Warp &w) : w(w) {}

  /// Whether an instruction can be skipped.
  bool isIdle(const sim::Instruction &) const;
  /// A function begins in a frame.
  void begin(const sim::Frame &, Mask lanes);
  /// Records that a load filled a register of a lane.
  void load(sim::Slot, int lane, const UnsetBits &);
  UnsetBits at(sim::Slot, int lane) const;
  /// loadElement records that a wmma.load filled an element of its fragment with unset bits; the
  /// other function returns what an element holds.
  void loadElement(const sim::Instruction &, size_t element, const UnsetOrigin &);
  UnsetBits elementAt(const sim::Instruction &, size_t element) const;
  /// Records that ldmatrix filled its registers from a row, given by a lane, of which some of the
  /// 16 bytes (a bit each) are unset.
  void loadRow(const sim::Instruction &, int row, uint32_t unset, const UnsetOrigin &);
  /// Called before an instruction runs: passes bits on, or returns a use of some.
  std::optional<UnsetUse> run(const sim::Instruction &, Mask active, Mask fragment);

private:
  struct Register {
    UnsetBits lanes[sim::warpSize];
    Mask any = 0;
  };
  using Registers = std::map<std::pair<const sim::Frame *, sim::Slot>, Register>;
  bool touches(const sim::Instruction &) const;
  const Register *find(sim::Slot) const;
  void erase(Registers::iterator);
  void compute(const sim::Instruction &, Mask active, Mask guard);
  std::optional<UnsetUse> shuffle(const sim::Instruction &, Mask active);
  std::optional<UnsetUse> fragments(const sim::Instruction &, Mask active);
  template <class Each> void product(size_t m, size_t n, size_t k, Each each);
  std::optional<UnsetUse> used(const sim::Instruction &, Mask active) const;
  std::optional<UnsetUse> usedAt(sim::Slot, Mask active) const;
  void clear(const sim::Instruction &, Mask active);
  void leave(Mask active);

  const sim::Warp &w;
  Registers registers;
  uint64_t some =
      0; // one bit for each register with unset bits, by its slot; several may share a bit
};

/// How a row of memory moves its registers.
sim::Moves movesOf(const sim::Instruction &);
/// Whether it is wmma, or a product of registers by a warp, which are followed by rows and columns.
bool movesFragment(const sim::Instruction &);
bool isOfFragments(const sim::Instruction &);
/// Whether it is an ldmatrix that leaves bytes as they are.
bool loadsMatrices(const sim::Instruction &);
/// Number of registers in an instruction's list.
size_t listed(const sim::Instruction &);

} // namespace tessera::sanitize
