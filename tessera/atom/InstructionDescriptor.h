// InstructionDescriptor: the 32-bit word that tells tcgen05.mma what its matrices are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/MmaRow.h"

namespace tessera::atom {

/// Types and shape of one product. What a kind has no field for keeps its default.
struct InstructionDescriptor {
  Element a = Element::none, b = Element::none, c = Element::f32;
  int m = 128, n = 8;
  Major aMajor = Major::K, bMajor = Major::K;
  bool negatesA = false, negatesB = false;
  bool saturates = false; // kind::i8
  bool isSparse = false;
  int selector = 0;               // of sparsity: bits 0 and 1
  int shift = 0;                  // the largest shift of B in .ws, as a code: none, 8, 16, 32
  Element scale = Element::none;  // block-scaled kinds
  int scaleIdA = 0, scaleIdB = 0; // the byte of a column where factors begin
  bool isLong = false;            // K = 96

  friend bool operator==(const InstructionDescriptor &, const InstructionDescriptor &) = default;
};

/// Bits of the word that a program may set at run time.
constexpr int negateABit = 13, negateBBit = 14, scaleIdABit = 29, scaleIdBBit = 4;

bool isBlockScaled(MmaKind);
/// A reason where a kind has no such type, or an extent does not fit.
/// Source: PTX ISA 9.7.16.4.2; CUTLASS make_instr_desc, make_instr_desc_block_scaled.
Result<uint32_t> encode(MmaKind, const InstructionDescriptor &);
Result<InstructionDescriptor> decode(MmaKind, uint32_t word);

} // namespace tessera::atom
