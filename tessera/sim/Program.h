// Program: a module of PTX decoded, ready to run on any machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Errors.h"
#include "tessera/sim/Instruction.h"

#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::sim {

struct InstructionRow;

/// A parameter or result of a function: in the frame's local memory, or in a register. Bytes.
struct Parameter {
  std::string name;
  uint32_t offset = 0, size = 0;
  Slot slot = noSlot; // .reg
  Type type = Type::b32;
};

struct Function {
  std::string name;
  bool isEntry = false, isVariadic = false; // its last parameter is an array without a length
  int line = 0;
  std::vector<Instruction> code; // the last one returns
  uint32_t registerBytes = 0;    // of a frame, for 32 lanes
  uint32_t localBytes = 0;       // of a frame, for each thread
  uint32_t parameterBytes = 0;   // of an entry's arguments
  uint32_t sharedBytes = 0;      // of an entry: static shared memory, without what is dynamic
  std::vector<Parameter> parameters, results;
  std::vector<Parameter> shared; // of an entry: the variables that lie there, by name and place
  std::array<uint32_t, 3> required{}, atMost{}, cluster{}; // zeros: not given
  std::optional<Reason> missing{}; // an instruction of it that is not simulated (Missing.def)
};

/// A .global or .const variable, `offset` bytes into the block that a machine gives to the program.
struct GlobalVariable {
  std::string name;
  uint64_t offset = 0, size = 0;
  std::vector<std::byte> init; // shorter than `size`: zeros follow
  struct Relocation {
    uint64_t at = 0, target = 0; // offsets into this variable and into the block
    uint64_t mask = ~uint64_t(0);
    uint32_t bytes = 8;

    /// The bits of an address that the mask picks, at the bottom.
    uint64_t of(uint64_t address) const {
      return mask ? (address & mask) >> std::countr_zero(mask) : 0;
    }
  };
  std::vector<Relocation> relocations; // addresses of variables
  bool isManaged = false;              // .attribute(.managed): the host reads and writes it too
  bool isConst = false;
};

/// Slots that every frame has: addresses, the same for all lanes but known only when a block runs.
struct FrameSlots {
  static constexpr Slot local = 0, shared = 128, dynamicShared = 256, first = 640;
  static constexpr Slot global = 384; // 64 bits
};

/// The generic address space: global memory below the windows of the others. A window begins at a
/// multiple of 2^48: addresses of a process on x86-64 and AArch64 end below, so that memory of the
/// host can be global memory under its own address.
namespace window {
inline constexpr int shift = 48;
inline constexpr uint64_t shared = uint64_t(1) << shift, local = uint64_t(2) << shift,
                          parameters = uint64_t(3) << shift, functions = uint64_t(4) << shift;
} // namespace window
/// Where a block's shared memory begins; below lies what the driver keeps for itself on sm_90. The
/// rank in the cluster stands above the offset, as in the addresses of hardware.
inline constexpr uint32_t sharedStart = 1024;
inline constexpr int clusterRankShift = 24;

/// What becomes of a program with an instruction that is not simulated: it is refused, or the
/// launches of those kernels are that may come to the instruction.
enum class Missing : uint8_t {
  Refuses,
  RefusesLaunches
};

class Program {
public:
  /// Parses and decodes PTX; a reason has the line and its text.
  static Result<Program> parse(std::string text, Missing = Missing::Refuses);

  /// Done, or what a kernel or a function that it may call has and nobody simulates.
  Status isSimulated(const Function &kernel) const;

  const Function *findKernel(std::string_view name) const;
  /// The kernels' names, in their order.
  std::vector<std::string_view> kernels() const;

  /// The number in the target: 90 of sm_90a; 0 without one.
  int targetVersion() const;

  std::string text, target; // target: as written, such as "sm_90a"; empty if there is none
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<GlobalVariable> globals;
  uint64_t globalBytes = 0;         // of the block that `globals` lie in
  bool usesReserved = false;        // it asks where shared memory that the system reserves lies
  std::vector<std::byte> constants; // 32 values each
  std::vector<std::unique_ptr<InstructionParts>> plans;
  std::vector<std::unique_ptr<Slot[]>> lists;
  std::deque<std::string> names;                    // that are made, not written
  std::map<const InstructionRow *, size_t> rowUses; // instructions by the row that bound them
};

} // namespace tessera::sim
