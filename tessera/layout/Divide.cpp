// Division of layouts into tiles, in the four groupings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Zip.h"

namespace tessera::layout {

namespace {
Result<Layout> logicalDivide(Arith &arith, const Layout &a, const Layout &tiler) {
  TESSERA_TRY(Layout rest, complement(arith, tiler, coalesce(arith, a).shape));
  return composition(arith, a, concat({tiler, rest}));
}

Result<Layout> logicalDivide(Arith &arith, const Layout &a, const Tile &tiler) {
  if (tiler.isAny())
    return a;
  if (tiler.isLayout())
    return logicalDivide(arith, a, tiler.single);
  if (tiler.rank() > a.rank())
    return fail(Error::TilerRank, tiler.rank(), a.rank());
  std::vector<Layout> modes;
  for (size_t i = 0; i < a.rank(); ++i) {
    TESSERA_TRY(Layout mode, i < tiler.rank() ? logicalDivide(arith, a[i], tiler.modes[i])
                                              : Result<Layout>(a[i]));
    modes.push_back(std::move(mode));
  }
  return concat(modes);
}
} // namespace

Result<AnyLayout> divide(Arith &arith, const AnyLayout &a, const Tile &tiler, Grouping grouping) {
  TESSERA_TRY(Layout divided, logicalDivide(arith, a.outer(), tiler));
  TESSERA_TRY(Layout grouped, regrouped(divided, tiler, grouping));
  return a.withOuter(std::move(grouped));
}

Result<AnyLayout> divide(Arith &arith, const AnyLayout &a, const Layout &tiler, Grouping grouping) {
  return divide(arith, a, Tile(tiler), grouping);
}

} // namespace tessera::layout
