// Every function with arguments of every kind, sensible or not: a value that reads back and obeys
// its laws, or a reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fuzzer finds such pairs late: it must guess a name and two values at once. Laws are checked by
// brute force (Laws.cpp).
#include "tessera/eval/Function.h"
#include "tessera/eval/Laws.h"
#include "tessera/eval/Report.h"

#include "tessera/eval/Points.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::eval;

namespace {
// clang-format off
constexpr const char *values[] = {
    "4", "?", "?{3}", "(?{0})", "?{1}", "-3", "0", "()", "(4)", "2@0", "(2,3@0)", "(4,8)", "((2,2),?)", "(4,(2,?{8}))", "_",
    "(_,1)", "4:1", "4:0", "8:-1", "?:1", "4:?{-2}", "4:1@0", "4:2@1@0", "(4,8):(8,1)",
    "(4,8):(0,1)", "((2,2),(4,2)):((1,8),(2,16))", "(4,8):(1@0,1@1)", "(4,(2,2)):(0,(1@1@1,1@0))",
    "(?,?):(1,?)", "(4,?{8}):(?{8},1)", "(4,8):(1,1)", "(1,1):(0,0)", "():()", "S<2,0,3>",
    "S<2,0,3> o 8 o (4,8):(1,4)", "S<2,0,3> o ? o (4,8):(1,4)", "(4,8):(1,4) o 3 o (2,2):(1,4)",
    "[2:1;4:1]", "[_;4:1]", "9223372036854775807", "(4611686018427387904,4):(1,2)", "<0>",
    "<0,2>", "16->32",
};
// clang-format on

/// What is wrong with the evaluation of an expression; "" if nothing is.
std::string faultOf(const std::string &expression) {
  const Evaluation done = evaluate(expression);
  if (!done.ok())
    return done.refusal.reason.id.empty() || done.refusal.reason.text.empty()
               ? "refused without a reason"
               : "";
  if (str(*done.result, done.values).empty())
    return "prints as nothing";
  const layout::AnyLayout *l = layoutOf(*done.result);
  std::optional<Value> known = l ? resolved(Value(*l), done.values) : std::nullopt;
  constexpr int64_t largestWalked = 1 << 12;
  if (!known || sizeOf(layoutOf(*known)->shape()) > largestWalked)
    return "";
  for (const Law &law : laws()) {
    if (law.functions.empty())
      continue;
    Result<Verdict> verdict = check(law.name, done);
    if (verdict && !verdict->holds)
      return cat("the law ", law.name, " fails: ", verdict->text);
  }
  return "";
}
} // namespace

TEST(AnyArguments, GiveAValueOrAReason) {
  auto probe = [](const std::string &expression) {
    EXPECT_EQ(faultOf(expression), "") << expression;
  };
  for (std::span<const Function> table : allFunctions())
    for (const Function &function : table)
      for (const char *a : values) {
        if (function.parameters.least() <= 1)
          probe(cat(function.name, "(", a, ")"));
        if (function.parameters.least() <= 2 && function.parameters.most() >= 2)
          for (const char *b : values)
            probe(cat(function.name, "(", a, ", ", b, ")"));
      }
}
