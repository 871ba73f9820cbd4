// tessera: the one driver, with subcommands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Checks.h"
#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"
#include "tools/version/Version.h"

#include <CLI/CLI.hpp>

static int program(int argc, char **argv) {
  CLI::App app("Tessera compiles CuTe IR, runs it, and computes with layouts.");
  app.require_subcommand(1);
  app.set_version_flag("--version", tessera::versionText("tessera"),
                       "Print version, commit, LLVM and kind of build, and exit");
  int exit = tessera::cli::Right;
  tessera::cli::addCompile(app, exit);
  tessera::cli::addRun(app, exit);
  tessera::cli::addDevices(app, exit);
  tessera::cli::addAtoms(app, exit);
  tessera::cli::addLayout(app, exit);
  tessera::cli::addGenerate(app, exit);
  tessera::cli::addSim(app, exit);
  tessera::cli::addTile(app, exit);
  tessera::cli::addTune(app, exit);
  tessera::cli::addCalibrate(app, exit);
  tessera::cli::read(app, tessera::cli::spelledOut(argc, argv), exit);
  return exit;
}

static int guarded(int argc, char **argv) {
  return tessera::cli::withinMemory(argc, argv, program);
}

int main(int argc, char **argv) { return tessera::process::run(argc, argv, guarded); }
