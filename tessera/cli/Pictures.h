// Pictures: the options of subcommands that draw, and where the drawing goes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/render/Draw.h"

namespace CLI {
class App;
}

namespace tessera::cli {

struct PictureOptions {
  bool draw = false;
  std::string svg, latex;

  bool any() const { return draw || !svg.empty() || !latex.empty(); }
};

/// --draw, --svg FILE and --latex FILE.
void addPictureOptions(CLI::App &command, PictureOptions &options);

/// Draws on stdout, in the terminal's width and with colours if it is a terminal that has them and
/// $NO_COLOR is not set, and writes the files. Returns an exit code; errors went to stderr.
int show(const render::Picture &picture, const PictureOptions &options);

} // namespace tessera::cli
