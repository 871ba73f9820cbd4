// Matches mnemonics against the forms of the table, and writes the table as Markdown.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Rows.h"

#include <algorithm>
#include <map>

namespace tessera::sim {

namespace {

constexpr ModifierSet sets[] = {
#define SET(name, words) {name, words},
#include "tessera/sim/Sets.def"
#undef SET
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    size_t end = std::min(text.find(at), text.size());
    if (end)
      out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// One word of a form, its sets replaced by their members.
struct Item {
  std::vector<std::string_view> words;
  bool optional = false, repeated = false, rest = false;

  bool matches(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};

Item itemOf(std::string_view text) {
  Item item;
  item.rest = text == "...";
  item.optional = text.front() == '?';
  item.repeated = text.front() == '*';
  if (item.optional || item.repeated)
    text.remove_prefix(1);
  for (std::string_view word : split(text, '|')) {
    auto set = std::find_if(std::begin(sets), std::end(sets),
                            [&](const ModifierSet &s) { return s.name == word; });
    if (set == std::end(sets))
      item.words.push_back(word);
    else
      for (std::string_view member : split(set->words, '|'))
        item.words.push_back(member);
  }
  return item;
}

using Words = std::span<const std::string_view>;
bool matches(std::span<const Item> items, Words words) {
  if (items.empty())
    return words.empty();
  const Item &item = items.front();
  if (item.rest)
    return true;
  if (!words.empty() && item.matches(words.front()) &&
      matches(item.repeated ? items : items.subspan(1), words.subspan(1)))
    return true;
  return (item.optional || item.repeated) && matches(items.subspan(1), words);
}

struct Compiled {
  const InstructionRow *row;
  std::vector<Item> items;
};
/// Rows by the first word of their forms.
const std::map<std::string_view, std::vector<Compiled>> &index() {
  static const auto all = [] {
    std::map<std::string_view, std::vector<Compiled>> out;
    for (const RowGroup &group : rowGroups())
      for (const InstructionRow &row : group.rows) {
        std::vector<std::string_view> words = split(row.form, ' ');
        Compiled compiled{&row, {}};
        for (size_t i = 1; i < words.size(); ++i)
          compiled.items.push_back(itemOf(words[i]));
        out[words.front()].push_back(std::move(compiled));
      }
    return out;
  }();
  return all;
}

/// `add{.sat}.s32` of `add ?sat s32`.
std::string spelled(std::string_view form) {
  std::string out;
  for (std::string_view word : split(form, ' ')) {
    bool loose = word.front() == '?' || word.front() == '*';
    std::string_view bare = loose ? word.substr(1) : word;
    bool choice = bare.find('|') != bare.npos;
    std::string dot = out.empty() ? "" : ".";
    out += cat(loose ? "{" : "", dot, choice ? "(" : "", bare, choice ? ")" : "", loose ? "}" : "",
               word.front() == '*' ? "*" : "");
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

} // namespace

std::span<const ModifierSet> modifierSets() { return sets; }

std::span<const RowGroup> rowGroups() {
  static const RowGroup groups[] = {integerRows, logicRows,  floatRows,  compareRows, convertRows,
                                    moveRows,    memoryRows, atomicRows, controlRows, warpRows,
                                    barrierRows, mmaRows, groupRows, matrixRows, asyncRows, bulkRows, tensorMapRows};
  return groups;
}

bool Modifiers::has(std::string_view word) const {
  return std::find(words.begin() + 1, words.end(), word) != words.end();
}

int Modifiers::pick(std::initializer_list<std::string_view> choices, int otherwise) const {
  for (size_t i = 0; i < choices.size(); ++i)
    if (has(choices.begin()[i]))
      return int(i);
  return otherwise;
}

Modifiers modifiersOf(std::string_view mnemonic) {
  Modifiers out;
  out.mnemonic = mnemonic;
  out.words = split(mnemonic, '.');
  if (out.words.empty())
    out.words.push_back(mnemonic);
  for (std::string_view word : out.words)
    if (std::optional<Type> type = findType(word))
      out.types.push_back(*type);
  return out;
}

Result<std::vector<const InstructionRow *>> findRows(const Modifiers &modifiers) {
  auto named = index().find(modifiers.words.front());
  if (named == index().end())
    return fail(Error::Instruction, modifiers.mnemonic);
  std::vector<const InstructionRow *> found;
  std::string forms;
  for (const Compiled &compiled : named->second) {
    if (matches(compiled.items, Words(modifiers.words).subspan(1)))
      found.push_back(compiled.row);
    forms += cat(forms.empty() ? "" : ", ", spelled(compiled.row->form));
  }
  if (found.empty())
    return fail(Error::Modifiers, modifiers.mnemonic, modifiers.words.front(), forms);
  return found;
}

std::string instructionTable() {
  size_t count = 0;
  std::string tables;
  for (const RowGroup &group : rowGroups()) {
    tables +=
        cat("\n## ", group.title, "\n\n| instruction | operands | what it does |\n|---|---|---|\n");
    for (const InstructionRow &row : group.rows) {
      tables += cat("| `", escaped(spelled(row.form)), "` | `", escaped(row.operands), "` | ",
                    row.what, " |\n");
      ++count;
    }
  }
  std::string out =
      cat("# PTX instructions of the simulator\n\nMade by `utils/reference.sh` from the table that "
          "implements them (`tessera/sim/rows/`): ",
          count,
          " rows. What is not here is refused with its line.\nIn `{ }` stands what may be missing, "
          "`*` what may "
          "repeat, in `< >` a set of the last table. `tessera/sim/Rows.h` explains the operands.\n",
          tables);
  out += "\n## Sets\n\n| set | members |\n|---|---|\n";
  for (const ModifierSet &set : sets)
    out += cat("| `", set.name, "` | `", escaped(set.words), "` |\n");
  return out;
}

} // namespace tessera::sim
