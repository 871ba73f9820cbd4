// Rows against what NVIDIA's CuTe C++ printed ($TESSERA_ORACLE: mma_atoms.tsv, copy_atoms.tsv).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row of the tables is either compared or counted under the reason why we have no
// counterpart.
#include "tessera/atom/Registry.h"

#include "Evaluate.h"
#include "Table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
constexpr const char *noOracle =
    "set TESSERA_ORACLE to the folder that holds mma_atoms.tsv and copy_atoms.tsv";

/// Counts of what a run compared, and of what it had no counterpart for.
struct Tally {
  std::map<std::string, int> compared, skipped;
  int sameText = 0, sameFunction = 0;

  void skip(const std::string &why) { ++skipped[why]; }
  void print(const char *table) const {
    int total = 0, left = 0;
    for (auto &[group, count] : compared)
      std::printf("  %s: %5d compared   %s\n", table, count, group.c_str()), total += count;
    for (auto &[why, count] : skipped)
      std::printf("  %s: %5d without counterpart: %s\n", table, count, why.c_str()), left += count;
    std::printf(
        "  %s: %d rows compared, %d without counterpart; layouts: %d of equal text, %d of equal "
        "function\n",
        table, total, left, sameText, sameFunction);
  }

  /// Equal as printed, or equal at every (thread, value).
  void expectSame(const std::string &expected, const layout::Layout &actual,
                  const std::string &what) {
    if (expected == layout::str(actual)) {
      ++sameText;
      return;
    }
    // CuTe has one text with a superfluous pair of parentheses: ((4,8),(32,2)):((512,1),((16,8))).
    Result<layout::Layout> parsed = layout::parseLayout(
        std::regex_replace(expected, std::regex(",\\(\\(([0-9,]+)\\)\\)\\)$"), ",($1))"));
    ASSERT_TRUE(parsed) << what << ": " << expected;
    EXPECT_EQ(threadsOf(*parsed), threadsOf(actual)) << what;
    EXPECT_EQ(values(*parsed), values(actual))
        << what << ": expected " << expected << ", got " << layout::str(actual);
    ++sameFunction;
  }
};

/// The qualifiers of a PTX mnemonic; their order differs between CuTe's strings and the PTX ISA's.
std::multiset<std::string> qualifiers(const std::string &mnemonic) {
  std::vector<std::string> parts = split(mnemonic, ".");
  return {parts.begin(), parts.end()};
}
bool sameInstruction(const std::string &oracle, const std::string &ours,
                     const std::string &hint = "") {
  for (const std::string &alternative : split(oracle, " || ")) {
    std::multiset<std::string> theirs = qualifiers(alternative);
    theirs.erase(hint);
    if (theirs == qualifiers(ours))
      return true;
  }
  return false;
}

std::string registerText(const Registers &registers, int64_t n) {
  constexpr std::string_view types[] = {"void", "u16", "u32", "u64", "f32", "f64"};
  if (registers.type == RegisterType::None)
    return "void";
  return cat(types[size_t(registers.type)], "x", registers.at(n));
}

std::string withoutContainer(std::string element) {
  return std::regex_replace(element, std::regex("\\(unpacksmem\\)| "), "");
}

/// Whether the oracle's value type can be our element: bytes and nibbles stand for fp8, fp6 and
/// fp4.
bool sameElement(const std::string &oracle, const Operand &operand) {
  std::string text = std::regex_replace(withoutContainer(oracle), std::regex("^sparse[0-9]+:"), "");
  if (text == "integer_subbyte<4>")
    text = "s4";
  bool standsIn = (text == "u8" || text == "u4") && kindOf(operand.element) == NumberKind::Float &&
                  bits(operand.element) <= 8;
  return standsIn || text == name(operand.element);
}

/// Our name for an oracle row, or the reason why there is none.
struct Counterpart {
  std::string name, whyNot;
};

Counterpart counterpartOf(const Record &record) {
  std::string name = record.at("name"), tier = record.at("tier");
  if (tier == "sm61")
    return {"", "dp2a, dp4a: dot products of one thread, no atom type"};
  if (record.at("notes").find("complex atom") != std::string::npos ||
      name.find("_CF32") != std::string::npos)
    return {"", "complex atom: built from several instructions"};
  if (tier != "sm100a" && tier != "sm103a" && tier != "sm120a")
    return {name, ""};

  std::vector<std::string> args = split(withoutContainer(record.at("cpp_args")), ",");
  std::string types = args[0] + "," + args[1] + "," + args[2];
  if (tier == "sm120a") {
    if (record.at("notes").find("VS=32 here") != std::string::npos)
      return {"", "CuTe accepts it but emits the instruction of another vector size"};
    for (size_t i = 3; i < args.size(); ++i)
      types += "," + args[i];
    return {name + "<" + types + ">", ""};
  }
  std::string stem = std::regex_replace(name, std::regex("_SCALED$"), "");
  if (record.at("block_scale") == "1") {
    if (args[3] == "ue4m3" && record.at("ptx").find("mxf4.") != std::string::npos)
      return {"", "PTX has kind::mxf4 with ue8m0 only"};
    types += "," + args[3] + "," + record.at("sf_vec");
  }
  return {stem + "<" + types + ">", ""};
}

