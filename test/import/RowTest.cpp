// Every row, in both spellings, becomes what LLVM 22 calls it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"
#include "Session.h"

#include "tessera/import/Row.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace tessera::import::test {

static bool usesCute(const Case &test) { return test.row.starts_with("cu"); }

static std::string function(const Case &test, const std::string &body) {
  std::string out = "func.func @k(";
  for (const auto &[name, type] : usesCute(test) ? cuteArguments : arguments)
    out += cat(out.back() == '(' ? "%" : ", %", name, ": ", type);
  return out + ") {\n" + body + "\nreturn\n}\n";
}

/// The lines between the function's head and `return`, with the arguments' own names.
static std::string body(const Case &test, std::string text) {
  const auto &names = usesCute(test) ? cuteArguments : arguments;
  for (size_t i = names.size(); i-- > 0;)
    text = std::regex_replace(text, std::regex("%arg" + std::to_string(i) + "\\b"),
                              "%" + names[i].first);
  text = text.substr(text.find("{\n    ") + 1);
  text = text.substr(1, text.find("return") - 1);
  text = std::regex_replace(text, std::regex("^ +", std::regex::multiline), "");
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

TEST(Rows, BecomeWhatLlvm22Calls) {
  for (const Case &test : cases())
    for (const std::string &spelling : {test.custom, test.generic}) {
      if (spelling.empty())
        continue;
      SCOPED_TRACE(spelling);
      Session session;
      ASSERT_TRUE(session.read(function(test, spelling)))
          << (session.diagnostics().empty() ? "" : session.diagnostics().front());
      std::string text = session.text();
      EXPECT_EQ(std::regex_replace(body(test, text.substr(text.find("func.func"))),
                                   std::regex("  +"), " "),
                test.expected);
    }
}

TEST(Rows, HaveATestEach) {
  std::set<std::string> generic, custom;
  for (const Case &test : cases()) {
    generic.insert(test.row);
    if (!test.custom.empty())
      custom.insert(test.row);
  }
  for (const Row &row : rows()) {
    EXPECT_TRUE(generic.contains(row.name.str())) << row.name.str() << " has no case";
    EXPECT_EQ(custom.contains(row.name.str()), !row.form.empty())
        << row.name.str() << ": the custom form";
  }
}

TEST(Rows, AreNamedOnce) {
  std::set<std::string> names;
  for (const Row &row : rows())
    EXPECT_TRUE(names.insert(row.name.str()).second) << row.name.str();
}

} // namespace tessera::import::test
