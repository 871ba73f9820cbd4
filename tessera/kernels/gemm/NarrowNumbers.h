// NarrowNumbers: B in 4 or 8 bits with scales of groups, widened to A's 16. For the GEMMs only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of each 16 elements of K, a lane of mma.sync and of wgmma has elements 2t, 2t + 1, 2t + 8 and 2t
// + 9 of a row, where t is the lane modulo 4 (PTX ISA, fragments of mma.m16n8k16 and of wgmma). The
// four lanes that share a row read the same bytes at once, and each keeps its own part.
#pragma once

#include "tessera/dsl/Dsl.h"

namespace tessera::kernels {

/// Numbers of 4 or 8 bits that lanes of a row select from the same bytes: each its own pairs.
class NarrowNumbers {
public:
  /// `quad` is the lane modulo 4.
  NarrowNumbers(dsl::Element type, dsl::Element wide, dsl::Num quad);

  bool whole() const { return !type.isFloat(); } // four bits
  /// The lane's pair of integers of eight in a word, as floats with an offset.
  dsl::Num integers(dsl::Num word) const;
  /// The lane's pair of floats of eight in two words, in the lower half.
  dsl::Num floats(dsl::Num first, dsl::Num second) const;
  static dsl::Num bothPairs(dsl::Num low, dsl::Num high);
  /// Widens pairs, in words of integers() or bothPairs(), and multiplies each by its factor.
  void scale(llvm::ArrayRef<dsl::Num> words, llvm::ArrayRef<dsl::Num> factors,
             dsl::Tensor to) const;

private:
  dsl::Element type, wide;
  dsl::Num selector; // selects the thread's bytes
};

} // namespace tessera::kernels
