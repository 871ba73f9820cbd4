// Arguments that fit what the names of recorded entries say.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of an entry lists the parameters of its function: `A2f16_1v8l0_2t1_3i16_p16` is an array
// of rank 2 with what is known of its strides (v: divisible, t: constant) and extents (i), `Sf32` a
// scalar, `I128` a constant without a parameter. Source: cuTile Python 1.6,
// compilation/_name_mangling.py.
#pragma once

#include "tessera/tile_bytecode/Program.h"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace tessera::tile_eval::test {

/// Arrays and scalars for the parameters of an entry.
class Arguments {
public:
  /// `extent` is that of each dimension of all arrays; integer scalars are `scalar`. Integers in
  /// arrays are 1 to 7, other numbers between -1 and 1. Empty text: the name and the parameters go
  /// together.
  std::string fill(const tile_bytecode::Program &, const tile_bytecode::Function &, int64_t extent,
                   uint64_t scalar);

  std::vector<uint64_t> values;
  std::deque<std::vector<std::byte>> arrays; // with room before and after what they should have
};

} // namespace tessera::tile_eval::test
