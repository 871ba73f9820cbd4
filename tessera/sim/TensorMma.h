// TensorMma: products of tcgen05.mma, which one thread starts for one block or a pair of blocks.
// PTX ISA 9.7.16.10.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One executor serves all rows of the atom table: the instruction descriptor chooses the row,
// operands become panels of doubles, and Mma.h's loop multiplies. For D, an A in tensor memory,
// scale factors and metadata, a table of data paths and a formula say where the elements are. Cases
// that the ISA leaves open end with TensorProduct: factors that differ although all have to be
// equal, and selectors of sparsity for which it matters how they are added.
#pragma once

#include "tessera/atom/InstructionDescriptor.h"
#include "tessera/sim/AddressOperand.h"
#include "tessera/sim/Grid.h"

namespace tessera::sim {

/// What an instruction's text states; types and shape come from its descriptor at run time.
struct TensorMmaPlan : InstructionParts {
  atom::MmaKind kind = atom::MmaKind::F16;
  uint8_t ctas = 1;
  bool isSparse = false, isWs = false;
  bool shifts = false; // A's rows, after the product
  int vec = 0;         // elements of a dense row that share a factor
  AddressOperand d, aTensor, metadata, scaleA, scaleB;
  Slot a = noSlot; // descriptor; none: aTensor
  Slot b = noSlot, descriptor = noSlot, accumulates = noSlot;
  std::vector<Slot> disabled; // lanes that keep their values: 128 bits for each block
  Slot zeros = noSlot;        // of .ws: the zero-column mask
  int inputShift = 0;         // D is first multiplied by 2^-shift
};

/// The blocks of an instruction, the even one first.
using Pair = std::array<Cta *, 2>;
/// The blocks of an instruction; nothing after a fault. All instructions of a kernel must name the
/// same group, and a pair must exist.
bool checkGroup(Warp &, uint8_t ctas, int lane);
std::optional<Pair> pairOf(Warp &, uint8_t ctas, int lane);
/// A cell of allocated tensor memory, which is also added to `used`; null after a fault.
uint32_t *tensorCell(Warp &, Cta &, TensorAddress, int lane, TensorCells *used = nullptr);

/// In each of `quarters` quarters of the lanes, from that of the address on, lanes 0 to 30 get what
/// the next lane has in so many columns. False after a fault.
bool shiftRows(Warp &, Cta &, TensorAddress, uint32_t quarters, uint32_t columns, int lane);

/// Computes the product that a lane asks for; false after a fault.
bool multiply(Warp &, const TensorMmaPlan &, int lane);

} // namespace tessera::sim
