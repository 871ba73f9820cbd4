// Banks: the number of wavefronts of a warp's access to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory has 32 banks of 4 bytes; byte address a is in bank (a / 4) % 32. A wavefront reads
// or writes one 4-byte word of each bank; threads that want the same word share it. An instruction
// that moves 8 or 16 bytes per thread serves a warp in 2 or 4 phases of 16 or 8 threads, so that a
// phase moves up to 128 bytes; smaller ones have one phase of 32. Source: CUDA C++ Programming
// Guide, shared memory of compute capability 5.x and later; PTX ISA, ldmatrix (the eight rows of a
// matrix are a phase of 16 bytes per thread).
#pragma once

#include "tessera/base/Result.h"
#include "tessera/layout/Layout.h"

#include <string>
#include <vector>

namespace tessera::render {

inline constexpr int64_t bankCount = 32, bankBytes = 4, warpThreads = 32, mostThreads = 1024;

/// How threads access shared memory.
struct ThreadAccess {
  /// (thread, value) -> coordinate of the memory's layout, as an index of its domain. A layout of
  /// one mode has only threads: each starts a whole vector at its coordinate.
  layout::AnyLayout threads;
  int64_t elementBits = 32;
  /// What one instruction moves for a thread: 1, 2, 4, 8 or 16 bytes. 16 for ldmatrix and stmatrix.
  int64_t vectorBytes = 4;
};

/// What one phase of one instruction touches in a bank.
struct Touch {
  int64_t thread, word; // word: byte address / 4
  friend bool operator==(const Touch &, const Touch &) = default;
};

/// Up to 32, 16 or 8 threads of a warp that are served together.
struct Phase {
  int64_t warp, instruction; // the instruction is that for the vector of this index of each thread
  int64_t firstThread, lastThread;
  std::vector<Touch> banks[bankCount]; // by thread
  /// Distinct words of a bank.
  int64_t words(int64_t bank) const;
  /// The most distinct words of any bank.
  int64_t wavefronts() const;
};

/// A bank from which a phase needs more than one word.
struct Collision {
  size_t phase; // index into phases
  int64_t bank, words;
  std::vector<int64_t> threads;
};

struct Conflicts {
  int64_t wavefronts = 0; // all phases together
  int64_t ideal = 0;      // the number of phases: one wavefront each
  int64_t worst = 0;      // the most wavefronts of a phase: 8 is an "8-way conflict"
  std::vector<Phase> phases;
  std::vector<Collision> collisions;
  bool free() const { return wavefronts == ideal; }
};

/// Counts the wavefronts of `access` to shared memory of the given layout (coordinate -> element).
/// Fails for dynamic layouts, for offsets below 0 or with bases, for values that are not an aligned
/// run of a vector's bytes, and for more threads than a block has.
Result<Conflicts> bankConflicts(const layout::AnyLayout &memory, const ThreadAccess &access);

/// "8-way bank conflicts: 32 wavefronts where 4 would do", then a line for each of the first
/// collisions.
std::string describe(const Conflicts &, size_t mostLines = 8);

} // namespace tessera::render
