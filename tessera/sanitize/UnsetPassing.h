// UnsetPassing: how an instruction passes on unset bits, in one lane.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sanitize/Unset.h"

#include <algorithm>

namespace tessera::sanitize {

using sim::Instruction;
using sim::noSlot;
using sim::Slot;

inline constexpr uint64_t all = ~uint64_t(0);
/// CC.CF, treated as a register. Slot numbers never get near this value, and odd ones are
/// constants.
inline constexpr Slot carrySlot = noSlot - 1;
static_assert(!(carrySlot & 1));
/// A mask of the `count` lowest bits.
constexpr uint64_t lowest(uint64_t count) { return count >= 64 ? all : (uint64_t(1) << count) - 1; }

/// The operands of an instruction in one lane.
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
  /// Unset bits of the first unset operand, or list element, among these: then the whole result is
  /// unset.
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

/// How a row's registers pass on unset bits.
struct Passing {
  UnsetBits (*pass)(const Operands &) = nullptr; // null: not arithmetic of one lane
  bool carries = false;                          // it may read or write the carry
  bool unpacks = false;
  uint8_t made = 0;  // number of operands that are results
  uint8_t lists = 0; // number of parts of the list; the first is a result if `makesList`
  bool makesList = false;
};
const Passing &passingOf(const Instruction &);

/// Bits that rows/Integer.cpp sets in the choice of instructions with a carry.
enum CarryChoice : uint8_t {
  ReadsCarry = 1,
  WritesCarry = 2,
  HighHalf = 4
};

} // namespace tessera::sanitize
