// RunTile: `tessera run` of a tile program: one kernel, on a GPU, the simulator or the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Runnable.h"
#include "tessera/run/Tensor.h"
#include "tessera/tile_eval/Launch.h"

namespace tessera::cli {

/// Launches a kernel of the program, whose content is bytecode or text, compares, saves and times;
/// returns an exit code. The content must live as long as this runs.
int runTileOnDevice(RunOptions &, const std::string &content);
/// The same on the interpreter, which has other limits, and no times.
int interpretTile(RunOptions &, const std::string &content, const tile_eval::Options &limits);

/// One call of a kernel, and how long others take.
struct TileTrial {
  double cost = 0; // instructions of warps on the simulator, else milliseconds, the median
  std::vector<run::Tensor> tensors; // all of them, after the first call
};
Result<TileTrial> tryTile(RunOptions &, const std::string &content, int calls);

} // namespace tessera::cli
