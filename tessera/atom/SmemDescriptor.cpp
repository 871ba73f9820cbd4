// Matrix descriptors: a layout in units of 16 bytes is recognised as one of the hardware's
// canonical layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/SmemDescriptor.h"

#include "tessera/atom/Errors.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <bit>
#include <optional>

namespace tessera::atom {

namespace {
using layout::Layout;
using layout::Swizzle;

constexpr int unitBits = 128;
constexpr int64_t unavailable = -1;

/// A swizzle that hardware knows. `width`: units of 16 bytes that it permutes among themselves.
/// `coreK`: rows of K in the canonical layout of an MN-major matrix. The codes stand in bits 62 to
/// 63 (wgmma) and 61 to 63 (tcgen05).
struct SwizzleRow {
  Swizzle swizzle;
  int64_t width, coreK, wgmma, tcgen05;
};
constexpr SwizzleRow swizzles[] = {
    {{0, 4, 3}, 1, 8, 0, 0}, {{1, 4, 3}, 2, 8, 3, 6},           {{2, 4, 3}, 4, 8, 2, 4},
    {{3, 4, 3}, 8, 8, 1, 2}, {{2, 5, 2}, 8, 4, unavailable, 1}, // 128 bytes in atoms of 32
};

/// First bit of each field.
constexpr int leadingBit = 16, strideBit = 32, versionBit = 46, baseBit = 49, wgmmaSwizzleBit = 62,
              tcgen05SwizzleBit = 61;
constexpr int64_t offsetMask = 0x3fff;
/// Bits of tcgen05's descriptors that are always the same: reserved ones, the version, and from 52
/// on the mode of the leading offset, of which only the relative one is known here, and zeros.
constexpr uint64_t fixedMask = uint64_t(3) << 14 | uint64_t(3) << 30 | uint64_t(7) << versionBit |
                               uint64_t(0x1ff) << 52,
                   fixedBits = uint64_t(1) << versionBit;

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
std::optional<Canonical> canonical(const Layout &units, int64_t atomMn, int64_t atomK) {
  layout::Const arith;
  std::vector<layout::Tile> atoms = {layout::Tile(Layout{atomMn, 1}),
                                     layout::Tile(Layout{atomK, 1})};
  // Extents of 1 are left out beside others, as CUTLASS's composition does it (coalesce_x): three
  // units in (3,1) go on beyond the third like three in 3, and one unit goes on with its stride.
  std::vector<layout::Tree> extents, steps;
  for (size_t i = 0; i < units.shape.rank(); ++i) {
    Layout mode{units.shape[i], units.stride[i]};
    if (layout::product(arith, mode.shape).value != 1)
      mode = layout::coalesce(arith, mode);
    extents.push_back(mode.shape);
    steps.push_back(mode.stride);
  }
  Result<layout::AnyLayout> divided =
      layout::divide(arith, layout::AnyLayout(Layout{layout::Tree(extents), layout::Tree(steps)}),
                     layout::Tile(std::move(atoms)), layout::Grouping::Logical);
  auto isPair = [](const layout::Tree &t) {
    return t.isTuple() && t.rank() == 2 && t.depth() == 1;
  };
  if (!divided || !isPair(divided->shape()[0]) || !isPair(divided->shape()[1]))
    return std::nullopt;
  const layout::Tree &stride = divided->outer().stride;
  auto at = [&](size_t i, size_t j) { return stride[i][j].leaf().value.value; };
  return Canonical{at(0, 0), at(0, 1), at(1, 0), at(1, 1)};
}
/// What the rules look at, each after those before it: a rule may use what earlier ones have found.
struct Facts {
  DescriptorKind kind;
  const Layout &tile;
  const Swizzle &swizzle;
  int64_t bits;
  Major major;
  const SwizzleRow *row = nullptr;
  Layout units = {};
  Canonical c = {};

