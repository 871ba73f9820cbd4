// Layouts of the surface beside those that CuTe C++ computed, row by row of the oracle.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

using namespace tessera::cute;

namespace {
using Operation = Layout<> (*)(const Layout<> &, const Layout<> &);
const std::map<std::string, Layout<> (*)(const Layout<> &)> ofOne{
    {"coalesce", [](const Layout<> &a) { return coalesce(a); }},
    {"flatten", [](const Layout<> &a) { return flatten(a); }},
    {"filter", [](const Layout<> &a) { return filter(a); }},
    {"filter_zeros", [](const Layout<> &a) { return filter_zeros(a); }},
    {"right_inverse", [](const Layout<> &a) { return right_inverse(a); }},
    {"left_inverse", [](const Layout<> &a) { return left_inverse(a); }}};
const std::map<std::string, Operation> ofTwo{
    {"composition", [](const Layout<> &a, const Layout<> &b) { return composition(a, b); }},
    {"logical_divide", [](const Layout<> &a, const Layout<> &b) { return logical_divide(a, b); }},
    {"zipped_divide", [](const Layout<> &a, const Layout<> &b) { return zipped_divide(a, b); }},
    {"logical_product", [](const Layout<> &a, const Layout<> &b) { return logical_product(a, b); }},
    {"blocked_product", [](const Layout<> &a, const Layout<> &b) { return blocked_product(a, b); }},
    {"raked_product", [](const Layout<> &a, const Layout<> &b) { return raked_product(a, b); }},
    {"append", [](const Layout<> &a, const Layout<> &b) { return append(a, b); }},
    {"prepend", [](const Layout<> &a, const Layout<> &b) { return prepend(a, b); }}};

std::vector<std::string> split(const std::string &text, const std::string &at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + at.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}
/// Layouts only: no tile, no swizzle, and more than a number.
bool isLayout(const std::string &text) {
  return text.find(':') != std::string::npos && text.find_first_of("[So@_?<") == std::string::npos;
}
} // namespace

TEST(CuteOracle, LayoutsAreThoseOfCuteCpp) {
  const char *folder = std::getenv("TESSERA_ORACLE");
  if (!folder)
    GTEST_SKIP() << "TESSERA_ORACLE names no folder";
  std::ifstream table(std::string(folder) + "/layout_algebra.tsv");
  ASSERT_TRUE(table) << folder;
  testing::internal::CaptureStderr(); // the sentences of what is refused
  std::map<std::string, int> compared;
  int refused = 0, all = 0;
  for (std::string line; std::getline(table, line);) {
    std::vector<std::string> columns = split(line, "\t");
    if (columns.size() < 4)
      continue;
    const std::string &op = columns[1], &expected = columns[3];
    std::vector<std::string> args = split(columns[2], " | ");
    if (!isLayout(expected) || !std::all_of(args.begin(), args.end(), isLayout))
      continue;
    Layout<> result;
    if (auto f = ofOne.find(op); f != ofOne.end() && args.size() == 1)
      result = f->second(Layout<>(args[0].c_str()));
    else if (auto g = ofTwo.find(op); g != ofTwo.end() && args.size() == 2)
      result = g->second(Layout<>(args[0].c_str()), Layout<>(args[1].c_str()));
    else
      continue;
    // Where a composition is not a layout, CuTe C++ goes on with another function
    // (DISAGREEMENTS.md).
    if (result.is_poisoned()) {
      ++refused;
      continue;
    }
    std::string got = result.str();
    // The notation has no stride for a compact layout of one mode, and no tuple of one leaf:
    // compare functions of the same size.
    Layout<> mine(got.c_str()), theirs(expected.c_str());
    int n = int(size(theirs));
    ASSERT_EQ(int(size(mine)), n) << op << " " << columns[2] << " gives " << got << ", expected "
                                  << expected;
    for (int i = 0; i < n; i += 1 + n / 64)
      ASSERT_EQ(int(mine(i)), int(theirs(i)))
          << op << " " << columns[2] << " gives " << got << ", expected " << expected;
    ++compared[op];
    ++all;
  }
  testing::internal::GetCapturedStderr();
  std::printf("  refused: %d\n", refused);
  EXPECT_LT(refused, all / 40);
  for (const auto &[op, count] : compared)
    std::printf("  %s: %d\n", op.c_str(), count);
  EXPECT_EQ(compared.size(), ofOne.size() + ofTwo.size());
}
