// The table of ops, parsed from the texts of Ops.def when this file is compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_bytecode/Ops.h"

#include <algorithm>

namespace tessera::tile_bytecode {

namespace {

/// The words of a text, from the left.
struct Words {
  std::string_view rest;

  constexpr std::string_view take() {
    while (!rest.empty() && rest[0] == ' ')
      rest.remove_prefix(1);
    size_t end = std::min(rest.find(' '), rest.size());
    std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
  }
};

/// The part of a word after a character, which is cut off with the character; empty if it has none.
constexpr std::string_view cutAfter(std::string_view &word, char sign) {
  size_t at = word.find(sign);
  if (at == word.npos)
    return {};
  std::string_view after = word.substr(at + 1);
  word = word.substr(0, at);
  return after;
}
constexpr bool cutEnd(std::string_view &word, char sign) {
  bool found = !word.empty() && word.back() == sign;
  word.remove_suffix(found);
  return found;
}
constexpr unsigned number(std::string_view digits) {
  unsigned value = 0;
  for (char c : digits)
    value = c >= '0' && c <= '9' ? value * 10 + unsigned(c - '0') : throw "expects digits";
  return value;
}
/// "13.3", or the op's own where there is none.
constexpr Version version(std::string_view text, Version otherwise) {
  if (text.empty())
    return otherwise;
  std::string_view minor = cutAfter(text, '.');
  return {uint8_t(number(text)), uint8_t(number(minor))};
}

struct NamedEnum {
  std::string_view name;
  std::span<const Keyword> keywords;
};
constexpr NamedEnum enums[] = {
#define ENUM(name, ...) {#name, keywords::name},
#include "tessera/tile_bytecode/Enums.def"
#undef ENUM
};
struct NamedForm {
  std::string_view name;
  AttributeForm form;
};
constexpr NamedForm forms[] = {
    {"Unit", AttributeForm::Unit},           {"Int", AttributeForm::Int},
    {"Bool", AttributeForm::Bool},           {"String", AttributeForm::String},
    {"Type", AttributeForm::Type},           {"Constant", AttributeForm::Constant},
    {"I32s", AttributeForm::I32s},           {"Bools", AttributeForm::Bools},
    {"Array", AttributeForm::Array},         {"Hints", AttributeForm::Hints},
    {"Predicate", AttributeForm::Predicate},
};

constexpr AttributeColumn parseAttribute(std::string_view word, Version since) {
  AttributeColumn out;
  std::string_view byDefault = cutAfter(word, '=');
  out.since = version(cutAfter(word, '@'), since);
  std::string_view kind = cutAfter(word, ':');
  out.isOptional = cutEnd(word, '?');
  out.name = word;
  bool known = false;
  for (const NamedForm &form : forms)
    if (form.name == kind) {
      out.form = form.form;
      known = true;
    }
  for (const NamedEnum &e : enums)
    if (e.name == kind) {
      out.form = AttributeForm::Enum;
      out.keywords = e.keywords;
      known = true;
    }
  if (!known)
    throw "expects a kind of attributes";
  out.isOptional |= out.form == AttributeForm::Unit;
  if (byDefault.empty())
    return out;
  out.hasDefault = true;
  if (out.form != AttributeForm::Enum) {
    out.byDefault = uint8_t(number(byDefault));
    return out;
  }
  for (size_t i = 0; i < out.keywords.size(); ++i)
    if (out.keywords[i].text == byDefault) {
      out.byDefault = uint8_t(i);
      return out;
    }
  throw "expects a keyword of the enumeration";
}

constexpr OperandColumn parseOperand(std::string_view word, Version since) {
  OperandColumn out;
  out.since = version(cutAfter(word, '@'), since);
  if (word[0] == '#')
    word.remove_prefix(1);
  out.count = cutEnd(word, '?')   ? OperandColumn::Optional
              : cutEnd(word, '*') ? OperandColumn::Variadic
                                  : OperandColumn::One;
  out.name = word;
  return out;
}

constexpr OpRow parse(Op op, unsigned code, std::string_view name, Version since,
                      std::string_view results, std::string_view attributes,
                      std::string_view operands, uint8_t regions) {
  OpRow row;
  row.op = op;
  row.code = uint16_t(code);
  row.name = name;
  row.since = since;
  row.regions = regions;
  Words words{results};
  for (std::string_view word = words.take(); !word.empty(); word = words.take()) {
    Version of = version(cutAfter(word, '@'), since);
    if (word == "n") {
      row.countsResults = true;
      continue;
    }
    bool isVariadic = cutEnd(word, '*');
    row.results.add({word, of, isVariadic});
  }
  words = {attributes};
  for (std::string_view word = words.take(); !word.empty(); word = words.take())
    row.attributes.add(parseAttribute(word, since));
  words = {operands};
  for (std::string_view word = words.take(); !word.empty(); word = words.take())
    if (word == "n")
      row.countsOperands = true;
    else
      row.operands.add(parseOperand(word, since));
  return row;
}

constexpr OpRow table[] = {
#define OP(code, id, name, major, minor, results, attributes, operands, regions)                   \
  parse(Op::id, code, name, {major, minor}, results, attributes, operands, regions),
#include "tessera/tile_bytecode/Ops.def"
#undef OP
};

constexpr Columns<FlagColumn, 6> makeFlags(const OpRow &row) {
  Columns<FlagColumn, 6> all;
  for (size_t i = 0; i < row.attributes.size(); ++i)
    if (row.attributes[i].isOptional)
      all.add({false, uint8_t(i), row.attributes[i].since});
  for (size_t i = 0; i < row.operands.size() && !row.countsOperands; ++i)
    if (row.operands[i].count == OperandColumn::Optional)
      all.add({true, uint8_t(i), row.operands[i].since});
  // Parts of older versions first.
  for (size_t i = 1; i < all.size(); ++i)
    for (size_t j = i; j && all.columns[j].since < all.columns[j - 1].since; --j)
      std::swap(all.columns[j], all.columns[j - 1]);
  return all;
}
constexpr auto flagTable = [] {
  std::array<Columns<FlagColumn, 6>, std::size(table)> out{};
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = makeFlags(table[i]);
  return out;
}();

/// Places in the table by opcode; the ops of tests come after them.
constexpr size_t denseCodes = 128;
constexpr uint8_t noOp = 0xff;
constexpr auto byCode = [] {
  std::array<uint8_t, denseCodes> out;
  out.fill(noOp);
  for (size_t i = 0; i < std::size(table); ++i)
    if (table[i].code < denseCodes)
      out[table[i].code] = uint8_t(i);
  return out;
}();

} // namespace

const OpRow *const opRows = table;
const size_t opCount = std::size(table);

const OpRow *findOpCode(uint64_t code) {
  if (code < denseCodes)
    return byCode[code] == noOp ? nullptr : &table[byCode[code]];
  for (const OpRow &row : table)
    if (row.code == code)
      return &row;
  return nullptr;
}
const OpRow *findOpName(std::string_view name) {
  for (const OpRow &row : table)
    if (row.name == name)
      return &row;
  return nullptr;
}
const Columns<FlagColumn, 6> &flagsOf(Op op) { return flagTable[size_t(op)]; }

} // namespace tessera::tile_bytecode
