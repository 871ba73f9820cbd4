// Explanation: what the compiler decides of a tile program, in words and as data, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/layout/Layout.h"

#include "mlir/IR/AsmState.h"

#include <string>
#include <vector>

namespace tessera::tile_lower {

/// How one op is done.
struct Decision {
  std::string op;  // "%12 = mmaf, 128x64 by 64x128"
  std::string way; // "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16, A and B from ..."
};

/// A tile in registers.
struct ExplainedTile {
  std::string name, type; // "%12", "tile<128x128xf32>"
  int64_t rows, columns;  // all dimensions before the last one are rows
  int64_t registers;      // elements that a thread has
  layout::Layout layout;  // (thread, register) -> element, counted down the rows first
};

struct Explanation {
  std::string kernel;
  int level = 0;
  std::string whyNotPlanned; // at level 0, where level 1 was asked for
  int64_t threads = 0;
  int64_t sharedBytes = 0, sharedLimit = 0; // a block's
  int64_t localBytes = 0;                   // a thread's, of tiles that do not fit registers
  std::vector<Decision> products, accesses, loops, hints;
  std::vector<ExplainedTile> tiles; // in the order of the program
};

class Kernel;
/// Of an entry that has become `kernel`; names of values are those of `names`.
Explanation explain(cuda_tile::EntryOp entry, const Kernel &kernel, mlir::AsmState &names);

} // namespace tessera::tile_lower
