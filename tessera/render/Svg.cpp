// A scene as SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Result.h"
#include "tessera/render/Decimal.h"
#include "tessera/render/Scene.h"
#include "tessera/render/Writers.h"

namespace tessera::render {

namespace {
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    default: out += c;
    }
  return out;
}

void writeBoxes(std::string &out, const Scene &scene) {
  for (const Box &box : scene.boxes)
    out += cat("<rect x=\"", decimal(box.x), "\" y=\"", decimal(box.y), "\" width=\"",
               decimal(box.width), "\" height=\"", decimal(box.height), "\" fill=\"",
               hex(box.colour), "\"/>\n");
}

/// Strokes of one kind in one path.
void writeStrokes(std::string &out, const Scene &scene) {
  const Stroke *previous = nullptr;
  for (const Stroke &stroke : scene.strokes) {
    if (!previous || previous->width != stroke.width || previous->colour != stroke.colour)
      out +=
          cat(previous ? "\"/>\n" : "", "<path fill=\"none\" stroke-linecap=\"square\" stroke=\"",
              hex(stroke.colour), "\" stroke-width=\"", decimal(stroke.width), "\" d=\"");
    out += cat("M", decimal(stroke.x1), " ", decimal(stroke.y1));
    out += stroke.x1 == stroke.x2 ? cat("V", decimal(stroke.y2)) : cat("H", decimal(stroke.x2));
    previous = &stroke;
  }
  if (previous)
    out += "\"/>\n";
}

/// Words that look alike in one group.
void writeWords(std::string &out, const Scene &scene) {
  constexpr std::string_view anchors[] = {"start", "middle", "end"};
  std::string open;
  for (const Words &words : scene.words) {
    std::string group =
        cat("<g font-size=\"", decimal(words.size), "\" text-anchor=\"", anchors[words.anchor],
            "\" fill=\"", hex(words.colour), words.bold ? "\" font-weight=\"bold" : "", "\">\n");
    if (group != open) {
      out += open.empty() ? "" : "</g>\n";
      out += group;
      open = std::move(group);
    }
    out += cat("<text x=\"", decimal(words.x), "\" y=\"", decimal(words.y), "\">",
               escaped(words.text), "</text>\n");
  }
  out += open.empty() ? "" : "</g>\n";
}
} // namespace

std::string svg(const Picture &picture) {
  Scene scene = arrange(picture);
  std::string width = decimal(scene.width), height = decimal(scene.height);
  std::string out =
      cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
          "\" viewBox=\"0 0 ", width, " ", height,
          "\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n");
  out += cat("<title>", escaped(picture.title), "</title>\n");
  out += cat("<rect width=\"", width, "\" height=\"", height, "\" rx=\"6\" fill=\"", hex(paper),
             "\"/>\n");
  writeBoxes(out, scene);
  writeStrokes(out, scene);
  writeWords(out, scene);
  return out + "</svg>\n";
}

} // namespace tessera::render
