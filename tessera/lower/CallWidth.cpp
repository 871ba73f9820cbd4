// How many elements one call of a copy takes whose atom states no width: derived from both layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/CallWidth.h"

#include "tessera/cute/Types.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/lower/Elements.h"
#include "tessera/lower/expand/Runs.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

namespace tessera::lower {

namespace {
/// One side of a copy: its layout in one domain, and the strides of modes outside of that.
struct Side {
  CuteMemRefType type;
  layout::AnyLayout layout;
  bool whole;

  bool inRegisters() const { return type.getAddressSpace() == AddressSpace::Rmem; }
  const layout::Layout &outer() const { return layout.outer(); }
};

Side sideOf(CuteMemRefType type, bool whole) {
  layout::AnyLayout all = type.getLayout();
  return {type, whole ? all : all.withOuter(all.outer()[0]), whole};
}

/// Whether a number is known to be a multiple of `count`.
bool isMultiple(const layout::Int &x, int64_t count) {
  return (x.isStatic() ? x.value : x.div) % count == 0;
}
bool areMultiples(const layout::Layout &l, int64_t count) {
  std::vector<layout::Leaf> extent = l.shape.leaves(), stride = l.stride.leaves();
  for (size_t i = 0; i < stride.size(); ++i)
    if (!extent[i].value.is(1) && (stride[i].isBasis() || !isMultiple(stride[i].value, count)))
      return false;
  return true;
}

/// Below its lowest bit a swizzle leaves neighbours together.
bool keeps(const layout::Swizzle &swizzle, int64_t count) {
  return swizzle.isIdentity() || count <= int64_t(1) << swizzle.base;
}

/// A side as calls of `tile` and the rest, if that divides it.
std::optional<layout::Layout> dividedBy(const Side &side, const layout::Layout &tile) {
  layout::Symbolic arith;
  const layout::Layout all{layout::Tree::of({side.outer().shape}),
                           layout::Tree::of({side.outer().stride})};
  Result<layout::AnyLayout> divided =
      layout::divide(arith, all, layout::Tile(std::vector<layout::Tile>{tile}),
                     layout::Grouping::Zipped, layout::OpenRest::ByMode);
  return divided ? std::optional(divided->outer()) : std::nullopt;
}

/// Whether such calls each take `count` elements side by side, from an address that is a multiple
/// of them.
bool isAligned(const Side &side, const layout::Layout &calls, int64_t count) {
  int64_t bits = count * bitsOf(side.type.getElementType());
  PtrType pointer = side.type.getPtrType();
  if (bits % 8 != 0 || pointer.getAlignment() * 8 % bits != 0 ||
      !keeps(pointer.getSwizzle(), bits / 8))
    return false;
  if (const layout::Composed *all = side.layout.composed()) {
    if (!all->swizzle() || !keeps(*all->swizzle(), count) || !all->offset.isLeaf() ||
        !isMultiple(all->offset.leaf().value, count))
      return false;
  }
  layout::Symbolic arith;
  if (layout::coalesce(arith, calls[0]) != layout::Layout{count, 1} ||
      !areMultiples(calls[1], count))
    return false;
  const layout::Layout all = side.type.getLayout().outer();
  for (size_t i = 1; !side.whole && i < all.rank(); ++i)
    if (!areMultiples(all[i], count))
      return false;
  return true;
}

/// Whether no two coordinates of a layout are known to have one index.
bool isInjective(const layout::Layout &l) {
  if (!l.isStatic() || l.stride.hasBasis())
    return false;
  std::vector<layout::Leaf> extent = l.shape.leaves(), stride = l.stride.leaves();
  std::vector<std::pair<int64_t, int64_t>> modes; // stride, extent
  for (size_t i = 0; i < stride.size(); ++i)
    if (!extent[i].value.is(1))
      modes.emplace_back(std::abs(stride[i].value.value), extent[i].value.value);
  llvm::sort(modes);
  int64_t reached = 0;
  for (auto [step, count] : modes) {
    if (step <= reached)
      return false;
    reached += step * (count - 1);
  }
  return true;
}

/// The coordinates of elements that lie together on both sides. Registers lie as anybody wants.
layout::Layout together(const Side &src, const Side &dst) {
  const layout::Layout &a = src.inRegisters() ? dst.outer() : src.outer(),
                       &b = dst.inRegisters() ? a : dst.outer();
  layout::Symbolic arith;
  Result<layout::Layout> common = layout::maxCommonLayout(arith, a, b);
  if (!common || !common->isStatic())
    return {1, 0};
  layout::Layout run = layout::coalesce(arith, *common);
  // Calls in another order than that of elements: nobody can tell if what one stores no other call
  // loads, or stores again. Shared memory of the cluster has the block's own.
  AddressSpace from = src.type.getAddressSpace(), to = dst.type.getAddressSpace();
  auto isShared = [](AddressSpace space) {
    return space == AddressSpace::Smem || space == AddressSpace::Dsmem;
  };
  bool apart = src.inRegisters() || dst.inRegisters() ||
               (from == AddressSpace::Gmem && isShared(to)) ||
               (isShared(from) && to == AddressSpace::Gmem);
  if (apart && isInjective(dst.outer()))
    return run;
  layout::Layout first = run[0];
  return first.stride.leaf().is(1) ? first : layout::Layout{1, 0};
}

/// The widest tile of one domain, or one of a single element.
layout::Layout widest(const Side &src, const Side &dst) {
  layout::Symbolic arith;
  layout::Int elements = layout::size(arith, src.outer());
  if (!elements.isStatic() || layout::size(arith, dst.outer()) != elements)
    return {1, 0};
  layout::Layout run = together(src, dst);
  int64_t bits = bitsOf(src.type.getElementType()), size = layout::size(arith, run).value;
  int64_t count = std::min(size & -size, widestAccess / bits);
  for (; count > 1; count /= 2) {
    Result<layout::Layout> tile = layout::composition(arith, run, layout::Layout{count, 1});
    auto takes = [&](const Side &side) {
      std::optional<layout::Layout> calls = dividedBy(side, *tile);
      return calls && (side.inRegisters() || isAligned(side, *calls, count));
    };
    if (tile && takes(src) && takes(dst))
      return *tile;
  }
  return {1, 0};
}
} // namespace

std::optional<WideCall> wideCall(Type atom, Type src, Type dst) {
  auto copy = dyn_cast<cute_nvgpu::UniversalCopyType>(untiled(atom));
  auto from = dyn_cast<CuteMemRefType>(src), to = dyn_cast<CuteMemRefType>(dst);
  if (!copy || copy.getForm().statedBits || !from || !to)
    return std::nullopt;
  Type element = from.getElementType();
  bool registers =
      from.getAddressSpace() == AddressSpace::Rmem && to.getAddressSpace() == AddressSpace::Rmem;
  if (registers || element != copy.getValueType() || element != to.getElementType() ||
      !isMoved(element))
    return std::nullopt;
  layout::Symbolic arith;
  auto sizeOf = [&](const layout::Layout &tile) { return layout::size(arith, tile).value; };
  layout::Layout first = widest(sideOf(from, false), sideOf(to, false)),
                 whole = widest(sideOf(from, true), sideOf(to, true));
  bool isWhole = sizeOf(whole) > sizeOf(first);
  const layout::Layout &tile = isWhole ? whole : first;
  // A value of less than a byte does not come alone.
  if (sizeOf(tile) * bitsOf(element) <= copy.getForm().amount)
    return std::nullopt;
  return WideCall{tile, isWhole};
}

} // namespace tessera::lower
