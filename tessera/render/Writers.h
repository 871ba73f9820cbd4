// Writers: a picture as text for a terminal, as SVG and as LaTeX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/render/Picture.h"

namespace tessera::render {

struct Terminal {
  int width = 100;     // columns; what is wider is elided
  int height = 100;    // rows of one panel; what is higher is elided
  bool colour = false; // ANSI escapes of 256 colours
};

/// Lines in UTF-8. Panels that do not fit beside each other come one below the other.
std::string terminal(const Picture &, const Terminal & = {});
/// A standalone document without scripts or fonts of its own, on its own white ground.
std::string svg(const Picture &);
/// A standalone TikZ document for pdflatex.
std::string latex(const Picture &);

} // namespace tessera::render