void compareMma(const Record &record, const MmaRow &row, Tally &tally) {
  int64_t m = std::stoi(record.at("M")), n = std::stoi(record.at("N"));
  std::string what = record.at("name") + "<" + record.at("cpp_args") + ">";
  Result<layout::MmaAtomLayouts> atom = layouts(row, m, n);
  ASSERT_TRUE(atom) << what;
  EXPECT_EQ(std::to_string(row.k), record.at("K")) << what;
  EXPECT_EQ(record.at("ThrID"), row.threads) << what;
  tally.expectSame(record.at("ALayout"), atom->a, what + " A");
  tally.expectSame(record.at("BLayout"), atom->b, what + " B");
  tally.expectSame(record.at("CLayout"), atom->c, what + " C");

  EXPECT_TRUE(sameInstruction(record.at("ptx"), mnemonicFor(row, n)))
      << what << ": " << record.at("ptx") << " and " << mnemonicFor(row, n);
  EXPECT_EQ(record.at("regsA"), registerText(row.a.registers, n)) << what;
  EXPECT_EQ(record.at("regsB"), registerText(row.b.registers, n)) << what;
  EXPECT_EQ(record.at("regsC"), registerText(row.c.registers, n)) << what;
  EXPECT_EQ(record.at("regsD"), registerText(row.d.registers, n)) << what;
  EXPECT_EQ(record.at("a_src"), name(row.a.where)) << what;
  EXPECT_EQ(record.at("b_src"), name(row.b.where)) << what;
  EXPECT_EQ(record.at("sparse") == "1", row.sparsity.isSparse()) << what;
  EXPECT_EQ(record.at("block_scale") == "1", row.scale.isScaled()) << what;
  EXPECT_EQ(record.at("D"), name(row.d.element)) << what;
  EXPECT_TRUE(sameElement(record.at("A"), row.a)) << what << ": " << record.at("A");
  EXPECT_TRUE(sameElement(record.at("B"), row.b)) << what << ": " << record.at("B");
  Result<Target> minimum = Target::parse(record.at("min_arch"));
  ASSERT_TRUE(minimum) << what;
  EXPECT_TRUE(row.needs.metBy(*minimum)) << what << ": " << row.needs.sentence();
  if (record.at("name").find("_SCALED") != std::string::npos)
    EXPECT_TRUE(row.scalesInput) << what;

  auto compareMajor = [&](const std::string &expected, Major actual) {
    if (!expected.empty())
      EXPECT_EQ(expected, actual == Major::Any ? "K|MN" : "K") << what;
  };
  compareMajor(record.at("a_major_allowed"), row.a.majors);
  compareMajor(record.at("b_major_allowed"), row.b.majors);

  Extents extents{.m = m, .n = n, .k = row.k};
  if (const std::string &e = record.at("ELayout"); !e.empty())
    tally.expectSame(e, layoutOf(row.sparsity.fragment, extents), what + " E");
  if (const std::string &type = record.at("E_type"); !type.empty())
    EXPECT_EQ(type, cat("sparse", int(row.sparsity.elementsPerByte), ":u8")) << what;
  if (const std::string &a = record.at("SFALayout"); !a.empty()) {
    tally.expectSame(a, layoutOf(row.scale.a, extents), what + " SFA");
    tally.expectSame(record.at("SFBLayout"), layoutOf(row.scale.b, extents), what + " SFB");
  }
}
} // namespace

