// Partitioning for tiled copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Errors.h"
#include "tessera/layout/Index.h"
#include "tessera/layout/Text.h"
#include "tessera/layout/ThreadValues.h"
#include "tessera/layout/Zip.h"

namespace tessera::layout {

namespace {
Tile extents(std::initializer_list<Int> sizes) {
  std::vector<Tile> modes;
  for (Int size : sizes)
    modes.push_back(Layout{Tree(size), size.is(1) ? Tree(0) : Tree(1)});
  return Tile(std::move(modes));
}
} // namespace

Result<Layout> threadValueToTile(Arith &arith, const TiledCopy &copy, CopySide side) {
  const CopyAtomLayouts &atom = copy.atom;
  Int atomThreads = size(arith, atom.ref[0]), atomValues = size(arith, atom.ref[1]);
  // ((atom thread, atom value), (rest threads, rest values)) -> tile
  TESSERA_TRY(AnyLayout divided,
              divide(arith, copy.layoutTV, extents({atomThreads, atomValues}), Grouping::Zipped));
  // Reference (thread, value) of the atom replaced by those of the side in question.
  const Layout &own = side == CopySide::Src ? atom.src : atom.dst;
  TESSERA_TRY(Layout toReference, composition(arith, rightInverse(arith, atom.ref), own));
  TESSERA_TRY(AnyLayout onSide,
              composition(arith, divided, Tile(std::vector<Tile>{Tile(toReference), Tile()})));
  const Layout &l = onSide.outer();
  // ((thread, rest threads), (value, rest values)), each as simple as it gets
  Layout zipped = sideBySide({sideBySide({l[0][0], l[1][0]}), sideBySide({l[0][1], l[1][1]})});
  return coalesce(arith, zipped, Tree::of({Tree(1), Tree::of({Tree(1), Tree(1)})}));
}

Result<AnyLayout> threadFragments(Arith &arith, const TiledCopy &copy, CopySide side,
                                  const AnyLayout &tensor) {
  if (tensor.rank() < copy.tiler.rank())
    return fail(Error::PartitionRank, copy.tiler.rank(), str(copy.tiler), str(tensor));
  TESSERA_TRY(AnyLayout tiled, divide(arith, tensor, copy.tiler, Grouping::Zipped));
  TESSERA_TRY(Layout toTile, threadValueToTile(arith, copy, side));
  TESSERA_TRY(AnyLayout fragments,
              composition(arith, tiled, Tile(std::vector<Tile>{Tile(toTile), Tile()})));
  const Layout &l = fragments.outer();
  return fragments.withOuter(sideBySide({l[0][0], l[0][1], l[1]}));
}

/// The coordinate of what `thread` has of `fragments`.
static Tree ownFragment(const AnyLayout &fragments, const Tree &thread) {
  Tree keep = Leaf::underscore();
  Tree rest =
      fragments.outer()[2].shape.isTuple() ? repeat(keep, fragments.outer()[2].rank()) : keep;
  return Tree::of({thread, keep, rest});
}

Result<Sliced> partition(Arith &arith, const TiledCopy &copy, CopySide side,
                         const AnyLayout &tensor, const Tree &thread) {
  TESSERA_TRY(AnyLayout fragments, threadFragments(arith, copy, side, tensor));
  return sliceAndOffset(arith, ownFragment(fragments, thread), fragments);
}

Result<Sliced> partitionTensor(Arith &arith, const TiledCopy &copy, CopySide side,
                               const AnyLayout &tensor, const Tree &thread, bool far) {
  TESSERA_TRY(AnyLayout fragments, threadFragments(arith, copy, side, tensor));
  return sliceTensor(arith, ownFragment(fragments, thread), fragments, far);
}

Result<Layout> retile(Arith &arith, const TiledCopy &copy, const Layout &fragment) {
  auto compact = [](Int extent) { return Layout{Tree(extent), extent.is(1) ? Tree(0) : Tree(1)}; };
  // The first size<0>(fragment) values of each thread, in the order in which the tile holds them.
  Int values = size(arith, fragment[0]);
  Int threads = size(arith, copy.layoutTV[0]), atomValues = size(arith, copy.atom.ref[1]);
  Trees tileShape;
  for (size_t i = 0; i < copy.tiler.rank(); ++i)
    tileShape.emplace_back(
        size(arith, copy.tiler.isTuple() ? copy.tiler.modes[i].single : copy.tiler.single));
  Tree shapeMN = copy.tiler.isTuple() ? Tree(tileShape) : tileShape[0];
  TESSERA_TRY(Layout tileToTV,
              composition(arith, rightInverse(arith, copy.layoutTV), compactMajor(arith, shapeMN)));
  TESSERA_TRY(
      Layout valuesInTile,
      upcast(arith, tileToTV, arith.mul(threads, values).value)); // (m,n) -> group of values
  TESSERA_TRY(AnyLayout byGroup, product(arith, compact(values), rightInverse(arith, valuesInTile),
                                         Grouping::Logical));
  TESSERA_TRY(AnyLayout toFragment, divide(arith, byGroup, compact(atomValues), Grouping::Zipped));

  std::vector<Int> tile = {values};
  Tree groups = productEach(arith, valuesInTile.shape);
  for (size_t i = 0; i < groups.rank(); ++i)
    tile.push_back(groups[i].leaf().value);
  std::vector<Tile> tileModes;
  for (Int extent : tile)
    tileModes.push_back(compact(extent));
  TESSERA_TRY(AnyLayout tiled, divide(arith, fragment, Tile(tileModes), Grouping::Zipped));
  TESSERA_TRY(AnyLayout byValue,
              composition(arith, tiled, Tile(std::vector<Tile>{Tile(toFragment.outer()), Tile()})));
  std::vector<Layout> modes = {byValue.outer()[0]};
  const Layout rest = byValue.outer()[1];
  for (size_t i = 1; i < rest.rank(); ++i) // mode 0 of the rest has extent 1
    modes.push_back(rest[i]);
  return sideBySide(modes);
}

} // namespace tessera::layout
