// Explanation: what the compiler decided for a tile program, in words and as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/layout/Layout.h"

#include "mlir/IR/AsmState.h"

#include <string>
#include <vector>

namespace tessera::tile_lower {

/// How one op is implemented.
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
  std::string whyNotPlanned; // why level 0 was used though level 1 was asked for
  int64_t threads = 0;
  int64_t sharedBytes = 0, sharedLimit = 0; // of a block
  int64_t localBytes = 0;                   // of a thread, for tiles that do not fit registers
  std::vector<Decision> products, accesses, loops, hints;
  std::vector<ExplainedTile> tiles; // in the order of the program
};

class Kernel;
/// The explanation of an entry that has become `kernel`. `names` names the values.
Explanation explain(cuda_tile::EntryOp entry, const Kernel &kernel, mlir::AsmState &names);

} // namespace tessera::tile_lower
