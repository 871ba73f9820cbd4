// tileiras: stands in for NVIDIA's compiler of tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Tileiras.h"
#include "tessera/process/Process.h"
#include "tools/version/Version.h"

static int program(int argc, char **argv) {
  return tessera::cli::tileiras(argc, argv, tessera::versionText("tessera").c_str());
}

static int guarded(int argc, char **argv) {
  return tessera::cli::withinMemory(argc, argv, program);
}

int main(int argc, char **argv) { return tessera::process::run(argc, argv, guarded); }
