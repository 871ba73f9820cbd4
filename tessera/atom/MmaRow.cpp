// Names, layouts and ranges of MMA rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/MmaRow.h"

#include "tessera/atom/Errors.h"
#include "tessera/layout/Text.h"

#include <cassert>

namespace tessera::atom {

namespace {
constexpr std::string_view families[] = {
    "atom.universal_fma", "sm80.mma",     "sm80.sparse_mma", "sm89.mma",       "sm90.mma",
    "sm90.mma_sp",        "sm100.mma",    "sm100.mma_sp",    "sm100.mma_bs",   "sm100.mma_bs_sp",
    "SM120.mma",          "SM120.mma_sp", "SM120.mma_bs",    "SM120.mma_bs_sp"};
constexpr Spelling<MmaKind> kinds[] = {
    {MmaKind::None, ""},     {MmaKind::F16, "f16"},
    {MmaKind::Tf32, "tf32"}, {MmaKind::F8f6f4, "f8f6f4"},
    {MmaKind::I8, "i8"},     {MmaKind::Mxf8f6f4, "mxf8f6f4"},
    {MmaKind::Mxf4, "mxf4"}, {MmaKind::Mxf4nvf4, "mxf4nvf4"},
};
constexpr Spelling<Residency> residencies[] = {{Residency::Smem, "smem", "ss"},
                                               {Residency::Rmem, "rmem", "rs"},
                                               {Residency::Tmem, "tmem", "ts"}};
constexpr Spelling<Major> majors[] = {{Major::K, "k"}, {Major::MN, "mn"}, {Major::Any, "any", ""}};
constexpr Spelling<Overflow> overflows[] = {{Overflow::Wrapped, "wrapped"},
                                            {Overflow::Satfinite, "satfinite"}};
constexpr Spelling<BitOp> bitOps[] = {
    {BitOp::None, "none"}, {BitOp::XorPopc, "xor_popc"}, {BitOp::AndPopc, "and_popc"}};
constexpr Spelling<Metadata> metadata[] = {
    {Metadata::None, "none", ""}, {Metadata::Plain, "tid"}, {Metadata::Ordered, "ordered"}};
constexpr Spelling<Recipe> recipes[] = {
    {Recipe::Fma, "fma"},
    {Recipe::MmaSync, "mma_sync"},
    {Recipe::MmaSparse, "mma_sparse"},
    {Recipe::BlockScale, "block_scale"},
    {Recipe::BlockScaleSparse, "block_scale_sparse"},
    {Recipe::Wgmma, "wgmma"},
    {Recipe::Umma, "umma"},
};
constexpr Spelling<Route> routes[] = {
    {Route::Nvvm, "nvvm"}, {Route::Intrinsic, "intrinsic"}, {Route::Asm, "asm"}};

struct RegisterRow {
  std::string_view ptx;
  int bits;
};
constexpr RegisterRow registerTypes[] = {{"", 0},     {"b16", 16}, {"b32", 32},
                                         {"b64", 64}, {"f32", 32}, {"f64", 64}};

std::string replaced(std::string text, std::string_view hole, std::string_view value) {
  if (size_t at = text.find(hole); at != std::string::npos)
    text.replace(at, hole.size(), value);
  return text;
}
} // namespace

std::string_view mnemonic(MmaFamily family) { return families[size_t(family)]; }
std::span<const Spelling<MmaKind>> spellings(MmaKind) { return kinds; }
std::span<const Spelling<Residency>> spellings(Residency) { return residencies; }
std::span<const Spelling<Major>> spellings(Major) { return majors; }
std::span<const Spelling<Overflow>> spellings(Overflow) { return overflows; }
std::span<const Spelling<BitOp>> spellings(BitOp) { return bitOps; }
std::span<const Spelling<Metadata>> spellings(Metadata) { return metadata; }
std::span<const Spelling<Recipe>> spellings(Recipe) { return recipes; }
std::span<const Spelling<Route>> spellings(Route) { return routes; }
int bits(RegisterType type) { return registerTypes[size_t(type)].bits; }
std::string_view ptxName(RegisterType type) { return registerTypes[size_t(type)].ptx; }

std::vector<int> Range::values() const {
  std::vector<int> legal;
  for (int value = first; value <= last; ++value)
    if (contains(value))
      legal.push_back(value);
  return legal;
}

std::string Range::str() const {
  std::vector<int> legal = values();
  if (legal.size() <= 2)
    return isFixed() ? std::to_string(first) : cat(first, " or ", last);
  if (!fine)
    return cat(first, " to ", last, " in steps of ", step);
  std::string start;
  for (int value = first; value <= fine; value += 8)
    start += cat(value, ", ");
  return cat(start, "then to ", last, " in steps of ", step);
}

std::string mnemonicFor(const MmaRow &row, int64_t n) {
  return replaced(row.mnemonic, "{N}", std::to_string(n));
}

std::string intrinsicName(const MmaRow &row) {
  std::string text = replaced(row.mnemonic, ".sync.aligned", "");
  text = replaced(std::move(text), "::ordered_metadata", ".ordered.metadata");
  text = replaced(std::move(text), ".kind::", ".kind.");
  text = replaced(std::move(text), ".f64.f64.f64.f64", ".f64");
  return "llvm.nvvm." + text;
}

std::string nameFor(const MmaRow &row, int64_t n) {
  return replaced(row.name, "xNx", cat("x", n, "x"));
}

std::string shapeText(const MmaRow &row) {
  auto extent = [](const Range &range) {
    return range.isFixed() ? range.str() : cat("(", range.str(), ")");
  };
  return cat(extent(row.m), "x", extent(row.n), "x", row.k);
}

Result<layout::MmaAtomLayouts> layouts(const MmaRow &row, int64_t m, int64_t n) {
  if (!row.m.contains(m))
    return fail(Error::ExtentNotLegal, row.name, "M", row.m.str(), m);
  if (!row.n.contains(n))
    return fail(Error::ExtentNotLegal, row.name, "N", row.n.str(), n);
  Extents extents{.m = m, .n = n, .k = row.k};
  Result<layout::Layout> threads = layout::parseLayout(row.threads);
  assert(threads && "a row's threads are not a layout");
  return layout::MmaAtomLayouts{.m = m,
                                .n = n,
                                .k = row.k,
                                .threads = *threads,
                                .a = layoutOf(row.a.fragment, extents),
                                .b = layoutOf(row.b.fragment, extents),
                                .c = layoutOf(row.c.fragment, extents)};
}

layout::MmaAtomLayouts layouts(const MmaRow &row) {
  assert(row.m.isFixed() && row.n.isFixed() && "the row is parametric");
  return *layouts(row, row.m.first, row.n.first);
}

} // namespace tessera::atom
