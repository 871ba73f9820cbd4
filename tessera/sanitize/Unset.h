// Unset: registers that hold bits of memory that nobody wrote, until somebody uses them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load may fetch more than the thread needs: the padding of a struct, a key after the last one
// of a list, what lies beside a bit field. That is not an error while nothing depends on it. So
// the bits are followed. Moves, stores, shuffles, calls and arithmetic pass them on; a selection,
// and a logic operation whose other operand decides, drop them. They are used where they decide
// what others see: an address, a branch or another guard, a number in global memory, and each
// operand of what is not arithmetic of one thread (atomics, votes, products of a warpgroup). A
// product of fragments passes them on by rows and columns.
#pragma once

#include "tessera/sim/Access.h"
#include "tessera/sim/Grid.h"
#include "tessera/sim/Observer.h"

#include <map>
#include <optional>

namespace tessera::sanitize {

using sim::Mask;

/// What a load read of memory that nobody wrote, or a shuffle took of a lane that does not run it.
struct UnsetOrigin {
  std::string_view space;
  uint64_t address = 0, missing = 0; // of the load, and of the first byte that nobody wrote
  uint32_t bytes = 0;
  int32_t line = 0;
  sim::Access access = sim::Access::Read;
  int from = -1; // the lane of a shuffle
};

/// Of a register in one lane.
struct UnsetBits {
  uint64_t bits = 0;
  bool isComputed = false; // they are no longer those of a load, only moved
  UnsetOrigin origin{};
};

/// What a lane uses.
struct UnsetUse {
  int lane;
  UnsetOrigin origin;
};

/// The registers of a warp. It costs nothing where no such bits are, and little where an
/// instruction touches none of them.
class UnsetRegisters {
public:
  explicit UnsetRegisters(const sim::Warp &w) : w(w) {}

  /// Whether an instruction can be left out.
  bool isIdle(const sim::Instruction &) const;
  /// A load filled a register of a lane.
  void load(sim::Slot, int lane, const UnsetBits &);
  UnsetBits at(sim::Slot, int lane) const;
  /// A wmma.load filled an element of its fragment with what nobody wrote, and what is in one.
  void loadElement(const sim::Instruction &, size_t element, const UnsetOrigin &);
  UnsetBits elementAt(const sim::Instruction &, size_t element) const;
  /// Before the running instruction: passes bits on, or says who uses some.
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
  uint64_t some = 0; // a bit for each of them, by its slot; several may share one
};

/// What a row of memory does with its registers.
sim::Moves movesOf(const sim::Instruction &);
/// Of wmma, and products of registers by a warp, which are looked at by rows and columns.
bool movesFragment(const sim::Instruction &);
bool isOfFragments(const sim::Instruction &);
/// How many of an instruction's list are registers.
size_t listed(const sim::Instruction &);

} // namespace tessera::sanitize
