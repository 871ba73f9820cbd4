// Values of a file with layouts, by their lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/FileValues.h"

#include "tessera/cli/Cli.h"
#include "tessera/cli/Content.h"
#include "tessera/cute/Cute.h"
#include "tessera/driver/Registration.h"
#include "tessera/import/Definitions.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <charconv>
#include <vector>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Place {
  std::string file;
  unsigned line = 0, column = 0; // 0: none given
};

/// A number after the last colon, which is cut off; 0 if there is none.
unsigned cutNumber(std::string &text) {
  size_t colon = text.rfind(':');
  unsigned number = 0;
  if (colon == text.npos || colon + 1 == text.size())
    return 0;
  const char *end = text.data() + text.size();
  std::from_chars_result read = std::from_chars(text.data() + colon + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end)
    return 0;
  text.resize(colon);
  return number;
}

Result<Place> placeOf(const std::string &text) {
  Place place{text};
  unsigned last = cutNumber(place.file), before = last ? cutNumber(place.file) : 0;
  place.line = before ? before : last;
  place.column = before ? last : 0;
  if (!place.line)
    return Reason{"Place", cat("--from expects FILE:LINE or FILE:LINE:COLUMN, but got ", text)};
  return place;
}

/// The elements of a tile of two modes: "16x8" of [16:1;8:1]. Empty for other tiles.
std::string elements(const layout::Tile &tile) {
  layout::Symbolic arith;
  std::string text;
  for (const layout::Tile &mode : tile.modes) {
    if (!mode.isLayout())
      return {};
    text += cat(text.empty() ? "" : "x", layout::size(arith, mode.single).value);
  }
  return tile.modes.size() == 2 ? text : std::string();
}

/// The tiled MMA's thread-value layout of an operand, over its tile.
FileValue tiledMma(cute::TiledMmaType type, layout::MmaOperand operand) {
  layout::Symbolic arith;
  layout::TiledMma tiled = cute::tiledMmaOf(type);
  using enum layout::MmaOperand;
  Result<layout::Int> rows = layout::tileSize(arith, tiled, operand == B ? 1 : 0),
                      columns = layout::tileSize(arith, tiled, operand == C ? 1 : 2);
  if (!rows || !columns)
    return {};
  layout::Layout tile(layout::Tree::of({*rows, *columns}),
                      layout::Tree::of({layout::Int(1), *rows}));
  Result<layout::AnyLayout> values = layout::threadFragments(arith, tiled, operand, tile);
  if (!values)
    return {};
  return {{}, {}, layout::str(*values), cat(rows->value, "x", columns->value)};
}

/// What there is to draw of a type; no expression if there is nothing.
FileValue drawable(mlir::Type type, layout::MmaOperand operand) {
  using namespace cute;
  auto plain = [](const auto &value) { return FileValue{{}, {}, layout::str(value), {}}; };
  return llvm::TypeSwitch<mlir::Type, FileValue>(type)
      .Case<LayoutType, TileType, SwizzleType, IntTupleType, ShapeType, StrideType, CoordType>(
          [&](auto t) { return plain(t.getValue()); })
      .Case([&](ComposedLayoutType t) { return plain(layout::AnyLayout(t.getValue())); })
      .Case([&](TiledCopyType t) {
        FileValue value = plain(t.getLayoutCopyTv().getValue());
        value.tile = elements(t.getTilerMn().getValue());
        return value;
      })
      .Case([&](TiledMmaType t) { return tiledMma(t, operand); })
      .Case([&](ViewType t) { return plain(t.getViewLayout()); })
      .Default(FileValue{});
}

} // namespace

Result<FileValue> tessera::cli::valueAt(const std::string &text, layout::MmaOperand operand,
                                        import::Reading how) {
  TESSERA_TRY(Place place, placeOf(text));
  std::unique_ptr<llvm::MemoryBuffer> input = readInput(place.file);
  if (!input)
    return Reason{"Said", ""};
  if (std::string why = notMlir(input->getBuffer()); !why.empty())
    return Reason{"NotMlir", cat(place.file, ": ", why)};
  mlir::DialectRegistry all, own;
  driver::registerAllDialects(all);
  driver::registerOwnDialects(own);
  mlir::MLIRContext context(all, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(input), {});
  Diagnostics diagnostics(source, context);

  struct Found {
    unsigned column, number;
    FileValue value;
  };
  std::vector<Found> found;
  unsigned others = 0; // values of the line without a layout
  if (failed(import::definitions(source, context, own, how, [&](const import::Definition &one) {
        if (one.line != place.line || one.isUse)
          return;
        FileValue value = drawable(one.type, operand);
        others += value.expression.empty();
        if (value.expression.empty())
          return;
        value.name = one.name.str() + (one.number ? cat("#", one.number) : "");
        llvm::raw_string_ostream(value.type) << one.type;
        found.push_back({one.column, one.number, std::move(value)});
      })))
    return Reason{"Said", ""};
  std::sort(found.begin(), found.end(), [](const Found &a, const Found &b) {
    return std::pair(a.column, a.number) < std::pair(b.column, b.number);
  });
  if (place.column) {
    auto after = std::find_if(found.begin(), found.end(),
                              [&](const Found &one) { return one.column > place.column; });
    if (after != found.begin()) {
      unsigned column = std::prev(after)->column;
      std::erase_if(found, [&](const Found &one) { return one.column != column; });
    }
  }
  if (found.empty())
    return Reason{"NoValue",
                  cat(place.file, ":", place.line, " defines ",
                      others ? "no value with a layout; a number, a pointer or an atom has none"
                             : "no value; name the line where one is defined")};
  if (found.size() == 1)
    return std::move(found.front().value);
  std::string list;
  for (const Found &one : found)
    list += cat("\n  ", place.file, ":", place.line, ":", one.column, "  ", one.value.name, " : ",
                one.value.type);
  return Reason{"ManyValues", cat(place.file, ":", place.line, " defines ", found.size(),
                                  " values; choose one by its column:", list)};
}
