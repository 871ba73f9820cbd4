// The products of a warpgroup that are tested: sweeps over the rows of sm90.mma and sm90.mma_sp,
// as a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/atom/Product.h"

#include <string>
#include <vector>

namespace tessera::lower::test {

/// One product: a row, N, which mode of A and B is contiguous in shared memory, and how wide its
/// swizzle is.
struct GroupCase {
  const atom::MmaRow *row;
  int n;
  atom::Major aMajor, bMajor;
  int width; // units of 16 bytes that the swizzle permutes: 1 (none), 2, 4 or 8
  int block; // the instruction's part of a swizzled row along K: descriptors advance inside of
             // swizzles
  atom::test::Variant variant;
  int selector; // of a sparse A's metadata
  bool sampled; // assembled even where nothing can run it

  /// Units along K of one instruction; of a sparse A half of B's are stored, which are 2.
  int unitsOfB() const { return row->sparsity.isSparse() ? 4 : 2; }
  std::string str() const;
};

/// All of them: every sweep for every row it is meant for, except for what the row does not have.
std::vector<GroupCase> groupCases();

} // namespace tessera::lower::test
