// The box of a TMA instruction, from the layouts of the tensor and of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TmaTiling.h"

#include "tessera/atom/Errors.h"
#include "tessera/layout/Text.h"

#include <numeric>
#include <optional>

namespace tessera::atom {

namespace {
using layout::Arith;
using layout::Int;
using layout::Layout;
using layout::Leaf;
using layout::Path;
using layout::Tree;

/// Hardware: modes of a tensor map, and elements of a box in one mode.
constexpr size_t maxRank = 5;
constexpr int64_t maxBox = 256;

std::vector<int32_t> pathOf(const Path &path) {
  std::vector<int32_t> modes;
  for (size_t i = 0; i < path.size(); ++i)
    modes.push_back(path[i]);
  return modes;
}

/// The leaf of a tensor's layout that a basis names.
Result<Layout> modeAt(const Layout &l, const Leaf &basis) {
  TESSERA_TRY(Layout mode, layout::getMode(l, pathOf(basis.basis)));
  if (!mode.shape.isLeaf())
    return fail(Error::TmaBasisMode, layout::str(Tree(basis)), layout::str(l));
  return mode;
}

bool walksNothing(const Layout &mode) {
  return mode.shape.leaf().is(1) || mode.stride.leaf().is(0);
}

Layout fromModes(std::vector<Tree> shape, std::vector<Tree> stride) {
  return {Tree(std::move(shape)), Tree(std::move(stride))};
}

Result<Layout> recastTo(Arith &arith, const Layout &l, const TmaRequest &request) {
  TESSERA_TRY(layout::AnyLayout recast, layout::recast(arith, layout::AnyLayout(l),
                                                       request.elementBits, request.internalBits));
  return recast.outer();
}

/// Runs of shared memory as runs of modes of the tensor: as many modes as step by one.
Result<Layout> contiguousRuns(Arith &arith, const TmaRequest &request) {
  Layout inverse = layout::rightInverse(arith, request.smem.outer());
  TESSERA_TRY(Layout composed, layout::composition(arith, request.ctaVMap, inverse));
  Layout full = layout::coalesce(arith, composed);
  if (full.shape.isLeaf())
    full = fromModes({full.shape}, {full.stride});
  std::vector<Tree> shape, stride;
  for (size_t i = 0; i < full.rank(); ++i) {
    const Leaf &leaf = full.stride[i].leaf();
    if (!leaf.isBasis() || !leaf.value.is(1))
      break;
    shape.push_back(full.shape[i]);
    stride.push_back(full.stride[i]);
  }
  if (shape.empty())
    return fail(Error::TmaNoRun, layout::str(request.smem), layout::str(request.ctaVMap));
  return fromModes(std::move(shape), std::move(stride));
}

bool names(const Tree &strides, const Leaf &basis) {
  bool found = false;
  strides.forEachLeaf(
      [&](const Leaf &leaf) { found |= leaf.basis == basis.basis && leaf.isBasis(); });
  return found;
}

/// Modes of the tensor that no mode of the box walks, as modes of extent 1.
Result<Layout> withRest(const Layout &tile, const Layout &gmem) {
  std::vector<Tree> shape = tile.shape.modes(), stride = tile.stride.modes();
  const Layout identity = layout::identityLayout(gmem.shape);
  for (const Leaf &basis : identity.stride.leaves()) {
    if (!basis.isBasis()) // a tensor of rank 0
      continue;
    TESSERA_TRY(Layout mode, modeAt(gmem, basis));
    if (walksNothing(mode) || names(tile.stride, basis))
      continue;
    shape.emplace_back(Int(1));
    stride.emplace_back(basis);
  }
  return fromModes(std::move(shape), std::move(stride));
}

/// What each CTA loads: the last modes are shared out first.
Result<std::vector<int64_t>> boxOf(Arith &arith, const Layout &basis, int64_t multicast) {
  std::vector<int64_t> box;
  for (size_t i = 0; i < basis.rank(); ++i)
    box.push_back(layout::product(arith, basis.shape[i]).value);
  for (size_t i = box.size(); i-- > 0 && multicast > 1;) {
    if (box[i] % multicast != 0 && multicast % box[i] != 0)
      return fail(Error::TmaMulticast, multicast, box[i], i);
    int64_t left = (multicast + box[i] - 1) / box[i];
    box[i] = (box[i] + multicast - 1) / multicast;
    multicast = left;
  }
  return box;
}
} // namespace

int64_t TmaTiling::elements() const {
  int64_t count = 1;
  basis.shape.forEachLeaf([&](const Leaf &leaf) { count *= leaf.value.value; });
  return count;
}

Result<TmaTiling> tmaTiling(Arith &arith, const TmaRequest &request) {
  TESSERA_TRY(Layout runs, contiguousRuns(arith, request));
  std::vector<Tree> strides;
  for (size_t i = 0; i < runs.rank(); ++i) {
    TESSERA_TRY(Layout mode, modeAt(request.gmem, runs.stride[i].leaf()));
    strides.push_back(mode.stride);
  }
  TESSERA_TRY(Layout inGmem, recastTo(arith, {runs.shape, Tree(std::move(strides))}, request));
  Layout box = layout::coalesceBounded(arith, inGmem, maxBox);
  Layout modes{layout::wrap(inGmem.shape), runs.stride};
  Layout compact = layout::compactMajor(arith, layout::wrap(box.shape));
  TESSERA_TRY(Layout tile, layout::composition(arith, modes, compact));
  tile = {layout::wrap(tile.shape), layout::wrap(tile.stride)};
  TESSERA_TRY(Layout gmem, recastTo(arith, request.gmem, request));
  TESSERA_TRY(Layout full, withRest(tile, gmem));
  // The last mode is a group even of one, as in CuTe.
  if (full.rank() >= maxRank) {
    TESSERA_TRY(full, layout::groupModes(full, int64_t(maxRank) - 1, int64_t(full.rank())));
  }
  TESSERA_TRY(std::vector<int64_t> boxes, boxOf(arith, full, request.multicast));
  return TmaTiling{std::move(full), std::move(boxes)};
}

Result<std::vector<TmaExtent>> tmaModes(Arith &arith, const TmaRequest &request,
                                        const Layout &basis) {
  TESSERA_TRY(Layout gmem, recastTo(arith, request.gmem, request));
  std::vector<TmaExtent> modes;
  for (size_t i = 0; i < basis.rank(); ++i) {
    std::vector<Leaf> leaves = basis.stride[i].leaves();
    TmaExtent mode{1, 0};
    for (const Leaf &leaf : leaves) {
      TESSERA_TRY(Layout at, modeAt(gmem, leaf));
      Int extent = at.shape.leaf().value, stride = at.stride.leaf().value;
      if (leaves.size() == 1) {
        mode = {extent, stride};
        break;
      }
      // Several modes as one: a mode of their common divisor reaches as far as all of them.
      if (!stride.isStatic() || !mode.stride.isStatic())
        return fail(Error::TmaGroup, layout::str(basis));
      int64_t common = std::gcd(mode.stride.value, stride.value);
      if (common == 0) {
        mode.extent = extent;
        continue;
      }
      Int before = arith.mul(arith.sub(mode.extent, 1), mode.stride.value / common);
      Int here = arith.mul(arith.sub(extent, 1), stride.value / common);
      mode = {arith.add(arith.add(before, here), 1), common};
    }
    modes.push_back(mode);
  }
  return modes;
}

Result<Layout> tmaCoordinates(Arith &arith, const TmaRequest &request, const Layout &basis) {
  TESSERA_TRY(Layout gmem, recastTo(arith, request.gmem, request));
  TESSERA_TRY(std::vector<TmaExtent> modes, tmaModes(arith, request, basis));
  Layout identity = layout::identityLayout(request.gmem.shape);
  const int64_t common = std::gcd(request.elementBits, request.internalBits);
  Int ratio = request.elementBits / common;
  ratio.over = uint16_t(request.internalBits / common);
  Tree strides = identity.stride.map([&](const Leaf &leaf) -> Leaf {
    Result<Layout> mode = modeAt(gmem, leaf);
    if (!mode || walksNothing(*mode))
      return Leaf(0);
    for (size_t j = 0; j < basis.rank(); ++j) {
      if (!names(basis.stride[j], leaf))
        continue;
      Path path;
      path.push(int64_t(j));
      Int scale = 1;
      // Mode 0 is counted in elements of the tensor map, one of which may hold several of ours. Its
      // stride is 1, which may not be known; CuTe C++ has it in the coordinates, too.
      if (j == 0) {
        scale = modeAt(request.gmem, leaf)->stride.leaf().value;
        if (request.internalBits != request.elementBits)
          scale = arith.mul(ratio, scale);
      } else if (basis.stride[j].isTuple() && basis.stride[j].leafCount() > 1) {
        scale = mode->stride.leaf().value.value / modes[j].stride.value;
      }
      return Leaf(scale, path);
    }
    return Leaf(0);
  });
  return Layout{request.gmem.shape, std::move(strides)};
}

//===--- partition ----------------------------------------------------------------------------===//

namespace {
/// (TMA, repetitions) -> coordinates of the tensors' mode 0.
Result<layout::Tile> instructionTile(Arith &arith, const TmaPartition &p) {
  Layout inverse = layout::rightInverse(arith, p.smem.outer()[0]);
  Layout block{layout::wrap(Tree(inverse.shape)), layout::wrap(Tree(inverse.stride))};
  if (block.rank() != 1)
    block = {Tree(std::vector<Tree>{block.shape}), Tree(std::vector<Tree>{block.stride})};
  Tree target = std::vector<Tree>{Tree(layout::product(arith, p.smem.shape()[0]))};
  TESSERA_TRY(layout::AnyLayout whole, layout::tileToShape(arith, layout::AnyLayout(block), target,
                                                           std::vector<Tree>{Tree(Int(0))}));
  TESSERA_TRY(layout::AnyLayout divided,
              layout::divide(arith, layout::AnyLayout(whole.outer()[0]), Layout{p.elements, 1},
                             layout::Grouping::Logical));
  return layout::Tile(divided.outer());
}

Result<layout::Sliced> shareOf(Arith &arith, const layout::AnyLayout &tensor,
                               const layout::Tile &instructions, Int offset) {
  std::vector<layout::Tile> modes = {instructions};
  modes.resize(tensor.rank());
  TESSERA_TRY(layout::AnyLayout composed,
              layout::composition(arith, tensor, layout::Tile(std::move(modes))));
  Layout first = composed.outer()[0];
  TESSERA_TRY(Layout pair, layout::coalesce(arith, first, Tree::of({Int(1), Int(1)})));
  Layout outer = composed.outer();
  TESSERA_TRY(outer, layout::replace(outer, 0, pair));
  std::vector<Tree> coord(outer.rank(), Tree(Int(0)));
  coord[0] = Tree::of({Tree(offset), Int(0)});
  return layout::domainOffset(arith, Tree(std::move(coord)), composed.withOuter(std::move(outer)));
}
} // namespace

Result<std::vector<layout::Sliced>> tmaPartition(Arith &arith, const TmaPartition &p) {
  Int size = layout::product(arith, p.smem.shape()[0]);
  for (const layout::AnyLayout &target : p.targets)
    if (!(layout::product(arith, target.shape()[0]) == size))
      return fail(Error::TmaPartitionSize, layout::str(p.smem.shape()),
                  layout::str(target.shape()));
  TESSERA_TRY(layout::Tile instructions, instructionTile(arith, p));
  TESSERA_TRY(Int ctas, layout::cosize(arith, layout::AnyLayout(p.ctaLayout)));
  TESSERA_TRY(Tree cta, layout::crd2idx(arith, p.ctaCoord, p.ctaLayout));
  Int offset = arith.mul(cta.leaf().value, arith.div(p.elements, ctas));
  std::vector<layout::Sliced> shares;
  TESSERA_TRY(layout::Sliced first, shareOf(arith, p.smem, instructions, offset));
  shares.push_back(std::move(first));
  for (const layout::AnyLayout &target : p.targets) {
    TESSERA_TRY(layout::Sliced share, shareOf(arith, target, instructions, offset));
    shares.push_back(std::move(share));
  }
  return shares;
}

} // namespace tessera::atom
