// Looking up configurations, reading and writing tables of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/choice/GemmTable.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmType.h"
#include "tessera/kernels/sm90/GemmPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tessera;
using namespace tessera::kernels;
using llvm::StringRef;

static constexpr int tileM = sm90::GemmPlan::tileM;

//===--- schedules ----------------------------------------------------------------------------===//

GemmSchedule GemmSchedule::of(const GemmConfig &c) {
  return {c.swap, c.tileM, c.tileN, c.stages, c.cluster, c.group, c.splitK, c.pingpong};
}
void GemmSchedule::applyTo(GemmConfig &c) const {
  c.swap = swap, c.tileM = tileM, c.tileN = tileN, c.stages = stages, c.cluster = cluster;
  c.group = group, c.splitK = splitK, c.pingpong = pingpong;
}
/// The form and rows that options and rows of tables leave out.
static bool isPlain(const GemmSchedule &s) { return !s.swap && !s.pingpong && s.tileM == tileM; }

std::string GemmSchedule::str() const {
  const char *form = swap ? "--swap " : pingpong ? "--schedule pingpong " : "";
  return cat(form, isPlain(*this) ? "" : cat("--tile-m ", tileM, " "), "--tile-n ", tileN,
             " --stages ", stages, " --cluster ", cluster, " --group ", group, " --split-k ",
             splitK);
}

//===--- the table ----------------------------------------------------------------------------===//

static constexpr StringRef forms[] = {"cooperative", "pingpong", "swapped"};
static StringRef formOf(const GemmSchedule &s) { return forms[s.swap ? 2 : s.pingpong]; }

/// GEMM(...) as GemmTable.def has it.
static std::optional<GemmRow> rowOf(StringRef text) {
  llvm::SmallVector<StringRef> fields;
  if (!text.consume_front("GEMM(") || !text.consume_back(")"))
    return std::nullopt;
  text.split(fields, ',');
  for (StringRef &field : fields)
    field = field.trim();
  constexpr size_t without = 10, with = 12; // rows of a tile and the form
  if (fields.size() != without && fields.size() != with)
    return std::nullopt;
  int64_t numbers[9] = {0, 0, 0, 0, 0, 0, 0, 0, tileM};
  for (size_t i = 2; i < std::min<size_t>(fields.size(), 11); ++i)
    if (int64_t &number = numbers[i - 2];
        fields[i].getAsInteger(10, number) || number < 1 || number > INT32_MAX)
      return std::nullopt;
  size_t form = 0;
  if (fields.size() == with) {
    form = size_t(llvm::find(forms, fields[11]) - forms);
    if (form == std::size(forms))
      return std::nullopt;
  }
  auto at = [&](size_t i) { return int(numbers[i]); };
  return GemmRow{fields[0].str(),
                 fields[1].str(),
                 {numbers[0], numbers[1], numbers[2]},
                 {form == 2, at(8), at(3), at(4), at(5), at(6), at(7), form == 1},
                 ""};
}

GemmTable GemmTable::builtIn() {
  GemmTable table;
#define GEMM(A, B, M, N, K, ...)                                                                   \
  table.rows.push_back(*rowOf("GEMM(" #A "," #B "," #M "," #N "," #K "," #__VA_ARGS__ ")"));
#include "tessera/kernels/choice/GemmTable.def"
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
    std::optional<GemmRow> found = rowOf(row);
    if (!found)
      return fail(Error::GemmTableLine, number, line.trim().str());
    found->comment = comment.trim().str();
    table.rows.push_back(std::move(*found));
  }
  return table;
}
std::string GemmTable::str() const {
  std::string out = head;
  for (const GemmRow &row : rows) {
    const GemmSchedule &s = row.schedule;
    out += cat("GEMM(", row.a, ", ", row.b, ", ", row.shape.m, ", ", row.shape.n, ", ", row.shape.k,
               ", ", s.tileN, ", ", s.stages, ", ", s.cluster, ", ", s.group, ", ", s.splitK,
               isPlain(s) ? "" : cat(", ", s.tileM, ", ", formOf(s).str()), ")",
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
