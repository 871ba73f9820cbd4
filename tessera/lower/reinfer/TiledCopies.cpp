// What an edited tiled copy leaves out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/reinfer/TiledCopies.h"

#include "tessera/cute/Cute.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Text.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace {
/// The indices of a layout that lie below `limit`. Nothing for strides that are dynamic, negative
/// or bases.
std::optional<llvm::BitVector> reached(const layout::Layout &l, int64_t limit) {
  llvm::BitVector indices(limit);
  indices.set(0);
  std::vector<layout::Leaf> shape = l.shape.leaves(), stride = l.stride.leaves();
  for (size_t i = 0; i < shape.size(); ++i) {
    const layout::Int extent = shape[i].value, step = stride[i].value;
    if (!extent.isStatic() || !step.isStatic() || stride[i].isBasis() || step.value < 0)
      return std::nullopt;
    if (step.is(0))
      continue;
    llvm::BitVector once = indices;
    for (int64_t n = 1; n < extent.value && once.any(); ++n) {
      if (step.value >= limit)
        break;
      once <<= unsigned(step.value);
      indices |= once;
    }
  }
  return indices;
}

/// How many elements a tile has; nothing where it keeps a mode, or is dynamic.
std::optional<int64_t> sizeOf(layout::Arith &arith, const layout::Tile &tile) {
  if (!tile.isStatic() || tile.isAny())
    return std::nullopt;
  if (tile.isLayout())
    return layout::product(arith, tile.single.shape).value;
  int64_t size = 1;
  for (const layout::Tile &mode : tile.modes) {
    std::optional<int64_t> extent = sizeOf(arith, mode);
    if (!extent)
      return std::nullopt;
    size = arith.mul(size, *extent).value;
  }
  return size;
}

std::optional<std::string> unreached(TiledCopyType copy) {
  layout::Symbolic arith;
  const layout::Layout tv = copy.getLayoutCopyTv().getValue();
  const std::optional<int64_t> elements = sizeOf(arith, copy.getTilerMn().getValue());
  constexpr int64_t largest = 1 << 20;
  if (!elements || *elements < 1 || *elements > largest)
    return std::nullopt;
  std::optional<llvm::BitVector> indices = reached(tv, *elements);
  if (!indices)
    return std::nullopt;
  if (Result<layout::Int> end = layout::cosize(arith, tv); end && end->value > *elements)
    return cat("reach index ", end->value - 1, ", which is past the ", *elements,
               " elements of its tile");
  if (indices->all())
    return std::nullopt;
  return cat("reach ", indices->count(), " of the ", *elements,
             " elements of its tile; the others are not copied");
}
} // namespace

void tessera::lower::warnOfUnreached(ModuleOp module) {
  llvm::DenseSet<Type> said;
  module.walk([&](MakeTiledCopyOp op) {
    auto copy = dyn_cast<TiledCopyType>(op.getType());
    if (!copy || !said.insert(copy).second)
      return;
    if (std::optional<std::string> what = unreached(copy))
      op.emitWarning() << "the threads and values of " << Type(copy) << " " << *what;
  });
}