TEST(Oracle, MmaAtoms) {
  std::vector<Record> table = readTable("mma_atoms.tsv");
  if (table.empty())
    GTEST_SKIP() << noOracle;
  Tally tally;
  std::set<std::string> used;
  for (const Record &record : table) {
    Counterpart counterpart = counterpartOf(record);
    if (!counterpart.whyNot.empty()) {
      tally.skip(counterpart.whyNot);
      continue;
    }
    Result<const MmaRow *> row = findMma(counterpart.name);
    ASSERT_TRUE(row) << row.reason().text;
    if (!(*row)->m.contains(std::stoi(record.at("M")))) {
      tally.skip("PTX has M = 256 only for two CTAs with a sparse A in fp4");
      continue;
    }
    compareMma(record, **row, tally);
    used.insert((*row)->name);
    ++tally.compared[record.at("tier")];
  }
  tally.print("mma_atoms.tsv");
  std::printf("  mma_atoms.tsv: %zu of our %zu rows have a counterpart in it\n", used.size(),
              mmaRows().size());
}

namespace {
int64_t bitsOfType(const std::string &type) {
  static const std::map<std::string, int64_t> widths = {{"uint8_t", 8},     {"uint16_t", 16},
                                                        {"uint32_t", 32},   {"uint64_t", 64},
                                                        {"uint128_t", 128}, {"uint256", 256}};
  auto found = widths.find(type);
  return found == widths.end() ? 0 : found->second;
}

struct CopyCounterpart {
  std::string name, whyNot;
  int64_t amount = 0;
};

CopyCounterpart copyCounterpartOf(const Record &record) {
  std::string name = record.at("name");
  std::smatch match;
  if (name.find("AutoVectorizing") == 0)
    return {"", "picks its width when it is used", 0};
  if (name.find("SM50_Shuffle") == 0 || name.find("MOVM") != std::string::npos)
    return {"", "moves between registers: no atom type", 0};
  if (std::regex_match(name, match, std::regex("(\\w+)<(\\w+),(\\w+)>")))
    return {"", "widths of source and destination differ: no atom type", 0};
  if (std::regex_match(name, match, std::regex("(\\w+)<\\w+=(\\d+)>")))
    return {match[1], "", std::stoll(match[2])};
  if (std::regex_match(name, match, std::regex("(\\w+)<(\\w+)>")))
    return {match[1], "", bitsOfType(match[2])};
  if (std::regex_match(name, match, std::regex("(SM100_TMEM_\\w+dp\\d+b)(\\d+)x(_16b)?")))
    return {match[1].str() + match[3].str(), "", std::stoll(match[2])};
  return {name, "", 0};
}

void compareCopy(const Record &record, const CopyRow &row, int64_t amount, Tally &tally) {
  std::string what = record.at("name");
  Result<layout::CopyAtomLayouts> atom = bitLayouts(row, amount);
  ASSERT_TRUE(atom) << what << ": " << atom.reason().text;
  EXPECT_EQ(record.at("ThrID"), row.threads) << what;
  tally.expectSame(record.at("SrcLayout"), atom->src, what + " src");
  tally.expectSame(record.at("DstLayout"), atom->dst, what + " dst");
  tally.expectSame(record.at("RefLayout"), atom->ref, what + " ref");
  if (const std::string &address = record.at("ValID"); !address.empty()) {
    layout::Const none;
    layout::Layout ours = layoutOf(row.address, {.repeat = amount});
    EXPECT_EQ(layout::coalesce(none, *layout::parseLayout(address)), layout::coalesce(none, ours))
        << what;
  }
  if (const std::string &ptx = record.at("ptx"); !ptx.empty())
    EXPECT_TRUE(sameInstruction(ptx, mnemonicFor(row, amount), "L2::128B"))
        << what << ": " << ptx << " and " << mnemonicFor(row, amount);
  if (row.registers && (row.from == AddressSpace::Rmem || row.to == AddressSpace::Rmem))
    EXPECT_EQ(record.at(row.from == AddressSpace::Rmem ? "SRegisters" : "DRegisters"),
              cat("u32x", row.registersFor(amount)))
        << what;
}
} // namespace

TEST(Oracle, CopyAtoms) {
  std::vector<Record> table = readTable("copy_atoms.tsv");
  if (table.empty())
    GTEST_SKIP() << noOracle;
  Tally tally;
  std::set<std::string> used;
  for (const Record &record : table) {
    CopyCounterpart counterpart = copyCounterpartOf(record);
    if (!counterpart.whyNot.empty()) {
      tally.skip(counterpart.whyNot);
      continue;
    }
    Result<const CopyRow *> row = findCopy(counterpart.name);
    ASSERT_TRUE(row) << row.reason().text;
    compareCopy(record, **row, counterpart.amount, tally);
    used.insert((*row)->name);
    ++tally.compared[std::string(mnemonic((*row)->key.family))];
  }
  tally.print("copy_atoms.tsv");
  std::printf("  copy_atoms.tsv: %zu of our %zu rows have a counterpart in it\n", used.size(),
              copyRows().size());
}
