// A scene as a TikZ picture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Result.h"
#include "tessera/render/Decimal.h"
#include "tessera/render/Scene.h"
#include "tessera/render/Writers.h"

#include <set>

namespace tessera::render {

namespace {
// Characters that are plain text for us but not for LaTeX.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"^", "\\^{}"},
    {"_", "\\_"},
    {"~", "\\~{}"},
    {"%", "\\%"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"×", "$\\times$"},
    {"→", "$\\to$"},
    {"…", "\\ldots{}"},
    {"·", "$\\cdot$"},
    {"–", "--"},
    {"≤", "$\\le$"},
};

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::string_view from = text.substr(0, 1), to = from;
    for (auto [character, spelling] : spellings)
      if (text.starts_with(character))
        from = character, to = spelling;
    out += to;
    text.remove_prefix(from.size());
  }
  return out;
}

/// "c77aadd", the name under which a colour is defined.
std::string named(Rgb colour) { return "c" + hex(colour).substr(1); }

void writeColours(std::string &out, const Scene &scene) {
  std::set<std::string> used;
  for (const Box &box : scene.boxes)
    used.insert(hex(box.colour));
  for (const Stroke &stroke : scene.strokes)
    used.insert(hex(stroke.colour));
  for (const Words &words : scene.words)
    used.insert(hex(words.colour));
  for (std::string colour : used) {
    colour.erase(0, 1);
    std::string capitals = colour;
    for (char &c : capitals)
      c = c >= 'a' ? char(c - 'a' + 'A') : c;
    out += cat("\\definecolor{c", colour, "}{HTML}{", capitals, "}\n");
  }
}
} // namespace

std::string latex(const Picture &picture) {
  constexpr std::string_view anchors[] = {"base west", "base", "base east"};
  Scene scene = arrange(picture);
  std::string out = "% Drawn by Tessera. pdflatex turns it into a page of the picture's size.\n"
                    "\\documentclass[tikz,border=2pt]{standalone}\n"
                    "\\usepackage[T1]{fontenc}\n\\usepackage[scaled]{helvet}\n"
                    "\\renewcommand{\\familydefault}{\\sfdefault}\n";
  writeColours(out, scene);
  // A pixel is 0.75 points of PostScript.
  out +=
      "\\begin{document}\n\\begin{tikzpicture}[x=0.75bp,y=-0.75bp,inner sep=0pt,outer sep=0pt]\n";
  for (const Box &box : scene.boxes)
    out +=
        cat("\\fill[", named(box.colour), "] (", decimal(box.x), ",", decimal(box.y),
            ") rectangle (", decimal(box.x + box.width), ",", decimal(box.y + box.height), ");\n");
  for (const Stroke &stroke : scene.strokes)
    out += cat("\\draw[", named(stroke.colour), ",line width=", decimal(stroke.width),
               "*0.75bp,line cap=rect] (", decimal(stroke.x1), ",", decimal(stroke.y1), ") -- (",
               decimal(stroke.x2), ",", decimal(stroke.y2), ");\n");
  for (const Words &words : scene.words)
    out += cat("\\node[anchor=", anchors[words.anchor], ",text=", named(words.colour),
               ",font=\\fontsize{", decimal(words.size * 0.75), "bp}{", decimal(words.size * 0.9),
               "bp}\\selectfont", words.bold ? "\\bfseries" : "", "] at (", decimal(words.x), ",",
               decimal(words.y), ") {", escaped(words.text), "};\n");
  return out + "\\end{tikzpicture}\n\\end{document}\n";
}

} // namespace tessera::render
