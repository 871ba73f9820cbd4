// Layouts in a line of IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lsp/Note.h"

#include "tessera/eval/Report.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"
#include "tessera/render/Draw.h"

#include <vector>

using namespace tessera;

namespace {
constexpr int64_t mostDrawn = 512; // cells that a hover shows
constexpr int drawnWidth = 80, drawnHeight = 24;

/// A quoted layout, with the swizzle that a memref has in front of it.
struct Written {
  size_t begin, end; // of the quotes and what is between them
  layout::AnyLayout value;
};

/// `S<3,4,3>, ` in front of the quotes.
std::optional<layout::Swizzle> swizzleBefore(std::string_view before) {
  size_t end = before.find_last_not_of(' ');
  if (end == before.npos || before[end] != ',')
    return std::nullopt;
  size_t begin = before.rfind("S<", end);
  if (begin == before.npos)
    return std::nullopt;
  Result<layout::Swizzle> swizzle = layout::parseSwizzle(before.substr(begin, end - begin));
  return swizzle ? std::optional(*swizzle) : std::nullopt;
}

std::vector<Written> layoutsIn(std::string_view text) {
  std::vector<Written> found;
  for (size_t begin = text.find('"'); begin != text.npos;) {
    size_t end = text.find('"', begin + 1);
    if (end == text.npos)
      break;
    std::string_view inside = text.substr(begin + 1, end - begin - 1);
    // Without a stride it is a shape, a coordinate or any other string.
    if (inside.find(':') != inside.npos)
      if (Result<layout::AnyLayout> value = layout::parseAnyLayout(inside)) {
        layout::AnyLayout whole = *value;
        std::optional<layout::Swizzle> swizzle = swizzleBefore(text.substr(0, begin));
        if (value->affine() && swizzle)
          whole = layout::Composed{*swizzle, layout::Tree(int64_t(0)), *value->affine()};
        found.push_back({begin, end + 1, whole});
      }
    begin = text.find('"', end + 1);
  }
  return found;
}

std::string described(const layout::AnyLayout &value) {
  std::string text = layout::str(value);
  eval::Evaluation evaluated = eval::evaluate(text);
  std::string note = "```text\n" + (evaluated.ok() ? eval::summary(evaluated) : text);
  while (note.ends_with('\n'))
    note.pop_back();
  render::Output output;
  output.terminal = {drawnWidth, drawnHeight, false};
  layout::Symbolic arith;
  layout::Int cells = layout::size(arith, value.outer());
  if (cells.isStatic() && cells.value <= mostDrawn)
    if (Result<std::string> drawn = render::draw(value, output)) {
      // The picture's first line repeats the layout.
      note += "\n\n" + drawn->substr(drawn->find('\n') + 1);
      while (note.ends_with('\n'))
        note.pop_back();
    }
  return note + "\n```";
}

/// From `!cute` to the bracket that closes, around a column.
std::optional<std::pair<size_t, size_t>> typeAround(std::string_view line, size_t column) {
  for (size_t begin = line.rfind("!cute", column); begin != line.npos;
       begin = begin ? line.rfind("!cute", begin - 1) : line.npos) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = begin; i < line.size(); ++i) {
      char c = line[i];
      quoted ^= c == '"';
      if (quoted)
        continue;
      depth += c == '<';
      bool arrow = c == '>' && i > 0 && line[i - 1] == '-';
      depth -= c == '>' && !arrow;
      bool ends = depth < 0 || (depth == 0 && (c == '>' || c == ' ' || c == ',' || c == ')'));
      if (ends && !(c == ' ' && i == begin)) {
        if (column <= i && c == '>')
          return std::pair(begin, i + 1);
        break;
      }
    }
  }
  return std::nullopt;
}
} // namespace

std::optional<std::string> lsp::noteAt(std::string_view line, size_t column) {
  for (const Written &written : layoutsIn(line))
    if (written.begin <= column && column < written.end)
      return described(written.value);
  if (auto type = typeAround(line, column))
    return noteOf(line.substr(type->first, type->second - type->first));
  return std::nullopt;
}

std::optional<std::string> lsp::noteOf(std::string_view text) {
  std::vector<Written> found = layoutsIn(text);
  return found.empty() ? std::nullopt : std::optional(described(found.back().value));
}
