// Gathers the rows of all tiers and searches them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Registry.h"

#include "tessera/atom/Lookup.h"
#include "tessera/atom/tiers/Tiers.h"

#include <unordered_map>

namespace tessera::atom {

namespace {
std::vector<MmaRow> gatherMma() {
  std::vector<MmaRow> rows;
  for (auto *add : {addUniversalMma, addSm70Mma, addSm75Mma, addSm80Mma, addSm80Sparse, addSm89Mma,
                    addSm90Mma, addSm100Mma, addSm120Mma})
    add(rows);
  return rows;
}

std::vector<CopyRow> gatherCopies() {
  std::vector<CopyRow> rows;
  for (auto *add : {addUniversalCopies, addSm75Copies, addSm80Copies, addSm90Copies, addSm90Bulk,
                    addSm100Copies})
    add(rows);
  return rows;
}

template <class Row> using NameMap = std::unordered_map<std::string_view, const Row *>;

template <class Row> NameMap<Row> byName(std::span<const Row> rows) {
  NameMap<Row> map;
  for (const Row &row : rows) {
    map.emplace(row.name, &row);
    if (!row.alias.empty())
      map.emplace(row.alias, &row);
  }
  return map;
}

/// The three names that share the longest beginning with `name`.
template <class Row> std::string nearest(std::span<const Row> rows, std::string_view name) {
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const Row &row : rows) {
    auto [here, there] = std::mismatch(row.name.begin(), row.name.end(), name.begin(), name.end());
    ranked.emplace_back(size_t(here - row.name.begin()), row.name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string out;
  for (size_t i = 0; i < std::min<size_t>(3, ranked.size()); ++i)
    out += cat(i == 0 ? "" : i == 2 ? " and " : ", ", ranked[i].second);
  return out;
}

/// "SM90_64x128x16_F32F16F16_SS" -> "SM90_64xNx16_F32F16F16_SS" and 128, or nothing.
std::optional<std::pair<std::string, int64_t>> withoutN(std::string_view name) {
  size_t begin = name.find('x');
  size_t end = begin == name.npos ? begin : name.find('x', begin + 1);
  if (end == name.npos || end - begin > 4)
    return std::nullopt;
  int64_t n = 0;
  for (char digit : name.substr(begin + 1, end - begin - 1)) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    n = n * 10 + (digit - '0');
  }
  return std::pair(cat(name.substr(0, begin), "xN", name.substr(end)), n);
}

using MmaColumn = Column<MmaRow, MmaQuery>;
bool serves(Major has, Major wanted) { return (uint8_t(has) & uint8_t(wanted)) == uint8_t(wanted); }

constexpr MmaColumn mmaColumns[] = {
    {"shape",
     [](const MmaRow &r, const MmaQuery &q) {
       return r.m.contains(q.m) && r.n.contains(q.n) && r.k == q.k;
     },
     [](const MmaRow &r) { return shapeText(r); },
     [](const MmaQuery &q) { return cat(q.m, "x", q.n, "x", q.k); }},
    {"a", [](const MmaRow &r, const MmaQuery &q) { return r.a.element == q.a; },
     [](const MmaRow &r) { return std::string(name(r.a.element)); },
     [](const MmaQuery &q) { return std::string(name(q.a)); }},
    {"b", [](const MmaRow &r, const MmaQuery &q) { return r.b.element == q.b; },
     [](const MmaRow &r) { return std::string(name(r.b.element)); },
     [](const MmaQuery &q) { return std::string(name(q.b)); }},
    {"c", [](const MmaRow &r, const MmaQuery &q) { return r.c.element == q.c; },
     [](const MmaRow &r) { return std::string(name(r.c.element)); },
     [](const MmaQuery &q) { return std::string(name(q.c)); }},
    {"a major", [](const MmaRow &r, const MmaQuery &q) { return serves(r.a.majors, q.aMajor); },
     [](const MmaRow &r) { return std::string(name(r.a.majors)); },
     [](const MmaQuery &q) { return q.aMajor == Major::K ? "" : std::string(name(q.aMajor)); }},
    {"b major", [](const MmaRow &r, const MmaQuery &q) { return serves(r.b.majors, q.bMajor); },
     [](const MmaRow &r) { return std::string(name(r.b.majors)); },
     [](const MmaQuery &q) { return q.bMajor == Major::K ? "" : std::string(name(q.bMajor)); }},
    {"a in", [](const MmaRow &r, const MmaQuery &q) { return !q.aFrom || r.a.where == *q.aFrom; },
     [](const MmaRow &r) { return std::string(name(r.a.where)); },
     [](const MmaQuery &q) { return q.aFrom ? std::string(name(*q.aFrom)) : ""; }},
    {"scale", [](const MmaRow &r, const MmaQuery &q) { return r.scale.element == q.scale; },
     [](const MmaRow &r) { return std::string(name(r.scale.element)); },
     [](const MmaQuery &q) { return q.scale == Element::none ? "" : std::string(name(q.scale)); }},
    {"scale vector size", [](const MmaRow &r, const MmaQuery &q) { return r.scale.vec == q.vec; },
     [](const MmaRow &r) { return std::to_string(r.scale.vec); },
     [](const MmaQuery &q) { return q.vec ? std::to_string(q.vec) : ""; }},
    {"CTAs", [](const MmaRow &r, const MmaQuery &q) { return r.ctas == q.ctas; },
     [](const MmaRow &r) { return std::to_string(r.ctas); },
     [](const MmaQuery &q) { return q.ctas == 1 ? "" : std::to_string(q.ctas); }},
    {"metadata",
     [](const MmaRow &r, const MmaQuery &q) { return r.sparsity.metadata == q.metadata; },
     [](const MmaRow &r) { return std::string(name(r.sparsity.metadata)); },
     [](const MmaQuery &q) {
       return q.metadata == Metadata::None ? "" : std::string(name(q.metadata));
     }},
    {"overflow", [](const MmaRow &r, const MmaQuery &q) { return r.overflow == q.overflow; },
     [](const MmaRow &r) { return std::string(name(r.overflow)); },
     [](const MmaQuery &q) {
       return q.overflow == Overflow::Wrapped ? "" : std::string(name(q.overflow));
     }},
    {"weight stationary",
     [](const MmaRow &r, const MmaQuery &q) { return r.weightStationary == q.weightStationary; },
     [](const MmaRow &r) { return std::string(r.weightStationary ? "true" : "false"); },
     [](const MmaQuery &q) { return std::string(q.weightStationary ? "true" : ""); }},
    {"bit operation", [](const MmaRow &r, const MmaQuery &q) { return r.bitOp == q.bitOp; },
     [](const MmaRow &r) { return std::string(name(r.bitOp)); },
     [](const MmaQuery &q) { return q.bitOp == BitOp::None ? "" : std::string(name(q.bitOp)); }},
    {"kind", [](const MmaRow &r, const MmaQuery &q) { return !q.kind || r.kind == *q.kind; },
     [](const MmaRow &r) { return std::string(name(r.kind)); },
     [](const MmaQuery &q) { return q.kind ? std::string(name(*q.kind)) : ""; }},
};

using CopyColumn = Column<CopyRow, CopyKey>;

/// Texts of a key's columns; empty where the key has the default.
std::string ifNot(bool isDefault, std::string_view text) {
  return isDefault ? "" : std::string(text);
}

constexpr CopyColumn copyColumns[] = {
    {"shape",
     [](const CopyRow &r, const CopyKey &q) {
       return r.key.rows == q.rows && r.key.columns == q.columns;
     },
     [](const CopyRow &r) { return cat("(", r.key.rows, ",", r.key.columns, ")"); },
     [](const CopyKey &q) { return ifNot(!q.rows, cat("(", q.rows, ",", q.columns, ")")); }},
    {"matrices", [](const CopyRow &r, const CopyKey &q) { return r.key.matrices == q.matrices; },
     [](const CopyRow &r) { return std::to_string(r.key.matrices); },
     [](const CopyKey &q) { return ifNot(!q.matrices, std::to_string(q.matrices)); }},
    {"transpose", [](const CopyRow &r, const CopyKey &q) { return r.key.transpose == q.transpose; },
     [](const CopyRow &r) { return std::string(r.key.transpose ? "yes" : "no"); },
     [](const CopyKey &q) { return ifNot(!q.transpose, "yes"); }},
    {"format", [](const CopyRow &r, const CopyKey &q) { return r.key.format == q.format; },
     [](const CopyRow &r) { return std::string(name(r.key.format)); },
     [](const CopyKey &q) { return ifNot(q.format == PackedFormat::None, name(q.format)); }},
    {"16-bit packing",
     [](const CopyRow &r, const CopyKey &q) { return r.key.packed16 == q.packed16; },
     [](const CopyRow &r) { return std::string(r.key.packed16 ? "yes" : "no"); },
     [](const CopyKey &q) { return ifNot(!q.packed16, "yes"); }},
    {"broadcast", [](const CopyRow &r, const CopyKey &q) { return r.key.broadcast == q.broadcast; },
     [](const CopyRow &r) { return std::string(name(r.key.broadcast)); },
     [](const CopyKey &q) { return ifNot(q.broadcast == Broadcast::None, name(q.broadcast)); }},
    {"cache", [](const CopyRow &r, const CopyKey &q) { return r.key.cache == q.cache; },
     [](const CopyRow &r) { return std::string(name(r.key.cache)); },
     [](const CopyKey &q) { return ifNot(q.cache == CacheMode::None, name(q.cache)); }},
    {"mode", [](const CopyRow &r, const CopyKey &q) { return r.key.mode == q.mode; },
     [](const CopyRow &r) { return std::string(name(r.key.mode)); },
     [](const CopyKey &q) { return ifNot(q.mode == TmaMode::None, name(q.mode)); }},
    {"reduction", [](const CopyRow &r, const CopyKey &q) { return r.key.reduction == q.reduction; },
     [](const CopyRow &r) { return std::string(name(r.key.reduction)); },
     [](const CopyKey &q) { return ifNot(q.reduction == Reduction::None, name(q.reduction)); }},
    {"type", [](const CopyRow &r, const CopyKey &q) { return r.key.reduced == q.reduced; },
     [](const CopyRow &r) { return std::string(name(r.key.reduced)); },
     [](const CopyKey &q) { return ifNot(q.reduced == ReducedType::None, name(q.reduced)); }},
    {"multicast", [](const CopyRow &r, const CopyKey &q) { return r.key.multicast == q.multicast; },
     [](const CopyRow &r) { return std::string(r.key.multicast ? "yes" : "no"); },
     [](const CopyKey &q) { return ifNot(!q.multicast, "yes"); }},
    {"CTAs", [](const CopyRow &r, const CopyKey &q) { return r.key.ctas == q.ctas; },
     [](const CopyRow &r) { return std::to_string(r.key.ctas); },
     [](const CopyKey &q) { return ifNot(q.ctas == 1, std::to_string(q.ctas)); }},
};
} // namespace

std::span<const MmaRow> mmaRows() {
  static const std::vector<MmaRow> rows = gatherMma();
  return rows;
}

std::span<const CopyRow> copyRows() {
  static const std::vector<CopyRow> rows = gatherCopies();
  return rows;
}

Result<const MmaRow *> findMma(std::string_view name) {
  static const NameMap<MmaRow> names = byName(mmaRows());
  if (auto found = names.find(name); found != names.end())
    return found->second;
  if (auto parametric = withoutN(name))
    if (auto found = names.find(parametric->first); found != names.end()) {
      if (found->second->n.contains(parametric->second))
        return found->second;
      return fail(Error::ExtentNotLegal, found->second->name, "N", found->second->n.str(),
                  parametric->second);
    }
  return fail(Error::UnknownMmaAtom, name, nearest(mmaRows(), name));
}

Result<const CopyRow *> findCopy(std::string_view name) {
  static const NameMap<CopyRow> names = byName(copyRows());
  if (auto found = names.find(name); found != names.end())
    return found->second;
  return fail(Error::UnknownCopyAtom, name, nearest(copyRows(), name));
}

Result<const MmaRow *> find(const MmaQuery &query) {
  std::vector<const MmaRow *> family;
  for (const MmaRow &row : mmaRows())
    if (row.family == query.family)
      family.push_back(&row);
  return lookUp<MmaRow, MmaQuery>(mnemonic(query.family), family, mmaColumns, query);
}

Result<const CopyRow *> find(const CopyKey &key) {
  std::vector<const CopyRow *> family;
  for (const CopyRow &row : copyRows())
    if (row.key.family == key.family)
      family.push_back(&row);
  return lookUp<CopyRow, CopyKey>(mnemonic(key.family), family, copyColumns, key);
}

std::string reducedTypes(CopyFamily family, Reduction reduction) {
  std::vector<std::string> types;
  for (const CopyRow &row : copyRows())
    if (row.key.family == family && row.key.reduction == reduction)
      types.emplace_back(name(row.key.reduced));
  return alternatives(types);
}

std::optional<Reason> refusal(std::string_view what, const Requirement &needs, Target target) {
  if (needs.metBy(target))
    return std::nullopt;
  return fail(Error::TargetLacks, what, needs.sentence(), target.str());
}

} // namespace tessera::atom
