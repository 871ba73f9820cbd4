// Writes pictures to the terminal and to files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Pictures.h"

#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;

namespace {
render::Terminal standardOutput() {
  using llvm::sys::Process;
  render::Terminal terminal;
  terminal.width = 120; // where nobody says: room for the 32 banks
  if (unsigned columns = Process::StandardOutColumns())
    terminal.width = int(columns);
  terminal.colour = Process::StandardOutHasColors() && !Process::GetEnv("NO_COLOR");
  return terminal;
}
} // namespace

void tessera::cli::addPictureOptions(CLI::App &command, PictureOptions &options) {
  command.add_flag("--draw", options.draw, "draw here, in colours if this is a terminal");
  command.add_option("--svg", options.svg, "write the picture to this file as SVG; - is stdout");
  command.add_option("--latex", options.latex,
                     "write the picture to this file as a TikZ document; - is stdout");
}

int tessera::cli::show(const render::Picture &picture, const PictureOptions &options) {
  if (Status written = differ({{"--svg", options.svg}, {"--latex", options.latex}}); !written)
    return fail(written.reason());
  int code = Right;
  if (options.draw)
    llvm::outs() << terminal(picture, standardOutput());
  if (!options.svg.empty())
    code = std::max(code, writeFile(options.svg, svg(picture)));
  if (!options.latex.empty())
    code = std::max(code, writeFile(options.latex, latex(picture)));
  return code;
}
