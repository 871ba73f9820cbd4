// RunTile: `tessera run --device interp`: a kernel of a tile program over arrays of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Checks.h"
#include "tessera/tile_eval/Launch.h"

#include <string>
#include <vector>

namespace tessera::cli {

/// The options of `run` for a tile program.
struct TileRun {
  std::string file, kernel; // any unique part of the kernel's name
  std::vector<uint32_t> grid;
  std::vector<std::string> arguments; // as Argument.h reads them
  tile_eval::Options limits;
  uint64_t outputBytes; // to show of the kernel's output
};

/// Runs it, compares and saves; returns an exit code. `arrays` are numbered like the arguments.
int runTile(const TileRun &, Checks &);

/// Whether a file begins as a tile program does.
bool isTileProgram(std::string_view file);

} // namespace tessera::cli
