// The algebra against the tables of values that CuTe C++ computed ($TESSERA_ORACLE, else skipped).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row is equal, or in a class of OracleDifferences that explains and checks it. The number of
// rows in each class is fixed, so that a change of behaviour shows.
#include "tessera/eval/Function.h"
#include "test/eval/OracleDifferences.h"
#include "test/layout/Sample.h"

#include <iostream>

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

/// How many rows of an operation had each verdict.
using Counts = std::map<std::string, std::map<std::string, int>>;

void print(const Counts &counts) {
  for (const auto &[operation, verdicts] : counts) {
    std::cout << "  " << operation << ":";
    for (const auto &[verdict, rows] : verdicts)
      std::cout << " " << rows << " " << verdict
                << (verdict == verdicts.rbegin()->first ? "\n" : ",");
  }
}

/// The name of the class that a row belongs to, after its check; "unexplained" if there is none.
std::string explained(const Case &c, std::span<const Difference> differences) {
  for (const Difference &difference : differences) {
    if (!isOneOf(c.operation, difference.operations) || !difference.applies(c))
      continue;
    std::string wrong = difference.wrong ? difference.wrong(c) : "";
    EXPECT_EQ(wrong, "") << difference.name << ": " << c.operation << " " << c.row["args"]
                         << "\ngave " << c.got.withValues << c.got.refused.text;
    return std::string(difference.name);
  }
  ADD_FAILURE() << c.operation << " " << c.row["args"] << "\ngave " << c.got.withValues
                << c.got.refused.text << "\nexpected " << c.row["result"] << c.row["reason"];
  return "unexplained";
}

std::string verdict(const Row &row, bool (*equal)(const Case &),
                    std::span<const Difference> differences) {
  if (!eval::findFunction(row["op"])) {
    ADD_FAILURE() << row["op"];
    return "no such operation";
  }
  Interp values;
  Inputs in(row["args"], [&](int64_t value) { return values.input(value); });
  Answer got = answer(row["op"], row["args"], values);
  Case c = {row, row["op"], in, values, got};
  return equal(c) ? "equal" : explained(c, differences);
}

void compare(const std::string &file, bool (*equal)(const Case &),
             std::span<const Difference> differences) {
  Table table(file);
  if (!table.available())
    GTEST_SKIP() << "TESSERA_ORACLE names no folder of tables";
  Counts counts;
  std::map<std::string, int> rows;
  for (const Row &row : table.rows()) {
    std::string name = verdict(row, equal, differences);
    ++counts[row["op"]][name];
    ++rows[name];
  }
  print(counts);
  for (const Difference &difference : differences)
    EXPECT_EQ(rows[std::string(difference.name)], difference.rows) << difference.name;
}

/// The type that inference computes is that of the value.
void expectSameType(const Case &c) {
  Interp none;
  Answer type = answer(c.operation, withoutValues(c.row["args"]), none);
  EXPECT_EQ(type.text, c.got.text) << c.operation << " " << c.row["args"];
  EXPECT_EQ(type.refused.text, c.got.refused.text) << c.operation << " " << c.row["args"];
}

TEST(Oracle, StaticLayouts) {
  // fn=mismatch: CuTe C++ gives what is not the function, and so would an equal answer.
  auto equal = [](const Case &c) {
    return c.got.ok() && c.got.text == c.row["result"] && c.row["fn"] != "mismatch" &&
           wrongSteps(c).empty();
  };
  compare("layout_algebra.tsv", equal, staticDifferences());
}

TEST(Oracle, DynamicLayouts) {
  auto equal = [](const Case &c) {
    expectSameType(c);
    if (!c.got.ok() || c.got.violated || c.got.withoutFacts() != c.row["result_type_form"] ||
        c.got.withValues != c.row["result"])
      return false;
    // Values that break a composition must not pass silently.
    return wrongSteps(c).empty();
  };
  compare("layout_dynamic.tsv", equal, dynamicDifferences());
}

TEST(Oracle, RefusedInputs) {
  auto equal = [](const Case &c) { return !c.got.ok(); };
  compare("invalid.tsv", equal, refusalDifferences());
}

} // namespace
