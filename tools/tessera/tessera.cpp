// tessera: the one driver, with subcommands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Guarded.h"
#include "tessera/cli/Checks.h"
#include "tessera/cli/Cli.h"
#include "tessera/files/Cleanup.h"
#include "tools/version/Version.h"

#include "llvm/Support/ErrorHandling.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <unistd.h>

namespace {

/// What LLVM calls where it has no memory and cannot throw.
void onBadAllocation(void *, const char *, bool) {
  constexpr std::string_view text = "error: memory ran out\n";
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  std::_Exit(tessera::cli::Exhausted);
}

/// Takes a mebibyte of stack while nothing else has memory. A stack that cannot grow ends a program
/// by a signal; all other memory that runs out is an error with an exit code.
[[gnu::noinline]] void takeStack() {
  constexpr size_t bytes = 1 << 20, page = 4096;
  volatile char room[bytes];
  for (size_t i = 0; i < bytes; i += page)
    room[i] = 0;
}

int run(int argc, char **argv) {
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
  try {
    // CLI11 takes words from the back.
    std::vector<std::string> words = tessera::cli::spelledOut(argc, argv);
    app.name(words.front());
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::ParseError &error) {
    exit = error.get_exit_code() == 0 // --help, --version
               ? app.exit(error)
               : tessera::cli::fail(std::string(error.what()) + "; see --help");
  }
  return tessera::cli::finish(exit);
}

} // namespace

int main(int argc, char **argv) {
  takeStack();
  tessera::files::prepareProcess();
  llvm::install_bad_alloc_error_handler(onBadAllocation);
  try {
    return run(argc, argv);
  } catch (...) {
    // The frames of LLVM in between have released nothing, so nothing of it may be touched again.
    std::_Exit(tessera::cli::fail(tessera::reasonOfException()));
  }
}
