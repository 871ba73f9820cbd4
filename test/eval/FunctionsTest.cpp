// One case or more for every row of the function table, in the form of a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Evaluate.h"

#include <gtest/gtest.h>

#include <set>

using namespace tessera;
using namespace tessera::eval;

namespace {

struct Case {
  std::string_view line, result;
};
const Case cases[] = {
#include "test/eval/Functions.def"
};

TEST(Functions, GiveWhatTheTableSays) {
  for (const Case &c : cases)
    EXPECT_EQ(evaluateLine(std::string(c.line)).text, c.result) << c.line;
}

TEST(Functions, EveryRowHasACase) {
  std::set<std::string_view> named;
  for (const Case &c : cases)
    named.insert(c.line.substr(0, c.line.find('(')));
  for (std::span<const Function> table : allFunctions())
    for (const Function &row : table)
      EXPECT_TRUE(named.contains(row.name))
          << row.name << " has no case in test/eval/Functions.def";
}

TEST(Functions, NamesAreUnique) {
  std::set<std::string_view> names;
  for (std::span<const Function> table : allFunctions())
    for (const Function &row : table)
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(Functions, EveryRowRefusesWrongArgumentsWithItsName) {
  for (std::span<const Function> table : allFunctions())
    for (const Function &row : table) {
      Evaluation none = evaluate(cat(row.name, "()"));
      ASSERT_FALSE(none.ok()) << row.name;
      EXPECT_EQ(none.refusal.reason.id, "ArgumentCount") << row.name;
      EXPECT_EQ(none.refusal.help, cat("write ", signature(row)));
    }
}

} // namespace
