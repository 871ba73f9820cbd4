// Program: a decoded PTX module, ready to run on any machine.
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

/// A parameter or result of a function, in the frame's local memory or in a register. In bytes.
struct Parameter {
  std::string name;
  uint32_t offset = 0, size = 0;
  Slot slot = noSlot; // .reg
  Type type = Type::b32;
};

/// A register that is read and never written.
struct Unwritten {
  std::string name;
  Slot slot = noSlot;
  int bits = 0;
};

struct Function {
  std::string name;
  bool isEntry = false, isVariadic = false; // its last parameter is an array without a length
  int line = 0;
  std::vector<Instruction> code; // the last one returns
  uint32_t registerBytes = 0;    // of a frame, for 32 lanes
  uint32_t localBytes = 0;       // of a frame, for each thread
  uint32_t parameterBytes = 0;   // of an entry's arguments
  uint32_t sharedBytes = 0;      // of an entry: static shared memory, without the dynamic part
  std::vector<Parameter> parameters, results;
  std::vector<Parameter> shared;    // of an entry: its variables, by name and place
  std::vector<Unwritten> unwritten; // registers that it reads, and none of its instructions writes
  std::array<uint32_t, 3> required{}, atMost{}, cluster{}; // zeros: not stated
  uint32_t registers = 0, blocks = 0;                      // .maxnreg, .minnctapersm; 0: not stated
  std::optional<Reason> missing{}; // an instruction in it that is not simulated (Missing.def)
};

/// A .global or .const variable, `offset` bytes into the block that a machine allocates for the
/// program.
struct GlobalVariable {
  std::string name;
  uint64_t offset = 0, size = 0;
  std::vector<std::byte> init; // shorter than `size`: zeros follow
  struct Relocation {
    uint64_t at = 0, target = 0; // offsets into this variable and into the block
    uint64_t mask = ~uint64_t(0);
    uint32_t bytes = 8;

    /// The bits of an address that the mask selects, shifted to the lowest place.
    uint64_t of(uint64_t address) const {
      return mask ? (address & mask) >> std::countr_zero(mask) : 0;
    }
  };
  std::vector<Relocation> relocations; // addresses of variables
  bool isManaged = false;              // .attribute(.managed): the host also reads and writes it
  bool isConst = false;
};

/// Slots of every frame: addresses that are equal in all lanes but known only when a block runs.
struct FrameSlots {
  static constexpr Slot local = 0, shared = 128, dynamicShared = 256, first = 640;
  static constexpr Slot global = 384; // 64 bits
};

/// The generic address space: global memory below the windows of the other spaces. A window begins
/// at a multiple of 2^48. Addresses of processes on x86-64 and AArch64 are below, so that memory of
/// the host can be global memory under its own address.
namespace window {
inline constexpr int shift = 48, ownerShift = 32; // of the number of a local address' thread
inline constexpr uint64_t shared = uint64_t(1) << shift, local = uint64_t(2) << shift,
                          parameters = uint64_t(3) << shift, functions = uint64_t(4) << shift;
} // namespace window
/// Where a block's shared memory begins; on sm_90 the driver reserves the bytes below. The rank in
/// the cluster is in the bits above the offset, as in the addresses of hardware.
inline constexpr uint32_t sharedStart = 1024;
inline constexpr int clusterRankShift = 24;

/// What happens with an instruction that is not simulated: the program is refused, or only launches
/// of those kernels that may reach the instruction.
enum class Missing : uint8_t {
  Refuses,
  RefusesLaunches
};

class Program {
public:
  /// Parses and decodes PTX; a reason has the line and its text.
  static Result<Program> parse(std::string text, Missing = Missing::Refuses);

  /// Success, or the instruction that is not simulated in a kernel or a function that it may call.
  Status isSimulated(const Function &kernel) const;

  const Function *findKernel(std::string_view name) const;
  /// The names of the kernels, in order.
  std::vector<std::string_view> kernels() const;

  /// The number in the target: 90 for sm_90a; 0 without a target.
  int targetVersion() const;

  std::string text, target; // target: as written, such as "sm_90a"; empty if there is none
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<GlobalVariable> globals;
  uint64_t globalBytes = 0;  // of the block that contains `globals`
  bool usesReserved = false; // it reads the address of shared memory that the system reserves
  std::vector<std::byte> constants; // 32 values each
  std::vector<std::unique_ptr<InstructionParts>> plans;
  std::vector<std::unique_ptr<Slot[]>> lists;
  std::deque<std::string> names;                    // generated ones, not written in the text
  std::map<const InstructionRow *, size_t> rowUses; // instructions by the row that bound them
};

} // namespace tessera::sim
