// Transfer: kernels that move or reduce memory, compiled, assembled, and run where there is a
// Hopper GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/CopyRow.h"
#include "test/atom/Device.h"
#include "test/driver/Reading.h"
#include "test/lower/Writer.h"

#include <random>

namespace tessera::lower::test {

using Words = std::vector<uint32_t>;

/// One kernel: it takes pointers to words in and out, and tensor maps.
struct Transfer {
  std::string name;
  int threads = 32;
  std::vector<std::string> maps; // types of the atoms that carry them
  std::function<void(Writer &, mlir::ValueRange)> body;
  std::vector<std::string> instructions; // what its PTX must have
  Words input;
  Words expected;         // the output's first words
  size_t outputWords = 0; // 0: those that are expected
  atom::test::Launch launch = {};
  int cluster = 1;
};
/// Compiles each for sm_90a, assembles it if there is a ptxas, and compares what it gives if there
/// is a Hopper GPU.
void runAll(const std::vector<Transfer> &, const char *what);

/// A reduction of a number in memory by another.
struct Reduced {
  atom::Reduction reduction;
  atom::ReducedType type;

  int bits() const;
  std::string element() const; // as the dialect spells the type
  std::string kind() const;    // "ADD"
  /// Codes of random numbers: integers of any size, floats that are small whole numbers.
  std::vector<uint64_t> random(size_t count, std::mt19937 &) const;
  /// PTX ISA 9.7.13.7: inc wraps to 0 at the operand, dec to the operand below 0 and above it.
  uint64_t apply(uint64_t old, uint64_t operand) const;
  std::vector<uint64_t> apply(const std::vector<uint64_t> &old,
                              const std::vector<uint64_t> &operands) const;
};

//===--- pieces of kernels --------------------------------------------------------------------===//

/// Writes what generic stores wrote where the async proxy reads it.
void fenceProxyAsync(Writer &);
/// Waits until bulk groups have written all.
void waitForBulkGroups(Writer &);
/// Inline PTX without results.
void inlinePtx(Writer &, llvm::StringRef text, llvm::StringRef constraints,
               mlir::ValueRange operands);
/// Thread `tid` of `threads` copies words i with i % threads == tid.
void copyWords(Writer &, mlir::Value from, mlir::Value to, int words, Num tid, int threads);
/// A run of elements at a pointer of any type: a tensor of one mode.
mlir::Value run(Writer &, mlir::Value pointer, const std::string &element, const std::string &space,
                int64_t elements);

/// Codes of `bits` as words.
Words wordsOf(const std::vector<uint64_t> &codes, int bits);
Words joined(Words, const Words &);

} // namespace tessera::lower::test
