// The table of ops against one that was written from the format's public writers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TESSERA_CUTILE names a folder with tools/enc_table.txt: code | name | version | results | flags |
// attributes | operands | regions.
#include "tessera/tile_bytecode/Ops.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tessera;
using namespace tessera::tile_bytecode;

namespace {

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}
std::vector<std::string> split(const std::string &text, char by) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, by);)
    if (by != ' ' || !part.empty())
      out.push_back(trimmed(part));
  return out;
}
/// "token (>=13.2)" of the bits of a row, as the table of that file writes them.
std::vector<std::string> flagsText(const OpRow &row) {
  std::vector<std::string> out;
  for (const FlagColumn &flag : flagsOf(row.op)) {
    std::string_view name =
        flag.isOperand ? row.operands[flag.column].name : row.attributes[flag.column].name;
    out.push_back(cat(name, flag.since > row.since ? cat(" (>=", flag.since.str(), ")") : ""));
  }
  return out;
}
std::vector<std::string> attributesText(const OpRow &row) {
  std::vector<std::string> out;
  Version version = row.since;
  for (const AttributeColumn &column : row.attributes) {
    if (column.form == AttributeForm::Unit)
      continue;
    if (column.since != version && !column.isOptional)
      out.push_back(cat("[", column.since.str(), ":]"));
    version = column.isOptional ? version : column.since;
    out.emplace_back(column.name);
  }
  return out;
}
std::vector<std::string> operandsText(const OpRow &row) {
  std::vector<std::string> out;
  if (row.countsOperands)
    out.push_back("n");
  for (const OperandColumn &column : row.operands) {
    bool isList = column.count == OperandColumn::Variadic;
    out.push_back(cat(isList && !row.countsOperands ? "#" : "", column.name,
                      isList                                    ? "*"
                      : column.count == OperandColumn::Optional ? "?"
                                                                : ""));
  }
  return out;
}

} // namespace

TEST(Table, IsThatOfThePublicWriters) {
  const char *folder = std::getenv("TESSERA_CUTILE");
  if (!folder)
    GTEST_SKIP() << "TESSERA_CUTILE is not set";
  std::ifstream file(cat(folder, "/tools/enc_table.txt"));
  size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> columns = split(line, '|');
    if (columns.size() < 7)
      continue;
    columns.resize(8);
    ++rows;
    const OpRow *row = findOpCode(std::stoul(columns[0]));
    ASSERT_TRUE(row) << line;
    EXPECT_EQ(row->since.str(), columns[2]) << line;
    EXPECT_EQ(row->countsResults, columns[3].starts_with("N")) << line;
    if (!row->countsResults)
      EXPECT_EQ(std::to_string(row->results.size()), columns[3].empty() ? "0" : columns[3]) << line;
    EXPECT_EQ(flagsText(*row), split(columns[4], ',')) << line;
    std::vector<std::string> attributes = split(columns[5], ' ');
    for (std::string &attribute : attributes)
      if (attribute[0] != '[')
        attribute.resize(attribute.find(':'));
    EXPECT_EQ(attributesText(*row), attributes) << line;
    EXPECT_EQ(operandsText(*row), split(columns[6], ' ')) << line;
    EXPECT_EQ(int(row->regions), columns[7].empty() ? 0 : std::stoi(columns[7])) << line;
  }
  EXPECT_EQ(rows, 105u);
}
