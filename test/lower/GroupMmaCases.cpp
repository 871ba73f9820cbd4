// Sweeps over the rows of sm90.mma and sm90.mma_sp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lower/GroupMmaCases.h"

#include <set>

namespace tessera::lower::test {

using atom::Major;
using atom::MmaRow;
using atom::test::Variant;

namespace {
struct Majors {
  Major a, b;
};

/// Every combination of what is listed, for all rows whose name has `rows` in it.
struct Sweep {
  std::string_view rows;
  std::vector<int> n; // empty: all that the row has
  std::vector<int> widths = {8};
  std::vector<Majors> majors = {{Major::K, Major::K}};
  std::vector<int> blocks = {0};
  std::vector<Variant> variants = {{}};
  std::vector<int> selectors = {0};
};

const std::vector<Majors> otherMajors = {
    {Major::MN, Major::K}, {Major::K, Major::MN}, {Major::MN, Major::MN}};

const std::vector<Sweep> &sweeps() {
  static const std::vector<Sweep> all = {
      {.rows = "", .n = {8, 16, 24, 32, 64, 96, 128, 192, 256}},
      {.rows = "x16_F32F16F16_SS", .n = {}},
      {.rows = "x32_S32S8S8_SS_TN", .n = {}},
      {.rows = "", .n = {32}, .widths = {1, 2, 4}},
      {.rows = "", .n = {24}, .widths = {4, 8}, .blocks = {1, 2, 3}},
      {.rows = "x16_", .n = {64}, .widths = {1, 2, 4, 8}, .majors = otherMajors},
      {.rows = "x16_", .n = {8}, .widths = {1}, .majors = otherMajors},
      {.rows = "x16_F32", .n = {128, 256}, .majors = otherMajors},
      {.rows = "GMMA_64xNx32_", .n = {64}, .widths = {1, 2, 4, 8}, .majors = otherMajors},
      {.rows = "GMMA_", .n = {16, 128}, .selectors = {1}},
      {.rows = "",
       .n = {16},
       .variants = {{.accumulates = false},
                    {.negateA = true},
                    {.negateB = true},
                    {.negateA = true, .negateB = true},
                    {.negateA = true, .accumulates = false},
                    {.overflows = true}}},
  };
  return all;
}

bool isFor(const Sweep &sweep, const MmaRow &row) {
  return (row.family == atom::MmaFamily::Sm90Mma || row.family == atom::MmaFamily::Sm90MmaSp) &&
         row.name.find(sweep.rows) != std::string::npos;
}

/// Whether the instruction, and a tile of whole swizzled rows, exist.
bool exists(const GroupCase &c) {
  const MmaRow &row = *c.row;
  auto has = [&](const atom::Operand &operand, Major major, int extent) {
    if (major == Major::K)
      return true;
    bool inSmem = operand.where == atom::Residency::Smem;
    return inSmem && operand.majors == Major::Any && extent % (8 * c.width) == 0;
  };
  bool integer = row.c.element == atom::Element::s32;
  if (integer ? c.variant.negateA || c.variant.negateB : c.variant.overflows)
    return false;
  if (c.block > 0 && c.unitsOfB() * c.block >= c.width)
    return false;
  if (c.bMajor == Major::K && c.width > 1 && c.width < c.unitsOfB())
    return false; // a swizzled row is what an instruction takes, or more
  if (c.selector >= std::max(1, int(row.sparsity.selectors)))
    return false;
  return row.n.contains(c.n) && has(row.a, c.aMajor, row.m.first) && has(row.b, c.bMajor, c.n);
}
} // namespace

std::string GroupCase::str() const {
  const char *flags[] = {variant.negateA ? ", -a" : "", variant.negateB ? ", -b" : "",
                         variant.accumulates ? "" : ", no c",
                         variant.overflows ? ", overflows" : ""};
  return cat(nameFor(*row, n), ", majors ", name(aMajor), " ", name(bMajor), ", swizzle of ",
             width * 16, " bytes, block ", block, ", selector ", selector, flags[0], flags[1],
             flags[2], flags[3]);
}

std::vector<GroupCase> groupCases() {
  std::vector<GroupCase> cases;
  std::set<const MmaRow *> seen; // the first case of each row and of each sweep is a sample
  for (const Sweep &sweep : sweeps()) {
    bool first = true;
    for (const MmaRow &row : atom::mmaRows()) {
      if (!isFor(sweep, row))
        continue;
      std::vector<int> extents = sweep.n.empty() ? row.n.values() : sweep.n;
      for (int n : extents)
        for (int width : sweep.widths)
          for (const Majors &majors : sweep.majors)
            for (int block : sweep.blocks)
              for (const Variant &variant : sweep.variants)
                for (int selector : sweep.selectors) {
                  GroupCase c{&row,     n,        majors.a,
                              majors.b, width,    block,
                              variant,  selector, first || !seen.contains(&row)};
                  if (!exists(c))
                    continue;
                  cases.push_back(c);
                  first = false;
                  seen.insert(&row);
                }
    }
  }
  return cases;
}

} // namespace tessera::lower::test
