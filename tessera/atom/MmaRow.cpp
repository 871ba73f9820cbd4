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
constexpr std::string_view kinds[] = {"",   "f16",      "tf32", "f8f6f4",
                                      "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
constexpr std::string_view residencies[] = {"rmem", "smem", "tmem"};
constexpr std::string_view majors[] = {"", "k", "mn", "any"};
constexpr std::string_view overflows[] = {"wrapped", "satfinite"};
constexpr std::string_view bitOps[] = {"none", "xor_popc", "and_popc"};
constexpr std::string_view metadata[] = {"none", "plain", "ordered"};
constexpr std::string_view recipes[] = {
    "fma", "mma_sync", "mma_sparse", "block_scale", "block_scale_sparse", "wgmma", "umma"};
constexpr std::string_view routes[] = {"nvvm", "intrinsic", "asm"};

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
std::string_view name(MmaKind kind) { return kinds[size_t(kind)]; }
std::string_view name(Residency where) { return residencies[size_t(where)]; }
std::string_view name(Major major) { return majors[size_t(major)]; }
std::string_view name(Overflow overflow) { return overflows[size_t(overflow)]; }
std::string_view name(BitOp op) { return bitOps[size_t(op)]; }
std::string_view name(Metadata format) { return metadata[size_t(format)]; }
std::string_view name(Recipe recipe) { return recipes[size_t(recipe)]; }
std::string_view name(Route route) { return routes[size_t(route)]; }
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
