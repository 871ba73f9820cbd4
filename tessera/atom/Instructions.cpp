// The table of availability, and how a mnemonic is looked up in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Instructions.h"

#include "tessera/atom/Errors.h"
#include "tessera/atom/Registry.h"

#include <charconv>
#include <map>

namespace tessera::atom {

namespace {
constexpr Requirement sm(int number) { return Requirement::atLeast(number); }
constexpr Requirement only(int number) { return Requirement::exactly(number); }
constexpr Requirement everywhere = sm(70);
constexpr Requirement tmem = familySm100 | familySm110;
constexpr Requirement blackwell = familySm100 | familySm110 | familySm120;
// Of GeForce only the a targets: PTX ISA 9.0, "multimem".
constexpr Requirement multimemFp8 = familySm100 | familySm110 | only(120) | only(121);

struct WordSet {
  std::string_view name, words;
};
constexpr WordSet sets[] = {
#define SET(name, words) {name, words},
#define INSTRUCTION(name, words, needs, ptx, what)
#define WITH(words, needs, ptx, what)
#define REGISTER(name, needs, ptx, what)
#include "tessera/atom/Instructions.def"
#undef SET
#undef INSTRUCTION
#undef WITH
#undef REGISTER
};

struct RegisterRow {
  std::string_view name;
  Availability available;
};
constexpr RegisterRow registers[] = {
#define SET(name, words)
#define INSTRUCTION(name, words, needs, ptx, what)
#define WITH(words, needs, ptx, what)
#define REGISTER(name, needs, ptx, what)                                                           \
  {name, {std::string_view(what).empty() ? name : what, needs, ptx}},
#include "tessera/atom/Instructions.def"
#undef SET
#undef INSTRUCTION
#undef WITH
#undef REGISTER
};

std::vector<AvailabilityRow> readTable() {
  std::vector<AvailabilityRow> rows;
#define SET(name, words)
#define INSTRUCTION(name, words, needs, ptx, what)                                                 \
  rows.push_back({name, words, {std::string_view(what).empty() ? name : what, needs, ptx}, {}});
#define WITH(words, needs, ptx, what)                                                              \
  rows.back().refinements.push_back({words, {what, needs, ptx}});
#define REGISTER(name, needs, ptx, what)
#include "tessera/atom/Instructions.def"
#undef SET
#undef INSTRUCTION
#undef WITH
#undef REGISTER
  return rows;
}

/// The piece before the first separator; it and the separator are taken from the text.
std::string_view takePiece(std::string_view &text, char separator) {
  size_t end = std::min(text.find(separator), text.size());
  std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

std::string_view wordsOfSet(std::string_view name) {
  for (const WordSet &set : sets)
    if (set.name == name)
      return set.words;
  assert(false && "the table of instructions names an unknown set");
  return "";
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// `#` stands for one or more digits.
bool matches(std::string_view pattern, std::string_view word) {
  size_t hole = pattern.find('#');
  if (hole == pattern.npos)
    return pattern == word;
  if (word.substr(0, hole) != pattern.substr(0, hole))
    return false;
  std::string_view rest = word.substr(hole);
  size_t digits = 0;
  while (digits < rest.size() && isDigit(rest[digits]))
    ++digits;
  return digits > 0 && rest.substr(digits) == pattern.substr(hole + 1);
}

/// How many letters must be put in, taken out or changed to make one word of the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + size_t(a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// The choice that is nearest to a word.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &choices) {
  std::string_view best;
  size_t least = std::string_view::npos;
  for (std::string_view choice : choices)
    if (size_t d = distance(word, choice); d < least) {
      least = d;
      best = choice;
    }
  return best;
}

/// Whether `text` begins with `name` and a dot, or is it.
bool beginsWith(std::string_view text, std::string_view name) {
  return text.substr(0, name.size()) == name &&
         (text.size() == name.size() || text[name.size()] == '.');
}

/// The part of a mnemonic as long as a name, for comparisons with it.
std::string_view asManyWords(std::string_view mnemonic, std::string_view name) {
  size_t at = 0;
  for (std::ptrdiff_t dots = std::count(name.begin(), name.end(), '.'); dots >= 0; --dots)
    at = std::min(mnemonic.find('.', at + (at ? 1 : 0)), mnemonic.size());
  return mnemonic.substr(0, at);
}

std::string_view nearestName(std::string_view mnemonic) {
  std::string_view best;
  size_t least = std::string_view::npos;
  for (const AvailabilityRow &row : instructions())
    if (size_t d = distance(asManyWords(mnemonic, row.name), row.name); d <= least) {
      if (d == least && row.name.size() <= best.size())
        continue;
      least = d;
      best = row.name;
    }
  return best;
}
} // namespace

std::span<const AvailabilityRow> instructions() {
  static const std::vector<AvailabilityRow> rows = readTable();
  return rows;
}

bool isOneOf(std::string_view word, std::string_view words) {
  while (!words.empty()) {
    std::string_view choice = takePiece(words, '|');
    if (choice.starts_with('<') ? isOneOf(word, wordsOfSet(choice)) : matches(choice, word))
      return true;
  }
  return false;
}

std::vector<std::string_view> membersOf(std::string_view words) {
  std::vector<std::string_view> out;
  while (!words.empty()) {
    std::string_view choice = takePiece(words, '|');
    if (!choice.starts_with('<')) {
      out.push_back(choice);
      continue;
    }
    for (std::string_view member : membersOf(wordsOfSet(choice)))
      out.push_back(member);
  }
  return out;
}

bool holds(const Refinement &refinement, const WrittenInstruction &written, size_t nameSize) {
  std::string_view all = written.mnemonic;
  all.remove_prefix(std::min(nameSize + 1, all.size()));
  std::string_view rest = all, asked = refinement.words;
  while (!asked.empty()) {
    std::string_view item = takePiece(asked, ' ');
    if (item == "=_") {
      if (!written.hasSink)
        return false;
    } else if (item.starts_with('/')) {
      int least = 0;
      std::from_chars(item.data() + 1, item.data() + item.size(), least);
      if (written.operands < least)
        return false;
    } else if (item.starts_with('!')) {
      for (std::string_view left = all; !left.empty();)
        if (isOneOf(takePiece(left, '.'), item.substr(1)))
          return false;
    } else {
      bool found = false;
      while (!rest.empty() && !found)
        found = isOneOf(takePiece(rest, '.'), item);
      if (!found)
        return false;
    }
  }
  return true;
}

Result<const AvailabilityRow *> instructionOf(std::string_view mnemonic) {
  const AvailabilityRow *best = nullptr;
  for (const AvailabilityRow &row : instructions())
    if (beginsWith(mnemonic, row.name) && (!best || best->name.size() < row.name.size()))
      best = &row;
  if (!best)
    return fail(Error::UnknownInstruction, mnemonic, nearestName(mnemonic));
  return best;
}

Result<std::vector<const Availability *>> availabilityOf(const WrittenInstruction &written) {
  TESSERA_TRY(const AvailabilityRow *row, instructionOf(written.mnemonic));
  std::string_view rest = written.mnemonic;
  rest.remove_prefix(std::min(row->name.size() + 1, rest.size()));
  while (!rest.empty()) {
    std::string_view word = takePiece(rest, '.');
    if (isOneOf(word, row->words))
      continue;
    std::string_view known = nearest(word, membersOf(row->words));
    return known.empty() ? fail(Error::NoModifiers, written.mnemonic, word, row->name)
                         : fail(Error::UnknownModifier, written.mnemonic, word, row->name, known);
  }
  std::vector<const Availability *> all = {&row->available};
  for (const Refinement &refinement : row->refinements)
    if (holds(refinement, written, row->name.size()))
      all.push_back(&refinement.available);
  return all;
}

bool hasInstruction(Target target, std::string_view mnemonic) {
  auto isMet = [&](const Availability *available) { return available->needs.metBy(target); };
  return std::ranges::all_of(*availabilityOf({.mnemonic = mnemonic}), isMet);
}

Result<const Availability *> availabilityOfRegister(std::string_view name) {
  std::vector<std::string_view> names;
  for (const RegisterRow &row : registers) {
    std::string_view known = row.name;
    if (known.ends_with(".*")) {
      known.remove_suffix(2);
      std::string_view mode = name.substr(std::min(known.size(), name.size()));
      if (beginsWith(name, known) && isOneOf(mode, "|.x|.y|.z|.w"))
        return &row.available;
    } else if (matches(known, name)) {
      return &row.available;
    }
    names.push_back(known);
  }
  return fail(Error::UnknownRegister, name, nearest(name, names));
}

std::optional<Reason> refusal(const Availability &available, Target target) {
  if (std::optional<Reason> lacks = refusal(available.what, available.needs, target))
    return lacks;
  if (available.ptx > newestPtxOfLlvm)
    return fail(Error::PtxTooNew, available.what, available.ptx / 10, available.ptx % 10,
                newestPtxOfLlvm / 10, newestPtxOfLlvm % 10);
  return std::nullopt;
}

//===--- Documentation ------------------------------------------------------------------------===//

namespace {
std::string spelledOut(std::string_view condition) {
  std::string out;
  while (!condition.empty()) {
    std::string_view item = takePiece(condition, ' ');
    std::string text, between = ", ";
    if (item == "=_")
      text = "no result (`_`)";
    else if (item.starts_with('/'))
      text = cat("at least ", item.substr(1), " operands");
    else {
      bool without = item.starts_with('!');
      for (std::string_view word : membersOf(item.substr(without)))
        text += cat(text.empty() ? "" : " or ", "`.", word, "`");
      text = cat(without ? "not " : "", text);
      between = without ? ", " : ", then ";
    }
    out += cat(out.empty() ? "" : between, text);
  }
  return out;
}

std::string version(int ptx) { return cat(ptx / 10, ".", ptx % 10); }

std::string needsText(const Requirement &needs) {
  return needs == everywhere ? "" : needs.sentence();
}
} // namespace

std::string availabilityTable() {
  std::string out = "| instruction | with | targets | PTX | refused as |\n|---|---|---|---|---|\n";
  std::map<std::string, std::vector<Target>> classes;
  auto line = [&](std::string_view name, std::string_view with, const Availability &a) {
    std::string shown = name.empty() ? "" : cat("`", name, "`");
    out += cat("| ", shown, " | ", with, " | ", needsText(a.needs), " | ", version(a.ptx), " | ",
               a.what == name ? "" : a.what, " |\n");
    classes[a.needs.sentence()] = a.needs.targets();
  };
  for (const AvailabilityRow &row : instructions()) {
    line(row.name, "", row.available);
    for (const Refinement &refinement : row.refinements)
      line("", spelledOut(refinement.words), refinement.available);
  }
  out += "\n## Special registers\n\n| register | targets | PTX |\n|---|---|---|\n";
  for (const RegisterRow &row : registers)
    out += cat("| `", row.name, "` | ", needsText(row.available.needs), " | ",
               version(row.available.ptx), " |\n");
  out += "\n## Targets\n\n| needs |";
  std::string under = "|---|";
  for (Target target : Target::all()) {
    out += cat(" ", target.str().substr(3), " |");
    under += "---|";
  }
  out += "\n" + under + "\n";
  for (auto &[needs, met] : classes) {
    out += cat("| ", needs, " |");
    for (Target target : Target::all())
      out += std::find(met.begin(), met.end(), target) != met.end() ? " x |" : " |";
    out += "\n";
  }
  return out;
}

} // namespace tessera::atom
