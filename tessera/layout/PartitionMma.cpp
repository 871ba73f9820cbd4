// Partitioning for tiled MMAs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Index.h"
#include "tessera/layout/Text.h"

namespace tessera::layout {

namespace {
/// Which of M, N, K (0, 1, 2) the two modes of an operand are.
struct Modes {
  int first, second;
};
Modes modesOf(MmaOperand operand) {
  switch (operand) {
  case MmaOperand::A: return {0, 2};
  case MmaOperand::B: return {1, 2};
  case MmaOperand::C: return {0, 1};
  }
  return {0, 0};
}
int64_t atomExtent(const MmaAtomLayouts &atom, int mode) {
  return mode == 0 ? atom.m : mode == 1 ? atom.n : atom.k;
}
const Layout &fragment(const MmaAtomLayouts &atom, MmaOperand operand) {
  return operand == MmaOperand::A ? atom.a : operand == MmaOperand::B ? atom.b : atom.c;
}
Tile extent(Int size) { return Layout{Tree(size), size.is(1) ? Tree(0) : Tree(1)}; }

/// The tile of a mode: the permutation where there is one, else as much as the atoms cover.
Result<Tile> permutation(Arith &arith, const TiledMma &mma, const Layout &threads, int mode) {
  if (mma.permutation.isTuple() && size_t(mode) < mma.permutation.rank() &&
      !mma.permutation.modes[size_t(mode)].isAny())
    return mma.permutation.modes[size_t(mode)];
  Int atoms = size(arith, threads[size_t(mode) + 1]);
  return extent(arith.mul(atoms, atomExtent(mma.atom, mode)));
}

/// The (V, M, N, K) coordinate of a thread index.
Tree threadCoord(Arith &arith, const Layout &threads, Int thread) {
  Trees modes;
  for (size_t i = 0; i < threads.rank(); ++i) {
    Tree hierarchical = idx2crd(arith, thread, threads[i].shape, threads[i].stride);
    modes.push_back(*crd2idx(arith, hierarchical, compactMajor(arith, threads[i].shape)));
  }
  return modes;
}
} // namespace

Result<Layout> threadLayout(Arith &arith, const TiledMma &mma) {
  TESSERA_TRY(AnyLayout all, product(arith, mma.atom.threads, mma.atomLayout, Grouping::Tiled));
  return all.outer();
}

Result<Int> tileSize(Arith &arith, const TiledMma &mma, int mode) {
  TESSERA_TRY(Layout threads, threadLayout(arith, mma));
  TESSERA_TRY(Tile tile, permutation(arith, mma, threads, mode));
  return size(arith, tile.single);
}

Result<AnyLayout> threadFragments(Arith &arith, const TiledMma &mma, MmaOperand operand,
                                  const AnyLayout &tensor) {
  Modes modes = modesOf(operand);
  TESSERA_TRY(Layout threads, threadLayout(arith, mma));
  TESSERA_TRY(Tile firstTile, permutation(arith, mma, threads, modes.first));
  TESSERA_TRY(Tile secondTile, permutation(arith, mma, threads, modes.second));
  Tile tile = std::vector<Tile>{firstTile, secondTile};
  if (tensor.rank() < 2)
    return fail(Error::PartitionRank, 2, str(tile), str(tensor));
  TESSERA_TRY(AnyLayout permuted, divide(arith, tensor, tile, Grouping::Logical));
  Tile atomTile = std::vector<Tile>{extent(atomExtent(mma.atom, modes.first)),
                                    extent(atomExtent(mma.atom, modes.second))};
  TESSERA_TRY(AnyLayout byAtom, divide(arith, permuted, atomTile, Grouping::Zipped));
  TESSERA_TRY(AnyLayout byThread,
              composition(arith, byAtom,
                          Tile(std::vector<Tile>{Tile(fragment(mma.atom, operand)), Tile()})));
  Tile threadTile = std::vector<Tile>{
      Tile(), Tile(std::vector<Tile>{extent(size(arith, threads[size_t(modes.first) + 1])),
                                     extent(size(arith, threads[size_t(modes.second) + 1]))})};
  return divide(arith, byThread, threadTile, Grouping::Zipped);
}

/// The coordinate of what `thread` has of `fragments`.
static Result<Tree> ownFragment(Arith &arith, const TiledMma &mma, MmaOperand operand,
                                const AnyLayout &fragments, const Tree &thread) {
  TESSERA_TRY(Layout threads, threadLayout(arith, mma));
  Modes modes = modesOf(operand);
  Tree at = threadCoord(arith, threads, thread.leaf().value);
  Tree own =
      Tree::of({at[0], Tree::of({at[size_t(modes.first) + 1], at[size_t(modes.second) + 1]})});
  Tree keep = Leaf::underscore();
  Tree rest = repeat(keep, fragments.outer()[1][1].rank());
  return Tree::of({own, Tree::of({keep, rest})});
}

Result<Sliced> partition(Arith &arith, const TiledMma &mma, MmaOperand operand,
                         const AnyLayout &tensor, const Tree &thread) {
  TESSERA_TRY(AnyLayout fragments, threadFragments(arith, mma, operand, tensor));
  TESSERA_TRY(Tree own, ownFragment(arith, mma, operand, fragments, thread));
  return sliceAndOffset(arith, own, fragments);
}

Result<Sliced> partitionTensor(Arith &arith, const TiledMma &mma, MmaOperand operand,
                               const AnyLayout &tensor, const Tree &thread, bool far) {
  TESSERA_TRY(AnyLayout fragments, threadFragments(arith, mma, operand, tensor));
  TESSERA_TRY(Tree own, ownFragment(arith, mma, operand, fragments, thread));
  return sliceTensor(arith, own, fragments, far);
}

Result<Tree> partitionShape(Arith &arith, const TiledMma &mma, MmaOperand operand,
                            const Tree &shape) {
  TESSERA_TRY(AnyLayout fragments,
              threadFragments(arith, mma, operand, compactMajor(arith, shape)));
  const Tree &values = fragments.shape()[1];
  Trees modes(1, values[0]);
  modes.append(values[1].modes().begin(), values[1].modes().end());
  return Tree(std::move(modes));
}

} // namespace tessera::layout
