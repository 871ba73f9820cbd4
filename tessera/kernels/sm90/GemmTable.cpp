// Looking up configurations, reading and writing tables of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmTable.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm90/GemmPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tessera;
using namespace tessera::kernels;
using llvm::StringRef;
using sm90::findGemmType;
using sm90::GemmPlan;
using sm90::GemmType;

static constexpr int tileM = GemmPlan::tileM, consumers = GemmPlan::consumers;

//===--- shapes and schedules -----------------------------------------------------------------===//

Result<GemmShape> GemmShape::parse(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, 'x');
  int64_t extents[3] = {};
  for (size_t i = 0; i < 3; ++i)
    if (parts.size() != 3 || parts[i].getAsInteger(10, extents[i]) || extents[i] < 1 ||
        extents[i] > INT32_MAX)
      return fail(Error::GemmShapeText, text.str());
  return GemmShape{extents[0], extents[1], extents[2]};
}
std::string GemmShape::str() const { return cat(m, "x", n, "x", k); }

GemmSchedule GemmSchedule::of(const GemmConfig &c) {
  return {c.swap, c.tileM, c.tileN, c.stages, c.cluster, c.group, c.splitK};
}
void GemmSchedule::applyTo(GemmConfig &c) const {
  c.swap = swap, c.tileM = tileM, c.tileN = tileN, c.stages = stages, c.cluster = cluster;
  c.group = group, c.splitK = splitK;
}
std::string GemmSchedule::str() const {
  return cat(swap ? cat("--swap --tile-m ", tileM, " ") : "", "--tile-n ", tileN, " --stages ",
             stages, " --cluster ", cluster, " --group ", group, " --split-k ", splitK);
}

static int64_t tilesOf(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

GemmWorkspace kernels::workspaceOf(const GemmConfig &c, const GemmShape &shape) {
  if (c.splitK == 1 || c.swap)
    return {};
  int64_t tiles = tilesOf(shape.m, tileM * c.cluster) * c.cluster * tilesOf(shape.n, c.tileN);
  int64_t slices = std::min<int64_t>(c.splitK, tilesOf(shape.k, c.tileK()));
  return {tiles * slices * tileM * c.tileN, tiles * consumers};
}

//===--- the table ----------------------------------------------------------------------------===//

GemmTable GemmTable::builtIn() {
  GemmTable table;
#define GEMM(A, B, M, N, K, ...)                                                                   \
  table.rows.push_back({#A, #B, {M, N, K}, {false, tileM, __VA_ARGS__}, ""});
#include "tessera/kernels/sm90/GemmTable.def"
#undef GEMM
  return table;
}

Result<GemmTable> GemmTable::parse(StringRef text) {
  GemmTable table;
  int number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    auto [row, comment] = line.split("//");
    row = row.trim();
    if (row.empty()) {
      if (table.rows.empty())
        table.head += line.str() + "\n";
      continue;
    }
    llvm::SmallVector<StringRef> fields;
    bool good = row.consume_front("GEMM(") && row.consume_back(")");
    row.split(fields, ',');
    int64_t numbers[8];
    good &= fields.size() == 10;
    for (size_t i = 0; good && i < 8; ++i)
      good = !fields[i + 2].trim().getAsInteger(10, numbers[i]) && numbers[i] >= 1 &&
             numbers[i] <= INT32_MAX;
    if (!good)
      return fail(Error::GemmTableLine, number, line.trim().str());
    auto at = [&](size_t i) { return int(numbers[i]); };
    table.rows.push_back({fields[0].trim().str(),
                          fields[1].trim().str(),
                          {numbers[0], numbers[1], numbers[2]},
                          {false, tileM, at(3), at(4), at(5), at(6), at(7)},
                          comment.trim().str()});
  }
  return table;
}
std::string GemmTable::str() const {
  std::string out = head;
  for (const GemmRow &row : rows) {
    const GemmSchedule &s = row.schedule;
    out += cat("GEMM(", row.a, ", ", row.b, ", ", row.shape.m, ", ", row.shape.n, ", ", row.shape.k,
               ", ", s.tileN, ", ", s.stages, ", ", s.cluster, ", ", s.group, ", ", s.splitK, ")",
               row.comment.empty() ? "" : " // " + row.comment, "\n");
  }
  return out;
}

const GemmRow *GemmTable::nearest(const GemmConfig &c, const GemmShape &shape) const {
  const GemmType &own = *findGemmType(c.a);
  auto octaves = [](double x, double y) { return std::abs(std::log2(x / y)); };
  auto distance = [&](const GemmRow &row) {
    const GemmType *other = findGemmType(row.a);
    int bits = other ? other->bits() : 16;
    double types = row.a == c.a && row.b == c.b ? 0 : bits == own.bits() ? 1 : 2;
    return types + octaves(double(row.shape.m), double(shape.m)) +
           octaves(double(row.shape.n), double(shape.n)) +
           octaves(double(row.shape.k) * bits, double(shape.k) * own.bits());
  };
  const GemmRow *best = nullptr;
  for (const GemmRow &row : rows) {
    GemmConfig with = c;
    row.schedule.applyTo(with);
    if (!refused(with) && (!best || distance(row) < distance(*best)))
      best = &row;
  }
  return best;
}

const GemmRow *GemmTable::exact(const GemmConfig &c, const GemmShape &shape) const {
  auto found = llvm::find_if(
      rows, [&](const GemmRow &row) { return row.a == c.a && row.b == c.b && row.shape == shape; });
  if (found == rows.end())
    return nullptr;
  GemmConfig with = c;
  found->schedule.applyTo(with);
  return refused(with) ? nullptr : &*found;
}

void GemmTable::put(const GemmRow &row) {
  auto same = [&](const GemmRow &r) {
    return r.a == row.a && r.b == row.b && r.shape == row.shape;
  };
  if (auto old = llvm::find_if(rows, same); old != rows.end())
    *old = row;
  else
    rows.push_back(row);
}
