// Mma: products of matrices by a warp, for every row of the atom table that has its operands in
// registers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of accumulation. Real numbers up to f32: products are exact, they are added in double
// precision in the order of k, then C is added, and the sum is rounded once to the type of D, to
// nearest even. f64: a chain of fused products in the order of k, from C. Integers: exact, then
// wrapped or clamped. Hardware truncates sums of aligned products, which differs in the last
// places; the ISA leaves it open (9.7.14.5.14).
#pragma once

#include "tessera/atom/Registry.h"
#include "tessera/sim/Instruction.h"

#include <vector>

namespace tessera::sim {

/// Where an operand's values lie: for each lane and each of its values the index of an element of
/// the tile.
struct FragmentTable {
  std::vector<uint16_t> index;
  size_t perLane = 0;
  size_t registers = 0; // of each lane
};

struct MmaPlan : Plan {
  const atom::MmaRow *row = nullptr;
  int m = 0, n = 0, k = 0;
  FragmentTable a, b, c, metadata;
  std::vector<int> lanes; // of one product, by position
  int products = 1;       // that the warp makes side by side
  uint32_t selector = 0;  // of sparsity
  Slot scale[2] = {}, byteId[2] = {}, threadId[2] = {};
  Slot metadataSlot = 0;
};

/// All indices of a (thread, value) layout, thread by thread.
std::vector<uint16_t> indicesOf(const layout::Layout &);
/// The row with this mnemonic, or null.
const atom::MmaRow *warpMma(std::string_view mnemonic);
/// Everything about a row but slots.
void prepare(MmaPlan &, const atom::MmaRow &);

/// d = a * b + c. Registers of d, a, b, c stand in the instruction's list in this order.
Flow runMma(Warp &, const Instruction &, Mask);

} // namespace tessera::sim
