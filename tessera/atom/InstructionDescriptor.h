// InstructionDescriptor: the 32-bit word that describes its matrices to tcgen05.mma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/MmaRow.h"

namespace tessera::atom {

/// Types and shape of one product. Fields that a kind does not have keep their defaults.
struct InstructionDescriptor {
  Element a = Element::none, b = Element::none, c = Element::f32;
  int m = 128, n = 8;
  Major aMajor = Major::K, bMajor = Major::K;
  bool negatesA = false, negatesB = false;
  bool saturates = false; // kind::i8
  bool isSparse = false;
  int selector = 0;               // of sparsity: bits 0 and 1
  int shift = 0;                  // the largest shift of B in .ws, as a code for none, 8, 16, 32
  Element scale = Element::none;  // block-scaled kinds
  int scaleIdA = 0, scaleIdB = 0; // the byte of a column where scale factors begin
  bool isLong = false;            // K = 96

  friend bool operator==(const InstructionDescriptor &, const InstructionDescriptor &) = default;
};

/// Bits of the word that a program may set at run time.
constexpr int negateABit = 13, negateBBit = 14, scaleIdABit = 29, scaleIdBBit = 4;

bool isBlockScaled(MmaKind);
/// A reason if a kind does not have such a type, or an extent does not fit. Source: PTX ISA
/// 9.7.16.4.2; CUTLASS make_instr_desc, make_instr_desc_block_scaled.
Result<uint32_t> encode(MmaKind, const InstructionDescriptor &);
Result<InstructionDescriptor> decode(MmaKind, uint32_t word);

} // namespace tessera::atom
