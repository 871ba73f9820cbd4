// Instruction: the decoded form that executors get, without names or text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/number/Code.h"
#include "tessera/sim/Text.h"

#include <memory>

namespace tessera::sim {

class Warp;
struct Instruction;
struct InstructionRow;

/// One bit for each lane of a warp.
using Mask = uint32_t;
inline constexpr int warpSize = 32;
inline constexpr Mask allLanes = ~Mask(0);

/// The place of an operand's 32 values: a byte offset into the registers of the frame, or, with the
/// lowest bit set, into the constants of the program. A predicate is one word with a bit for each
/// lane.
using Slot = uint32_t;
inline constexpr Slot noSlot = ~Slot(0);

/// How a warp continues after an instruction.
enum class Flow : uint8_t {
  Next,    // with the next instruction
  Jumped,  // the executor has set the place
  Again,   // with the same instruction, as the set of lanes has changed
  Blocked, // these lanes wait
  Fault,   // the kernel ends with the warp's reason
};

/// Runs an instruction for the lanes of a mask, which is not empty.
using Executor = Flow (*)(Warp &, const Instruction &, Mask);

/// The ordering of a memory access or fence, and its scope. PTX ISA 8.3 to 8.5.
enum class Order : uint8_t {
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease
};
enum class Scope : uint8_t {
  Cta,
  Cluster,
  Gpu // and the system
};

using number::Rounding;

/// How an exact result is rounded, and other choices that a mnemonic states.
struct Modes {
  Rounding rounding = Rounding::NearestEven;
  bool ftz = false, sat = false, satfinite = false, relu = false;
  bool nan = false, xorsign = false, absolute = false;
  uint8_t choice = 0; // meaning set by the row: comparison, shuffle mode, ...
  uint8_t second = 0; // another choice
  Type from = Type::b32, to = Type::b32;
  uint8_t randomBits =
      0; // of `random` that Stochastic adds to as many of the discarded ones, the highest
  uint32_t random = 0;
  uint8_t widths[2] = {0, 0}; // bytes of the first and of the last scalar operand's register

  /// How a floating-point result becomes a code.
  number::Rules rules() const {
    return {
        .rounding = rounding, .saturates = satfinite, .randomBits = randomBits, .random = random};
  }
};

/// Parts that only a few instructions have; owned by the program.
struct InstructionParts {
  virtual ~InstructionParts() = default;
};

/// How a row of memory moves the registers of `list`: its modes.second, for observers.
enum class Moves : uint8_t {
  Neither,
  Load,
  Store
};

struct Instruction {
  Executor run = nullptr;
  Slot guard = noSlot;
  int32_t line = 0;
  std::array<Slot, 6> operand{noSlot, noSlot, noSlot, noSlot, noSlot, noSlot};
  std::array<int64_t, 2> immediate{};
  const Slot *list = nullptr; // registers of vectors, in order
  const InstructionParts *plan = nullptr;
  const InstructionRow *row =
      nullptr; // null for one that is not in the text, such as the return at the end
  Modes modes;
  uint8_t listSize = 0;
  uint8_t width = 0; // bytes of the registers in `list`, if they may be wider than the type
  Space space = Space::Generic;
  bool guardNegated = false;
  bool wide[2] = {false, false}; // addresses have 64 bits
  bool aligned = false;          // all lanes of the warp have to arrive together
  uint8_t group = 0;             // of rows
  Order order = Order::Weak;
  Scope scope = Scope::Cta;
  uint32_t usedBytes = ~0u; // for a load: bytes that are used, the first one's bit the lowest
};

} // namespace tessera::sim
