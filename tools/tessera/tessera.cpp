// tessera: the one driver, with subcommands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  CLI::App app("Tessera compiles CuTe IR, runs it, and computes with layouts.");
  app.require_subcommand(1);
  int exit = tessera::cli::Right;
  tessera::cli::addCompile(app, exit);
  tessera::cli::addRun(app, exit);
  tessera::cli::addDevices(app, exit);
  tessera::cli::addAtoms(app, exit);
  tessera::cli::addLayout(app, exit);
  tessera::cli::addGenerate(app, exit);
  tessera::cli::addSim(app, exit);
  tessera::cli::addTune(app, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? tessera::cli::Right : tessera::cli::BadInput;
  }
  return exit;
}
