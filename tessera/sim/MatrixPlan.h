// MatrixPlan: where the bytes of ldmatrix and stmatrix lie in rows of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/CopyRow.h"
#include "tessera/sim/Instruction.h"

#include <vector>

namespace tessera::sim {

/// For each byte of each lane's registers: the lane that gives the address of its row, and the byte
/// in the row.
struct MatrixPlan : InstructionParts {
  struct Source {
    uint8_t lane, byte;
  };
  std::vector<Source> sources; // lane by lane
  Mask rows = 0;               // lanes whose address is used
  size_t perLane = 0;          // bytes
  atom::PackedFormat format = atom::PackedFormat::None;
};

} // namespace tessera::sim
