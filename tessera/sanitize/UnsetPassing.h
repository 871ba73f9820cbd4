// UnsetPassing: what an instruction makes of bits that nobody wrote, in one lane.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/Unset.h"

#include <algorithm>

namespace tessera::sanitize {

using sim::Instruction;
using sim::noSlot;
using sim::Slot;

inline constexpr uint64_t all = ~uint64_t(0);
/// CC.CF, as if it were a register. Numbers of slots do not come near it, and odd ones are
/// constants.
inline constexpr Slot carrySlot = noSlot - 1;
static_assert(!(carrySlot & 1));
/// The low bits.
constexpr uint64_t lowest(uint64_t count) { return count >= 64 ? all : (uint64_t(1) << count) - 1; }

/// What one lane has in the operands of an instruction.
class Operands {
public:
  Operands(const UnsetRegisters &registers, const sim::Warp &w, const Instruction &i, int lane)
      : i(i), registers(registers), w(w), lane(lane) {}

  UnsetBits unset(size_t k) const { return registers.at(i.operand[k], lane); }
  UnsetBits unsetPart(size_t k) const { return registers.at(i.list[k], lane); }
  /// An operand of the instruction's type.
  uint64_t value(size_t k) const {
    Slot slot = i.operand[k];
    switch (sim::bits(i.modes.from)) {
    case 1: return w.predicate(slot) >> lane & 1;
    case 8: return w.in<uint8_t>(slot)[lane];
    case 16: return w.in<uint16_t>(slot)[lane];
    case 32: return word(k);
    default: return w.in<uint64_t>(slot)[lane];
    }
  }
  uint32_t word(size_t k) const { return w.in<uint32_t>(i.operand[k])[lane]; }
  bool predicate(size_t k) const { return w.predicate(i.operand[k]) >> lane & 1; }
  UnsetBits carry() const { return registers.at(carrySlot, lane); }
  /// The first of these operands and the list that is unset: then the whole result is.
  UnsetBits any(size_t first, size_t end = 6, uint64_t bits = all) const {
    for (size_t k = first; k < std::min(end, i.operand.size()); ++k)
      if (UnsetBits u = unset(k); u.bits & bits)
        return {all, true, u.origin};
    for (size_t k = 0; k < i.listSize && end == 6; ++k)
      if (UnsetBits u = unsetPart(k); u.bits)
        return {all, true, u.origin};
    return {};
  }

  const Instruction &i;

private:
  const UnsetRegisters &registers;
  const sim::Warp &w;
  int lane;
};

/// What a row does with registers.
struct Passing {
  UnsetBits (*pass)(const Operands &) = nullptr; // null: not arithmetic of one lane
  bool carries = false;                          // it may read or write the carry
  bool unpacks = false;
  uint8_t made = 0;  // so many operands are results
  uint8_t lists = 0; // so many parts the list has, of which the first is a result if `makesList`
  bool makesList = false;
};
const Passing &passingOf(const Instruction &);

/// Bits of the choice of instructions that carry, as rows/Integer.cpp sets them.
enum CarryChoice : uint8_t {
  ReadsCarry = 1,
  WritesCarry = 2,
  HighHalf = 4
};

} // namespace tessera::sanitize
