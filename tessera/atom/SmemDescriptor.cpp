// Matrix descriptors: a layout in units of 16 bytes is recognised as one of the hardware's canonical layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/SmemDescriptor.h"

#include "tessera/atom/Errors.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::atom {

namespace {
using layout::Layout;
using layout::Swizzle;

constexpr int unitBits = 128;
constexpr int64_t unavailable = -1;

/// A swizzle that hardware knows. `width`: units of 16 bytes that it permutes among themselves. `coreK`: rows of K in
/// the canonical layout of an MN-major matrix. The codes stand in bits 62 to 63 (wgmma) and 61 to 63 (tcgen05).
struct SwizzleRow {
  Swizzle swizzle;
  int64_t width, coreK, wgmma, tcgen05;
};
constexpr SwizzleRow swizzles[] = {
    {{0, 4, 3}, 1, 8, 0, 0},
    {{1, 4, 3}, 2, 8, 3, 6},
    {{2, 4, 3}, 4, 8, 2, 4},
    {{3, 4, 3}, 8, 8, 1, 2},
    {{2, 5, 2}, 8, 4, unavailable, 1}, // 128 bytes in atoms of 32
};

/// First bit of each field.
constexpr int leadingBit = 16, strideBit = 32, versionBit = 46, baseBit = 49, wgmmaSwizzleBit = 62, tcgen05SwizzleBit = 61;
constexpr int64_t offsetMask = 0x3fff;

const SwizzleRow *find(DescriptorKind kind, const Swizzle &swizzle) {
  for (const SwizzleRow &row : swizzles)
    if (row.swizzle == swizzle || (swizzle.isIdentity() && row.swizzle.isIdentity()))
      return kind == DescriptorKind::Wgmma && row.wgmma == unavailable ? nullptr : &row;
  return nullptr;
}

/// ((a,b),(c,d)) with four leaves: the canonical form of `units` divided by its atom.
struct Canonical {
  int64_t inner, outer, innerK, outerK; // strides of modes (0,0), (0,1), (1,0) and (1,1)
};
Result<Canonical> canonical(const Layout &units, int64_t atomMn, int64_t atomK, std::string_view major) {
  layout::Const arith;
  std::vector<layout::Tile> atoms = {layout::Tile(Layout{atomMn, 1}), layout::Tile(Layout{atomK, 1})};
  Result<layout::AnyLayout> divided =
      layout::divide(arith, layout::AnyLayout(units), layout::Tile(std::move(atoms)), layout::Grouping::Logical);
  auto isPair = [](const layout::Tree &t) { return t.isTuple() && t.rank() == 2 && t.depth() == 1; };
  if (!divided || !isPair(divided->shape()[0]) || !isPair(divided->shape()[1]))
    return fail(Error::DescriptorProfile, major, layout::str(units));
  const layout::Tree &stride = divided->outer().stride;
  auto at = [&](size_t i, size_t j) { return stride[i][j].leaf().value.value; };
  return Canonical{at(0, 0), at(0, 1), at(1, 0), at(1, 1)};
}
} // namespace

Result<uint64_t> smemDescriptor(DescriptorKind kind, const Layout &tile, const Swizzle &swizzle, int64_t elementBits,
                                Major major) {
  std::string_view name = major == Major::MN ? "MN" : "K";
  const SwizzleRow *row = find(kind, swizzle);
  if (!row)
    return fail(Error::DescriptorSwizzle, kind == DescriptorKind::Wgmma ? "wgmma" : "tcgen05.mma", layout::str(swizzle));
  if (tile.rank() != 2 || !tile.isStatic() || tile.stride.hasBasis())
    return fail(Error::DescriptorTile, layout::str(tile));
  layout::Const arith;
  Result<layout::AnyLayout> recast = layout::recast(arith, layout::AnyLayout(tile), elementBits, unitBits);
  if (!recast)
    return fail(Error::DescriptorUnits, name, layout::str(tile), recast.reason().text);
  const Layout &units = recast->outer();
  bool plain = row->width == 1;
  int64_t leading, stride;
  if (major == Major::MN) {
    TESSERA_TRY(Canonical c, canonical(units, row->width, row->coreK, name));
    if (!plain && c.inner != 1)
      return fail(Error::DescriptorStride, name, 1, c.inner, layout::str(units));
    if (c.innerK != row->width)
      return fail(Error::DescriptorStride, name, row->width, c.innerK, layout::str(units));
    leading = plain ? c.outerK : c.outer;
    stride = plain ? c.outer : c.outerK;
  } else {
    if (kind == DescriptorKind::Tcgen05 && row->coreK != 8)
      return fail(Error::DescriptorSwizzle, "tcgen05.mma on a K-major matrix", layout::str(swizzle));
    layout::Int rows = layout::product(arith, units.shape[0]);
    if (rows.value % 8 != 0)
      return fail(Error::DescriptorRows, rows.value, layout::str(units));
    TESSERA_TRY(Canonical c, canonical(units, 8, 2, name));
    if (c.inner != row->width)
      return fail(Error::DescriptorStride, name, row->width, c.inner, layout::str(units));
    if (!plain && c.innerK != 1)
      return fail(Error::DescriptorStride, name, 1, c.innerK, layout::str(units));
    // Beside a sparse A there are four units, which go on as the first two do: no field says otherwise.
    if (layout::product(arith, units.shape[1]).value > 2 && c.outerK != 2 * c.innerK)
      return fail(Error::DescriptorStride, name, 2 * c.innerK, c.outerK, layout::str(units));
    leading = c.innerK;
    stride = c.outer;
  }
  if (leading > offsetMask || stride > offsetMask || leading < 0 || stride < 0)
    return fail(Error::DescriptorOffset, std::max(leading, stride) * smemAddressUnit, layout::str(units));
  uint64_t word = uint64_t(leading) << leadingBit | uint64_t(stride) << strideBit;
  if (kind == DescriptorKind::Wgmma)
    return word | uint64_t(row->wgmma) << wgmmaSwizzleBit;
  return word | uint64_t(1) << versionBit | uint64_t(row->tcgen05) << tcgen05SwizzleBit;
}

Result<SmemMatrix> smemMatrix(DescriptorKind kind, uint64_t word, Major major) {
  bool wgmma = kind == DescriptorKind::Wgmma;
  auto code = int64_t(wgmma ? word >> wgmmaSwizzleBit : word >> tcgen05SwizzleBit);
  uint64_t base = word >> baseBit & 7;
  const SwizzleRow *row = nullptr;
  for (const SwizzleRow &each : swizzles)
    if ((wgmma ? each.wgmma : each.tcgen05) == code)
      row = &each;
  if (!row || base)
    return fail(Error::DescriptorWord, code, base);
  auto bytes = [&](int bit) { return int64_t(word >> bit & uint64_t(offsetMask)) * smemAddressUnit; };
  int64_t leading = bytes(leadingBit), stride = bytes(strideBit), unit = smemAddressUnit;
  bool plain = row->width == 1, inK = major == Major::K;
  SmemMatrix out;
  out.start = uint32_t(word & smemAddressMask) * smemAddressUnit;
  out.swizzle = row->swizzle;
  out.units = inK ? 1 : row->width;
  out.rows = inK ? 8 : row->coreK;
  out.innerRow = row->width * unit;
  out.outerRow = inK || !plain ? stride : leading;
  out.innerUnit = unit;
  out.outerUnit = inK ? (plain ? leading : unit) : plain ? stride : leading;
  return out;
}

} // namespace tessera::atom
