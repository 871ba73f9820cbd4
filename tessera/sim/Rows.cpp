// Matches mnemonics against the forms of the table, and writes the table as Markdown.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Forms.h"

#include "tessera/base/Nearest.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tessera::sim {

namespace {

using Words = std::span<const std::string_view>;
bool matches(std::span<const FormItem> items, Words words) {
  if (items.empty())
    return words.empty();
  const FormItem &item = items.front();
  if (item.rest)
    return true;
  if (!words.empty() && item.matches(words.front()) &&
      matches(item.repeated ? items : items.subspan(1), words.subspan(1)))
    return true;
  return (item.optional || item.repeated) && matches(items.subspan(1), words);
}

/// Words whose place is fixed: for ptxas they are part of the name (mul.lo, shf.l), unlike the
/// comparisons lo and hi.
bool isPinned(std::string_view word, const FormItem &item) {
  constexpr std::string_view pinned[] = {"lo", "hi", "wide", "l", "r"};
  return std::find(std::begin(pinned), std::end(pinned), word) != std::end(pinned) &&
         !item.matches("eq");
}

/// Puts words into the order of a form; types keep theirs. `left` are those without a place.
bool arrange(std::span<const FormItem> items, std::vector<std::string_view> left,
             std::vector<std::string_view> &placed) {
  if (items.empty())
    return left.empty();
  const FormItem &item = items.front();
  if (item.rest) { // the atom table knows these, in any order
    placed.insert(placed.end(), left.begin(), left.end());
    return true;
  }
  bool metType = false;
  for (size_t i = 0; i < left.size(); ++i) {
    bool isType = findType(left[i]).has_value(), isFirst = !isType || !std::exchange(metType, true);
    if (!isFirst || (isPinned(left[i], item) && i > 0) || !item.matches(left[i]))
      continue;
    std::vector<std::string_view> others = left;
    others.erase(others.begin() + ptrdiff_t(i));
    placed.push_back(left[i]);
    if (arrange(item.repeated ? items : items.subspan(1), std::move(others), placed))
      return true;
    placed.pop_back();
  }
  return (item.optional || item.repeated) && arrange(items.subspan(1), std::move(left), placed);
}

struct Compiled {
  const InstructionRow *row;
  std::vector<FormItem> items;
};
/// Rows by the first word of their forms.
const std::map<std::string_view, std::vector<Compiled>> &index() {
  static const auto all = [] {
    std::map<std::string_view, std::vector<Compiled>> out;
    for (const RowGroup &group : rowGroups())
      for (const InstructionRow &row : group.rows) {
        out[row.name()].push_back({&row, formItems(row.form)});
      }
    return out;
  }();
  return all;
}

/// `add{.sat}.s32` of `add ?sat s32`.
std::string spelled(std::string_view form) {
  std::string out;
  for (std::string_view word : splitAt(form, ' ')) {
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

/// How many of the words a form has no place for.
size_t strangers(const std::vector<FormItem> &items, Words words) {
  return size_t(std::count_if(words.begin(), words.end(), [&](std::string_view word) {
    return std::none_of(items.begin(), items.end(),
                        [&](const FormItem &item) { return item.rest || item.matches(word); });
  }));
}

std::string joined(std::string_view name, Words words) {
  std::string out(name);
  for (std::string_view word : words)
    out += cat(".", word);
  return out;
}

bool fits(const std::vector<Compiled> &forms, Words words) {
  return std::any_of(forms.begin(), forms.end(), [&](const Compiled &compiled) {
    std::vector<std::string_view> placed;
    return matches(compiled.items, words) ||
           arrange(compiled.items, {words.begin(), words.end()}, placed);
  });
}

using Known = std::set<std::string_view>;

/// Replaces words from `at` on that no form knows by similar ones that some form knows, so that the
/// whole is an instruction. False if that cannot be done.
bool respell(const std::vector<Compiled> &forms, const Known &known,
             std::vector<std::string_view> &words, size_t at, size_t typos = 0) {
  constexpr size_t mostTypos = 3, mostTried = 4;
  while (at < words.size() && (known.count(words[at]) || findType(words[at])))
    ++at;
  if (at == words.size())
    return typos && fits(forms, words);
  const std::string_view written = words[at];
  std::vector<std::pair<size_t, std::string_view>> like;
  for (std::string_view word : known)
    if (size_t edits = editDistance(written, word);
        edits <= std::max<size_t>(1, editsOf(written) - 1))
      like.emplace_back(edits, word);
  std::sort(like.begin(), like.end());
  like.resize(typos < mostTypos ? std::min(like.size(), mostTried) : 0);
  for (auto [edits, word] : like) {
    words[at] = word;
    if (respell(forms, known, words, at + 1, typos + 1))
      return true;
  }
  words[at] = written;
  return false;
}

/// The spelling without one of its words, if that is an instruction.
std::string shortened(const std::vector<Compiled> &forms, std::string_view name, Words words) {
  for (size_t i = 0; i < words.size(); ++i) {
    std::vector<std::string_view> others(words.begin(), words.end());
    others.erase(others.begin() + ptrdiff_t(i));
    if (fits(forms, others))
      return cat(joined(name, others), " (without .", words[i], ")");
  }
  return "";
}

/// The spelling with words that exist, with one more, or without one of its words, if that is an
/// instruction; else the forms that have a place for most of the words. At most three.
std::string nearest(const std::vector<Compiled> &forms, std::string_view name, Words given) {
  constexpr size_t mostWords = 12, most = 3; // words to try; suggestions
  std::vector<std::string_view> words(given.begin(), given.end());
  if (words.size() <= mostWords) {
    Known known;
    for (const Compiled &compiled : forms)
      for (const FormItem &item : compiled.items)
        known.insert(item.words.begin(), item.words.end());
    if (respell(forms, known, words, 0))
      return joined(name, words);
    std::string out = shortened(forms, name, words);
    if (!out.empty())
      return out;
    size_t count = 0;
    for (auto word = known.begin(); word != known.end() && count < most; ++word)
      for (size_t i = 0; i <= words.size(); ++i) {
        std::vector<std::string_view> more = words;
        more.insert(more.begin() + ptrdiff_t(i), *word);
        if (!fits(forms, more))
          continue;
        out += cat(count++ ? ", " : "", joined(name, more));
        break;
      }
    if (count)
      return out;
  } else if (std::string out = shortened(forms, name, words); !out.empty())
    return out;
  size_t fewest = words.size();
  for (const Compiled &compiled : forms)
    fewest = std::min(fewest, strangers(compiled.items, words));
  std::string out;
  size_t count = 0;
  for (const Compiled &compiled : forms)
    if (strangers(compiled.items, words) == fewest && count++ < most)
      out += cat(out.empty() ? "" : ", ", spelled(compiled.row->form));
  return out;
}

/// "; the nearest: ld.global.u32", or the name alone; empty if none is near.
std::string nearestName(std::string_view name, Words words) {
  std::vector<std::string_view> names;
  for (const auto &[known, forms] : index())
    names.push_back(known);
  const std::string_view near = nearestOf(name, names);
  if (near.empty())
    return "";
  return cat("; the nearest: ", fits(index().at(near), words) ? joined(near, words) : near);
}

} // namespace

std::span<const RowGroup> rowGroups() {
  static const RowGroup groups[] = {
      integerRows,    videoRows,   scalarVideoRows, logicRows,   floatRows,
      compareRows,    convertRows, moveRows,        memoryRows,  stackRows,
      atomicRows,     controlRows, warpRows,        barrierRows, mmaRows,
      wmmaRows,       groupRows,   matrixRows,      asyncRows,   bulkRows,
      bulkTensorRows, remoteRows,  tensorMapRows,   tensorRows,  tensorMmaRows};
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
  out.words = splitAt(mnemonic, '.');
  if (out.words.empty())
    out.words.push_back(mnemonic);
  for (std::string_view word : out.words)
    if (std::optional<Type> type = findType(word))
      out.types.push_back(*type);
  return out;
}

namespace {
/// A format of narrow numbers, such as e4m3, ue8m0, s4 or b1, which is a word and no type.
bool isFormat(std::string_view word) {
  auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  if (word.size() > 1 && std::string_view("sub").find(word[0]) != word.npos &&
      digits(word.substr(1)))
    return true;
  std::string_view number = word.starts_with("ue") ? word.substr(1) : word;
  size_t mantissa = number.find('m');
  return number.starts_with('e') && mantissa != number.npos &&
         digits(number.substr(1, mantissa - 1)) && digits(number.substr(mantissa + 1));
}
/// The words after the name, formats last and in their order: those of A and B are two.
void sortWords(std::vector<std::string_view> &words) {
  auto formats = std::stable_partition(words.begin() + 1, words.end(),
                                       [](std::string_view word) { return !isFormat(word); });
  std::sort(words.begin() + 1, formats);
}
} // namespace

bool sameWords(std::string_view a, std::string_view b) {
  Modifiers first = modifiersOf(a), second = modifiersOf(b);
  sortWords(first.words);
  sortWords(second.words);
  return first.words == second.words && first.types == second.types;
}

Result<std::vector<FoundRow>> findRows(const Modifiers &modifiers) {
  for (const MissingInstruction &missing : missingInstructions())
    if (missing.is(modifiers))
      return fail(Error::MissingInstruction, modifiers.mnemonic, missing.why);
  auto named = index().find(modifiers.words.front());
  Words words = Words(modifiers.words).subspan(1);
  if (named == index().end())
    return fail(Error::Instruction, modifiers.mnemonic,
                nearestName(modifiers.words.front(), words));
  std::vector<FoundRow> found;
  for (const Compiled &compiled : named->second)
    if (matches(compiled.items, words))
      found.push_back({compiled.row, modifiers});
  if (!found.empty())
    return found;
  for (const Compiled &compiled : named->second) {
    Modifiers ordered = modifiers;
    ordered.words.resize(1);
    if (arrange(compiled.items, {words.begin(), words.end()}, ordered.words))
      found.push_back({compiled.row, std::move(ordered)});
  }
  if (found.empty())
    return fail(Error::Modifiers, modifiers.mnemonic, modifiers.words.front(),
                nearest(named->second, modifiers.words.front(), words));
  return found;
}

bool MissingInstruction::is(const Modifiers &modifiers) const {
  std::vector<std::string_view> all = splitAt(name, ' ');
  auto dots = std::find(all.begin(), all.end(), "...");
  auto isOne = [](std::string_view choices, std::string_view word) {
    return std::ranges::count(splitAt(choices, '|'), word) != 0;
  };
  bool begins = size_t(dots - all.begin()) <= modifiers.words.size() &&
                std::equal(all.begin(), dots, modifiers.words.begin(), isOne);
  auto has = [&](std::string_view word) { return modifiers.has(word); };
  return begins &&
         std::all_of(dots + (dots != all.end()), all.end(), [&](std::string_view choices) {
           return std::ranges::any_of(splitAt(choices, '|'), has);
         });
}

std::span<const MissingInstruction> missingInstructions() {
  static constexpr MissingInstruction all[] = {
#define MISSING(name, why) {name, why},
#include "tessera/sim/Missing.def"
#undef MISSING
  };
  return all;
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
          " rows. An instruction that is not here is refused, with its line; those of the ISA are "
          "listed at the end.\nParts in `{ }` are optional, those before `*` may "
          "repeat, and `< >` names a "
          "set of the last table. `tessera/sim/Rows.h` explains the operands.\n",
          tables);
  out += "\n## What PTX ISA 9.0 has beyond that\n\n| instruction | why not |\n|---|---|\n";
  for (const MissingInstruction &missing : missingInstructions()) {
    std::string name;
    for (std::string_view word : splitAt(missing.name, ' '))
      name += cat(name.empty() ? "" : ".", word == "..." ? ".." : word);
    out += cat("| `", escaped(name), "` | ", missing.why, " |\n");
  }
  out += "\n## Sets\n\n| set | members |\n|---|---|\n";
  for (const ModifierSet &set : modifierSets())
    out += cat("| `", set.name, "` | `", escaped(set.words), "` |\n");
  return out;
}

} // namespace tessera::sim
