// TuneFile: `tessera tune FILE`, which tries values for named places of a kernel's file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/CompileCache.h"
#include "tessera/import/Version.h"
#include "tessera/run/Compare.h"

#include <string>
#include <vector>

namespace tessera::cli {

struct FileTuning {
  std::string file, entry, device = "gpu", output, arch;
  std::vector<std::string> parameters, arguments, simArguments;
  run::Tolerance tolerance;
  int limit = 0, calls = 30;
  double timeout = 120; // seconds, for a call
  bool noHostCode = false;
  std::vector<uint32_t> grid, simGrid; // of a tile program
  import::Reading reading;
  CacheOptions cache;
};

/// Each combination of values is put into the text, which is read with the types that follow from
/// it (--reinfer). A combination is dropped if it cannot be read, does not compile, fails on the
/// simulator, or gives other numbers there than the original file; the others are measured on the
/// device. Each is also tried with --hold-back-loads, if that changes its code. Of a tile program
/// hints are parameters too, also where the file has none. Returns an exit code.
int tuneFile(const FileTuning &);

} // namespace tessera::cli
