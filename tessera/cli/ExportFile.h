// ExportFile: what `tessera compile --emit object` does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Cli.h"

namespace tessera::cli {

struct ExportOptions {
  std::string file, output, header;
  std::vector<std::string> archs; // none: the file's own, else sm_90a
  std::string name;               // in C; none: the file's without its folder and suffix
  driver::CompileOptions compile;
  import::Reading reading;
};
/// Writes an object and its header; returns an exit code, errors went to stderr.
int exportFile(const ExportOptions &);

} // namespace tessera::cli