  bool isUmma() const { return kind == DescriptorKind::Tcgen05; }
  bool inK() const { return major == Major::K; }
  bool plain() const { return row->width == 1; }
  /// The subject of a sentence: GMMA_K, UMMA_MN and so on, as in CUTLASS.
  std::string name() const { return cat(isUmma() ? "UMMA_" : "GMMA_", inK() ? "K" : "MN"); }
  int64_t size(size_t mode) const {
    layout::Const arith;
    return layout::product(arith, units.shape[mode]).value;
  }
  /// Where the canonical layout begins again, in units.
  int64_t leading() const { return inK() ? c.innerK : plain() ? c.outerK : c.outer; }
  int64_t stride() const { return inK() || plain() ? c.outer : c.outerK; }
};
using Refusal = std::optional<Reason>;
Refusal strideFailure(const Facts &f, int64_t expected, int64_t got) {
  return fail(Error::DescriptorStride, f.name(), expected, got, layout::str(f.units));
}

Refusal swizzleIsKnown(Facts &f) {
  f.row = find(f.kind, f.swizzle);
  if (!f.isUmma())
    return f.row ? Refusal() : fail(Error::DescriptorSwizzle, layout::str(f.swizzle));
  // 128 bytes in atoms of 32 are for MN-major operands.
  if (!f.row || (f.inK() && f.row->coreK != 8))
    return fail(Error::UmmaSwizzle, layout::str(f.swizzle), f.inK() ? "" : ", or S<2,5,2>");
  return {};
}
Refusal tileIsStatic(Facts &f) {
  if (f.tile.rank() != 2 || !f.tile.isStatic() || f.tile.stride.hasBasis())
    return fail(Error::DescriptorTile, layout::str(f.tile));
  return {};
}
Refusal unitsAreWhole(Facts &f) {
  layout::Const arith;
  Result<layout::AnyLayout> recast =
      layout::recast(arith, layout::AnyLayout(f.tile), f.bits, unitBits);
  if (!recast)
    return fail(Error::DescriptorUnits, f.name(), layout::str(f.tile), recast.reason().text);
  f.units = recast->outer();
  return {};
}
/// An instruction takes 32 bytes of K, twice that beside a sparse A.
Refusal sizeOfK(Facts &f) {
  constexpr int64_t bitsOfK = 256;
  if (!f.isUmma() || f.inK() || f.size(1) == bitsOfK / f.bits || f.size(1) == 2 * bitsOfK / f.bits)
    return {};
  return fail(Error::UmmaSizeOfK, f.size(1), f.bits);
}
Refusal sizeOfMn(Facts &f) {
  constexpr int64_t multiple = 8;
  if (f.inK() && f.size(0) % multiple != 0)
    return fail(Error::DescriptorRows, f.name(), multiple, f.size(0), layout::str(f.units));
  return {};
}
Refusal profile(Facts &f) {
  std::optional<Canonical> c =
      canonical(f.units, f.inK() ? 8 : f.row->width, f.inK() ? 2 : f.row->coreK);
  if (!c)
    return fail(f.isUmma() ? Error::UmmaProfile : Error::DescriptorProfile, f.name(),
                layout::str(f.units));
  f.c = *c;
  return {};
}
/// The modes inside the canonical layout: of rows (MN units where K comes first), then of units.
Refusal strides(Facts &f) {
  int64_t rows = f.inK() ? f.c.inner : f.c.innerK, units = f.inK() ? f.c.innerK : f.c.inner;
  if (!f.plain() && units != 1)
    return strideFailure(f, 1, units);
  if (rows != f.row->width)
    return strideFailure(f, f.row->width, rows);
  // Beside a sparse A there are four units, which go on as the first two do: no field says
  // otherwise.
  if (f.inK() && f.size(1) > 2 && f.c.outerK != 2 * f.c.innerK)
    return strideFailure(f, 2 * f.c.innerK, f.c.outerK);
  return {};
}
/// Of an operand whose other mode is the contiguous one, K has another size in these units. CUTLASS
/// include/cute/atom/mma_traits_sm90_gmma.hpp, make_gmma_desc. tcgen05 reads 32 bytes of K, 48
/// where K is 96, and twice as many beside a sparse A; copies to tensor memory read 16 or 32. Of
/// four bytes tile has 8 units of K or more.
Refusal sizeFits(Facts &f) {
  constexpr int64_t bitsOfK = 256, mostUnits = 6;
  int64_t dense = f.inK() ? bitsOfK / unitBits : bitsOfK / f.bits, got = f.size(1);
  bool fits = got == dense || got == 2 * dense || (!f.inK() && 2 * got == dense);
  if (fits || (f.isUmma() && got <= mostUnits) || (f.isUmma() && !f.inK()))
    return {};
  return fail(Error::DescriptorSizeOfK, f.name(), dense, 2 * dense, got, layout::str(f.units));
}
Refusal offsetsFit(Facts &f) {
  int64_t least = std::min(f.leading(), f.stride()), most = std::max(f.leading(), f.stride());
  if (most > offsetMask || least < 0)
    return fail(Error::DescriptorOffset, most * smemAddressUnit, layout::str(f.units));
  return {};
}

/// First failure wins. The order is that of the closed compiler's verifier: swizzle, size of K or
/// MN, flat offset mode, stride.
constexpr Refusal (*rules[])(Facts &) = {swizzleIsKnown, tileIsStatic, unitsAreWhole,
                                         sizeOfK,        sizeOfMn,     profile,
                                         strides,        sizeFits,     offsetsFit};
} // namespace

Result<uint64_t> smemDescriptor(DescriptorKind kind, const Layout &tile, const Swizzle &swizzle,
                                int64_t elementBits, Major major) {
  Facts f{kind, tile, swizzle, elementBits, major};
  for (auto rule : rules)
    if (Refusal refusal = rule(f))
      return *std::move(refusal);
  uint64_t word = uint64_t(f.leading()) << leadingBit | uint64_t(f.stride()) << strideBit;
  if (!f.isUmma())
    return word | uint64_t(f.row->wgmma) << wgmmaSwizzleBit;
  return word | uint64_t(1) << versionBit | uint64_t(f.row->tcgen05) << tcgen05SwizzleBit;
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
  if (uint64_t wrong = (word ^ fixedBits) & fixedMask; wrong && !wgmma) {
    int bit = std::countr_zero(wrong);
    return fail(Error::DescriptorFixed, bit, int(word >> bit & 1));
  }
  auto bytes = [&](int bit) {
    return int64_t(word >> bit & uint64_t(offsetMask)) * smemAddressUnit;
  };
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
