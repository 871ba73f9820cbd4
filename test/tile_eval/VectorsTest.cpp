// Elementwise ops against vectors.tsv, which vectors.py computes with exact fractions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TESSERA_TILE_VECTORS names another file of that form, of more rows.
#include "Kernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_eval::test;

namespace {

struct Row {
  Codes operands;
  std::string expected; // a code, "nan", or "!Id"
};
struct Group {
  std::string title;
  Op op = Op::Return; // until its name is found
  Attributes attributes;
  Types operands;
  std::string result;
  std::vector<Row> rows;
};

TypeKind kindOf(const std::string &text) {
  for (const tile_bytecode::TypeRow &row : tile_bytecode::typeRows)
    if (row.text == text)
      return row.kind;
  return TypeKind::Token;
}

std::vector<Group> readGroups(const std::string &path) {
  std::ifstream file(path);
  std::vector<Group> out;
  for (std::string line; std::getline(file, line);) {
    std::stringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
      words.push_back(word);
    if (line.find("->") != line.npos) {
      Group group;
      group.title = line;
      group.result = words.back();
      if (auto *row = tile_bytecode::findOpName(words[0]))
        group.op = row->op;
      std::stringstream attributes(words[1]);
      for (std::string one; words[1] != "." && std::getline(attributes, one, ',');)
        group.attributes.push_back(one == "-" ? std::nullopt : std::optional(std::stoull(one)));
      group.operands.assign(words.begin() + 2, words.end() - 2);
      out.push_back(std::move(group));
      continue;
    }
    Row row;
    row.expected = words.back();
    for (size_t i = 0; i + 1 < words.size(); ++i)
      row.operands.push_back(std::stoull(words[i], nullptr, 16));
    out.back().rows.push_back(std::move(row));
  }
  return out;
}

/// Functions of f64 may differ by one unit in the last place, as C's do.
bool isFunction(Op op) {
  switch (op) {
  case Op::Exp:
  case Op::Exp2:
  case Op::Log:
  case Op::Log2:
  case Op::Rsqrt:
  case Op::Sin:
  case Op::Cos:
  case Op::Tan:
  case Op::SinH:
  case Op::CosH:
  case Op::TanH:
  case Op::FPowF:
  case Op::FPowI:
  case Op::Atan2: return true;
  default: return false;
  }
}
bool agrees(const Group &group, uint64_t got, const std::string &expected) {
  TypeKind kind = kindOf(group.result);
  if (expected == "nan")
    return isNan(kind, got);
  uint64_t code = std::stoull(expected, nullptr, 16);
  if (kind == TypeKind::F64 && isFunction(group.op))
    return got - code + 1 <= 2;
  return got == code;
}

/// All rows without an error in one tile, and each with an error alone.
void check(const Group &group) {
  std::vector<std::vector<Tile>> operands(group.operands.size());
  std::vector<const Row *> together;
  for (const Row &row : group.rows) {
    if (row.expected[0] != '!') {
      together.push_back(&row);
      continue;
    }
    for (size_t k = 0; k < operands.size(); ++k)
      operands[k] = {{group.operands[k], {row.operands[k]}}};
    std::string outcome = One().outcome(group.op, {group.result}, group.attributes, operands);
    EXPECT_TRUE(outcome.starts_with(row.expected.substr(1) + ": "))
        << group.title << ": " << outcome << ", not " << row.expected;
  }
  if (together.empty())
    return;
  size_t count = std::bit_ceil(std::max<size_t>(together.size(), 2));
  std::string shape = cat(count, "x");
  for (size_t k = 0; k < operands.size(); ++k) {
    Codes codes;
    for (size_t i = 0; i < count; ++i)
      codes.push_back(together[std::min(i, together.size() - 1)]->operands[k]);
    operands[k] = {{shape + group.operands[k], codes}};
  }
  auto results = One().run(group.op, {shape + group.result}, group.attributes, operands);
  ASSERT_TRUE(results) << group.title << ": " << results.reason().text;
  for (size_t i = 0; i < together.size(); ++i) {
    std::stringstream given;
    for (uint64_t code : together[i]->operands)
      given << " " << std::hex << code;
    EXPECT_TRUE(agrees(group, (*results)[0][i], together[i]->expected))
        << group.title << ":" << given.str() << " gives " << std::hex << (*results)[0][i]
        << ", not " << together[i]->expected;
  }
}

} // namespace

TEST(Vectors, AreWhatExactArithmeticGives) {
  const char *other = std::getenv("TESSERA_TILE_VECTORS");
  std::vector<Group> groups = readGroups(other ? other : TESSERA_TILE_TESTS "/vectors.tsv");
  ASSERT_GT(groups.size(), 1000u);
  for (const Group &group : groups) {
    ASSERT_NE(group.op, Op::Return) << group.title;
    check(group);
  }
}

// What the sentences of undefined behaviour say; vectors.tsv has when they come.
TEST(Vectors, ErrorsNameTheOperands) {
  auto binary = [](Op op, const Attributes &attributes, uint64_t a, uint64_t b) {
    return One().outcome(op, {"2xi8"}, attributes, {{{"2xi8", {1, a}}}, {{"2xi8", {1, b}}}});
  };
  auto where = [](const char *op) {
    return cat(op, " of kernel 'k' in tile block (0, 0, 0), element (1): ");
  };
  EXPECT_EQ(binary(Op::DivI, {1, 1}, 5, 0),
            cat("DivisionByZero: ", where("divi"), "expects a divisor other than 0"));
  EXPECT_EQ(binary(Op::DivI, {1, 1}, 0x80, 0xff),
            cat("DivisionOverflow: ", where("divi"),
                "expects a quotient that fits, but the least integer is divided by -1"));
  EXPECT_EQ(binary(Op::ShLI, {0}, 5, 8),
            cat("ShiftCount: ", where("shli"), "expects a shift by less than 8, but got 8"));
  EXPECT_EQ(binary(Op::AddI, {1}, 0x7f, 1),
            cat("Overflow: ", where("addi"),
                "expects no signed overflow, but the operands are 127 and 1"));
  EXPECT_EQ(binary(Op::SubI, {2}, 1, 2),
            cat("Overflow: ", where("subi"),
                "expects no unsigned overflow, but the operands are 1 and 2"));
  EXPECT_EQ(
      One().outcome(Op::FToI, {"2xi8"}, {std::nullopt, 1, 6}, {{{"2xf32", {0, 0x43000000}}}}),
      cat("FloatToInteger: ", where("ftoi"), "expects a number that fits signed i8, but got 128"));
}

// cuTile Python's x // y of unsigned numbers.
TEST(Vectors, DivideUnsignedNumbersRoundingDown) {
  auto quotients = One().run(Op::DivI, {"4xi8"}, {0, 2},
                             {{{"4xi8", {7, 255, 254, 200}}}, {{"4xi8", {2, 128, 255, 7}}}});
  ASSERT_TRUE(quotients) << quotients.reason().text;
  EXPECT_EQ((*quotients)[0], (Codes{3, 1, 0, 28}));
}
