// Finding ops with groups of operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/spellings/Generic.h"

#include "tessera/import/Quotes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace tessera::import {

namespace {
/// Ops that have groups of operands in CuTe DSL. Those with lists may have several in one.
struct GroupedOp {
  StringLiteral name;
  bool hasLists;
};
constexpr GroupedOp ops[] = {{"cute.memref.load_vec", false},  {"cute.copy", true},
                             {"cute.copy_atom_call", true},    {"cute.gemm", true},
                             {"cute.mma_atom_call", true},     {"cute.prefetch", true},
                             {"cute.prefetch_atom_call", true}};

/// Bytes after the name of an op in which its operands and properties end, if it is to be
/// respelled; no file has more.
constexpr size_t longest = 1 << 14;

/// A part of the text, and what stands there instead; in the order of the text.
using Changes = std::map<size_t, std::pair<size_t, std::string>>;

/// `operandSegmentSizes = array<i32: 1, 1, 1, 0>` in properties, with the comma that separates it
/// from the others, and its numbers.
struct Sizes {
  StringRef text;
  SmallVector<unsigned> numbers;
};
std::optional<Sizes> sizesIn(StringRef properties) {
  constexpr StringLiteral begin = "operandSegmentSizes = array<i32:";
  const size_t at = properties.find(begin);
  const size_t end = at == StringRef::npos ? at : properties.find('>', at);
  if (end == StringRef::npos)
    return std::nullopt;
  Sizes sizes{properties.slice(at, end + 1), {}};
  SmallVector<StringRef> numbers;
  properties.slice(at + begin.size(), end).split(numbers, ',');
  for (StringRef number : numbers)
    if (number.trim().getAsInteger(10, sizes.numbers.emplace_back()))
      return std::nullopt;
  StringRef before = properties.take_front(at).rtrim(' '), after = properties.substr(end + 1);
  if (after.ltrim(' ').starts_with(","))
    sizes.text = properties.slice(at, properties.find(',', end) + 1);
  else if (before.ends_with(","))
    sizes.text = properties.slice(before.size() - 1, end + 1);
  return sizes;
}

/// The op at `line`, whose operands begin with `(`; `place` is where the line is in the text.
void respellGeneric(const GroupedOp &op, StringRef line, size_t place, Changes &changes) {
  const size_t close = line.find(')');
  if (close == StringRef::npos)
    return;
  StringRef rest = line.substr(close + 1).ltrim(' ');
  const size_t end = rest.find("}>");
  if (!rest.starts_with("<{") || end == StringRef::npos)
    return;
  StringRef properties = rest.slice(2, end);
  std::optional<Sizes> sizes = sizesIn(properties);
  if (!sizes)
    return;
  if (any_of(sizes->numbers, [](unsigned size) { return size > 1; })) {
    if (op.hasLists)
      changes[place - 1] = {0, groupedSuffix.str()}; // before the quotation mark
    return;
  }
  // A mask of a load has a group of its own, which the row for loads with one reads.
  if (!op.hasLists && any_of(drop_begin(sizes->numbers), [](unsigned size) { return size; })) {
    changes[place - 1] = {0, groupedSuffix.str()};
    return;
  }
  const bool alone = properties.trim(' ') == sizes->text;
  StringRef blank = alone ? rest.take_front(end + 2) : sizes->text;
  changes[place + size_t(blank.data() - line.data())] = {blank.size(),
                                                         std::string(blank.size(), ' ')};
}
} // namespace

std::optional<std::string> respellGroups(StringRef text) {
  Changes changes;
  for (const GroupedOp &op : ops) {
    Quotes quotes(text);
    for (size_t at = text.find(op.name); at != StringRef::npos;
         at = text.find(op.name, at + op.name.size())) {
      StringRef before = text.slice(at - std::min<size_t>(at, 1), at);
      size_t place = at + op.name.size();
      StringRef line = text.substr(place, longest).take_until([](char c) { return c == '\n'; });
      const bool generic = before.consume_back("\"") && line.consume_front("\"");
      place += generic;
      if (!line.starts_with("(") || quotes.hold(at - generic))
        continue;
      if (generic)
        respellGeneric(op, line, place, changes);
      else if (op.hasLists && line.take_front(line.find(')')).contains('[') &&
               (before.empty() || StringRef(" \t\n").contains(before.back())))
        changes[place] = {0, groupedSuffix.str()};
    }
  }
  if (changes.empty())
    return std::nullopt;
  std::string changed;
  size_t copied = 0;
  for (const auto &[at, change] : changes) {
    changed += text.slice(copied, at);
    changed += change.second;
    copied = at + change.first;
  }
  return changed + text.substr(copied).str();
}

} // namespace tessera::import
