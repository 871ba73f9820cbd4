// tessera: the one driver, with subcommands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Checks.h"
#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"
#include "tools/version/Version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>

namespace {
struct Command {
  std::string_view name;
  void (*add)(CLI::App &, int &exit);
};
constexpr Command commands[] = {
    {"compile", tessera::cli::addCompile}, {"run", tessera::cli::addRun},
    {"devices", tessera::cli::addDevices}, {"atoms", tessera::cli::addAtoms},
    {"layout", tessera::cli::addLayout},   {"generate", tessera::cli::addGenerate},
    {"sim", tessera::cli::addSim},         {"tile", tessera::cli::addTile},
    {"tune", tessera::cli::addTune},       {"calibrate", tessera::cli::addCalibrate},
};
} // namespace

static int program(int argc, char **argv) {
  CLI::App app("Tessera compiles CuTe IR, runs it, and computes with layouts.");
  app.require_subcommand(1);
  app.set_version_flag("--version", tessera::versionText("tessera"),
                       "Print version, commit, LLVM and kind of build, and exit");
  int exit = tessera::cli::Right;
  // Options cost time. A line that begins with a command needs no others' than its own, and the
  // version none; any other line is about all of them.
  std::string_view first = argc > 1 ? argv[1] : "";
  auto named = [&](const Command &command) { return command.name == first; };
  bool all = first != "--version" && std::ranges::none_of(commands, named);
  for (const Command &command : commands)
    if (all || named(command))
      command.add(app, exit);
  tessera::cli::read(app, tessera::cli::spelledOut(argc, argv), exit);
  return exit;
}

static int guarded(int argc, char **argv) {
  return tessera::cli::withinMemory(argc, argv, program);
}

int main(int argc, char **argv) { return tessera::process::run(argc, argv, guarded); }
