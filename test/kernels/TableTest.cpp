// Tables of `tessera tune gemm`, made at random: read or refused as their grammar says, written as
// they were read, and looked up as a walk over all rows does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/choice/GemmModel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <regex>

namespace tessera::kernels {
namespace {

/// The same in every run.
class Tables : public testing::Test {
protected:
  size_t below(size_t n) { return random() % n; }
  template <class T, size_t N> const T &one(const T (&of)[N]) { return of[below(N)]; }

  std::string type() {
    return one(
        {"bf16", "f16", "tf32", "f8E4M3FN", "f8E5M2", "i8", "u8", "f4E2M1FN", "f64", "", "a b"});
  }
  /// What is usual, what is at a limit, and what is none.
  std::string extent() { return one({"1", "64", "512", "4096", "11008", "2147483647", "007"}); }
  std::string schedule(size_t field) {
    static const char *const usual[5][4] = {{"64", "128", "192", "256"},
                                            {"2", "4", "6", "8"},
                                            {"1", "2", "4", "8"},
                                            {"1", "8", "16", "2147483647"},
                                            {"1", "2", "8", "2147483647"}};
    return below(8) ? usual[field][below(4)] : one({"3", "65536", "16777216", "2147483647"});
  }
  std::string blanks() { return one({"", "", " ", "  ", "\t"}); }

  std::string row() {
    std::string line = blanks() + "GEMM(" + type() + "," + blanks() + type();
    for (int i = 0; i < 3; ++i)
      line += "," + blanks() + extent() + blanks();
    for (size_t i = 0; i < 5; ++i)
      line += "," + blanks() + schedule(i) + blanks();
    if (!below(3))
      line += "," + blanks() + one({"8", "64", "128", "256", "007"}) + blanks() + "," + blanks() +
              one({"cooperative", "pingpong", "swapped"}) + blanks();
    return line + ")" + blanks() + one({"", "", "// 0.5 ms", "//", "// of // two", "//GEMM(a)"});
  }
  /// A line that is wrong more often than not.
  std::string changed(std::string line) {
    size_t at = below(line.size()), other = below(line.size());
    switch (below(6)) {
    case 0: line.erase(at, 1 + below(4)); break;
    case 1: line.insert(at, line.substr(other, 1 + below(8))); break;
    case 2:
      line.replace(at, 1, one({"0", "-1", "2147483648", "99999999999999999999", "0x10", "+1"}));
      break;
    case 3: line.replace(at, 1, one({",", "(", ")", "/", "//", " ", "GEMM("})); break;
    case 4: line += one({")", ",", " x", "/"}); break;
    default: line[at] = char(1 + below(126));
    }
    std::erase(line, '\n');
    return line;
  }

  /// The numbers of a line as the grammar in GemmTable.def has it; none for no row.
  struct Line {
    bool isRow = false, isWrong = false;
    std::string a, b;
    std::vector<int64_t> numbers;
    std::string form = "cooperative";
  };
  static Line read(const std::string &whole) {
    Line line;
    const std::string text = whole.substr(0, whole.find("//"));
    if (text.find_first_not_of(" \t\n\v\f\r") == text.npos)
      return line;
    static const std::regex form(
        R"(\s*GEMM\(([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),([^,]*)(?:,([^,]*),([^,]*))?\)\s*)");
    static const std::regex number(R"(\s*0*(\d{1,10})\s*)");
    std::smatch fields, digits;
    line.isWrong = !std::regex_match(text, fields, form);
    bool more = !line.isWrong && fields[12].matched;
    for (size_t i = 3; !line.isWrong && i <= 11; ++i) {
      const std::string field = i <= 10 || more ? std::string(fields[i]) : "128";
      line.isWrong = !std::regex_match(field, digits, number);
      line.numbers.push_back(line.isWrong ? 0 : std::stoll(digits[1]));
      line.isWrong |= line.numbers.back() < 1 || line.numbers.back() > 2147483647;
    }
    if (more) {
      line.form = trimmed(fields[12]);
      line.isWrong |=
          line.form != "cooperative" && line.form != "pingpong" && line.form != "swapped";
    }
    line.isRow = !line.isWrong;
    if (line.isRow)
      line.a = trimmed(fields[1]), line.b = trimmed(fields[2]);
    return line;
  }
  static std::string trimmed(const std::string &text) {
    return std::regex_replace(text, std::regex(R"(^\s+|\s+$)"), "");
  }

