// AddressOperand: an address operand of an instruction that has more addresses than fit into an
// Instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Warp.h"

namespace tessera::sim {

struct AddressOperand {
  Instruction operand; // operand[0], immediate[0], wide[0] and the space are its address

  uint64_t address(const Warp &w, int lane) const {
    uint64_t all[warpSize];
    w.addresses(operand, 0, all);
    return all[lane];
  }
};

} // namespace tessera::sim
