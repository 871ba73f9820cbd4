// GemmPlan: the parts of a block of Blackwell's GEMM besides the stages that other targets also
// have. For the parts of the GEMM only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"
#include "tessera/kernels/gemm/GemmMemory.h"

namespace tessera::kernels::sm100 {

/// Its shared memory, which begins with GemmMemory.
struct GemmPlan : GemmMemory {
  // Warps: those that store come first, since warp w reaches lanes 32 (w mod 4) of tensor memory.
  static constexpr int storingWarps = atom::Threads::warpsOfGroup;
  static constexpr int multiplies = storingWarps, loads = storingWarps + 1, asks = storingWarps + 2;
  static constexpr int accumulators = 2; // tiles of D in tensor memory
  static constexpr int answersKept = 2;  // of the cluster launch control

  explicit GemmPlan(const GemmConfig &c);
  dsl::Region bias;    // f32, a box's columns for each warp that stores
  dsl::Region factors; // of a stage of A, then of B
  dsl::Region address; // a word: the address of tensor memory
  dsl::Region sums;    // barriers: full accumulators, then empty ones
  dsl::Region answers; // 16 bytes each
  dsl::Region asked;   // barriers: answers that have come, then those that may be overwritten

  int warps() const { return c.dynamic ? asks + 1 : loads + 1; }
  int threads() const { return warps() * atom::Threads::ofWarp; }
  // Factors of 128 rows and four blocks of K: words of shared memory, columns of tensor memory.
  static constexpr int factorWords = 128, factorColumns = 4, factorsOfWord = 4;
  int factorVector() const { return c.elementsOfWord() / factorsOfWord; }
  /// Number of groups of four blocks in a tile of K.
  int factorGroups() const { return c.tileK() / c.elementsOfWord(); }
  int factorWordsOfStage() const { return factorGroups() * factorWords; } // of A, or of B
  int64_t factorBytes() const { return c.factors ? 2 * 4 * factorWordsOfStage() : 0; } // of a stage
  /// The first column after the accumulators.
  int firstFactorColumn() const { return accumulators * c.tileN; }
  /// Columns that a block allocates: a power of two.
  int columns() const;
  dsl::Element sum() const { return findGemmType(c.a)->sum(); }
};

} // namespace tessera::kernels::sm100
