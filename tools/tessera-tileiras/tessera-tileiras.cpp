// tileiras: stands in for NVIDIA's compiler of tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Guarded.h"
#include "tessera/cli/Cli.h"
#include "tessera/cli/Tileiras.h"
#include "tessera/files/Cleanup.h"
#include "tools/version/Version.h"

#include <cstdlib>

int main(int argc, char **argv) {
  tessera::files::prepareProcess();
  try {
    return tessera::cli::tileiras(argc, argv, tessera::versionText("tessera").c_str());
  } catch (...) {
    // The frames of LLVM in between have released nothing, so nothing of it may be touched again.
    std::_Exit(tessera::cli::fail(tessera::reasonOfException()));
  }
}