  std::mt19937 random{17};
};

TEST_F(Tables, AreReadAsTheirGrammarSays) {
  size_t wrong = 0, rows = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::vector<std::string> lines = {"// a comment", "", "  // another"};
    lines.resize(below(4));
    for (size_t n = 1 + below(4); n > 0; --n)
      lines.push_back(below(3) ? row() : changed(row()));
    if (!below(4))
      lines.insert(lines.begin() + ptrdiff_t(below(lines.size())),
                   one({"", "// more", "nonsense"}));
    std::string text;
    std::vector<Line> expected;
    size_t firstWrong = 0;
    for (size_t at = 0; at < lines.size(); ++at) {
      text += lines[at] + (at + 1 < lines.size() || below(2) ? "\n" : "");
      Line line = read(lines[at]);
      if (line.isWrong && !firstWrong)
        firstWrong = at + 1;
      if (line.isRow)
        expected.push_back(line);
    }
    Result<GemmTable> table = GemmTable::parse(text);
    ASSERT_EQ(bool(table), !firstWrong) << text;
    if (firstWrong) {
      EXPECT_NE(table.reason().text.find(cat("line ", firstWrong)), std::string::npos)
          << table.reason().text << "\n"
          << text;
      ++wrong;
      continue;
    }
    ASSERT_EQ(table->rows.size(), expected.size()) << text;
    for (size_t r = 0; r < expected.size(); ++r) {
      const GemmRow &got = table->rows[r];
      const GemmSchedule &s = got.schedule;
      EXPECT_EQ(got.a, expected[r].a) << text;
      EXPECT_EQ(got.b, expected[r].b) << text;
      EXPECT_EQ((std::vector<int64_t>{got.shape.m, got.shape.n, got.shape.k, s.tileN, s.stages,
                                      s.cluster, s.group, s.splitK, s.tileM}),
                expected[r].numbers)
          << text;
      EXPECT_EQ(s.swap, expected[r].form == "swapped") << text;
      EXPECT_EQ(s.pingpong, expected[r].form == "pingpong") << text;
      ++rows;
    }
    std::string written = table->str();
    Result<GemmTable> again = GemmTable::parse(written);
    ASSERT_TRUE(again) << written;
    EXPECT_EQ(again->str(), written);
    EXPECT_EQ(again->rows.size(), table->rows.size()) << written;
    EXPECT_EQ(again->head, table->head) << written;
  }
  EXPECT_GT(wrong, 2000u); // both happen often
  EXPECT_GT(rows, 5000u);
}

TEST_F(Tables, AreLookedUpAsAWalkOverTheRowsDoes) {
  size_t found = 0, exact = 0;
  const std::vector<std::pair<std::string, int>> bits = {
      {"bf16", 16}, {"f16", 16}, {"tf32", 32}, {"f8E4M3FN", 8}, {"i8", 8}};
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (size_t n = below(12); n > 0; --n)
      text += row() + "\n";
    Result<GemmTable> table = GemmTable::parse(text);
    ASSERT_TRUE(table) << text;
    auto [name, width] = bits[below(bits.size())];
    for (const GemmRow &row : table->rows) // of a row, where its types can be multiplied
      for (const auto &[known, its] : bits)
        if (row.a == known && row.b == known)
          name = known, width = its;
    GemmConfig config;
    config.a = config.b = name;
    if (name == "i8")
      config.d = "i32";
    Result<GemmShape> shape = GemmShape::parse(cat(extent(), "x", extent(), "x", extent()));
    ASSERT_TRUE(shape);
    if (below(2) && !table->rows.empty())
      *shape = table->rows[below(table->rows.size())].shape;
    const GemmRow *nearest = table->nearest(config, *shape), *same = table->exact(config, *shape);
    // Each distance by itself, from what GemmTable.h says.
    double least = INFINITY, ofNearest = INFINITY;
    for (const GemmRow &row : table->rows) {
      GemmConfig with = config;
      row.schedule.applyTo(with);
      if (refused(with))
        continue;
      int other = row.a == "tf32"                                             ? 32
                  : row.a == "f4E2M1FN"                                       ? 4
                  : row.a == "i8" || row.a == "u8" || row.a.starts_with("f8") ? 8
                                                                              : 16;
      double types = row.a == name && row.b == name ? 0 : other == width ? 1 : 2;
      double far =
          types + std::fabs(std::log2(double(row.shape.m)) - std::log2(double(shape->m))) +
          std::fabs(std::log2(double(row.shape.n)) - std::log2(double(shape->n))) +
          std::fabs(std::log2(double(row.shape.k) * other) - std::log2(double(shape->k) * width));
      least = std::min(least, far);
      if (nearest == &row)
        ofNearest = far;
    }
    EXPECT_EQ(nearest != nullptr, least < INFINITY) << text;
    if (nearest)
      EXPECT_NEAR(ofNearest, least, 1e-9) << text;
    if (same) {
      ++exact;
      EXPECT_EQ(same->shape, *shape);
      EXPECT_EQ(same->a + same->b, name + name);
    }
    found += nearest != nullptr;
    for (const GemmSchedule &schedule : candidates(config, *shape, *table, ratesOf())) {
      GemmConfig with = config;
      schedule.applyTo(with);
      EXPECT_FALSE(refused(with)) << schedule.str();
    }
    // A row that is put is the one that is found, and no other changes.
    if (table->rows.empty())
      continue;
    GemmTable more = *table;
    GemmRow put = table->rows[below(table->rows.size())];
    put.schedule = GemmSchedule::of(config);
    put.comment = "put";
    more.put(put);
    EXPECT_EQ(more.rows.size(), table->rows.size());
    EXPECT_EQ(std::count_if(more.rows.begin(), more.rows.end(),
                            [](const GemmRow &r) { return r.comment == "put"; }),
              1);
    put.shape.m = 77;
    more.put(put);
    EXPECT_EQ(more.rows.size(), table->rows.size() + 1);
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(exact, 20u);
}

} // namespace
} // namespace tessera::kernels
