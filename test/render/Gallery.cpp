// The six pictures of the documentation, made by the library's own functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Gallery.h"

#include "tessera/atom/Registry.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::render::test {

using namespace layout;

namespace {
Result<Picture> nested() {
  TESSERA_TRY(Layout layout, parseLayout("((4,2),(2,4)):((2,8),(1,16))"));
  return drawLayout(layout);
}

/// A row-major matrix in tiles of 4 by 8.
Result<Picture> divided() {
  Const none;
  TESSERA_TRY(Layout matrix, parseLayout("(16,24):(24,1)"));
  TESSERA_TRY(layout::Tile tile, parseTile("[4:1;8:1]"));
  TESSERA_TRY(AnyLayout tiles, layout::divide(none, matrix, tile, Grouping::Logical));
  return drawLayout(tiles);
}

Result<Picture> mma() {
  TESSERA_TRY(const atom::MmaRow *row, atom::findMma("SM80_16x8x16_F32F16F16F32_TN"));
  return drawMma(*row);
}

Result<Picture> copy() {
  TESSERA_TRY(const atom::CopyRow *row, atom::findCopy("SM75_U32x4_LDSM_N"));
  return drawCopy(*row);
}

Result<Picture> banks() {
  // Pairs of the f16 elements of S<3,3,3> o 0 o (8,64):(64,1), one for each bank.
  TESSERA_TRY(AnyLayout memory, parseAnyLayout("S<3,2,3> o 0 o (8,32):(32,1)"));
  return drawBanks(memory, 32);
}

/// ldmatrix reads an 8x8 matrix of a 64-wide f16 tile, eight rows of 16 bytes: without and with the
/// usual swizzle.
Result<Picture> conflicts() {
  TESSERA_TRY(AnyLayout rows, parseAnyLayout("(8,64):(64,1)"));
  TESSERA_TRY(AnyLayout swizzled, parseAnyLayout("S<3,3,3> o 0 o (8,64):(64,1)"));
  TESSERA_TRY(AnyLayout threads, parseAnyLayout("(8,8):(1,8)"));
  ThreadAccess access{threads, 16, 16};
  DrawnAccess both[] = {{rows, access}, {swizzled, access}};
  return drawConflicts(both);
}
} // namespace

Result<std::vector<Exhibit>> gallery() {
  constexpr std::pair<const char *, Result<Picture> (*)()> exhibits[] = {
      {"nested-layout", nested}, {"divided-layout", divided}, {"mma-atom", mma},
      {"copy-atom", copy},       {"shared-memory", banks},    {"bank-conflicts", conflicts}};
  std::vector<Exhibit> all;
  for (auto [file, draw] : exhibits) {
    TESSERA_TRY(Picture picture, draw());
    all.push_back({file, std::move(picture)});
  }
  return all;
}

} // namespace tessera::render::test
