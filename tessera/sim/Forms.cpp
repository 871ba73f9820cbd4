// Takes forms and operands of rows apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Forms.h"

namespace tessera::sim {

namespace {

constexpr ModifierSet sets[] = {
#define SET(name, words) {name, words},
#include "tessera/sim/Sets.def"
#undef SET
};

FormItem formItem(std::string_view text) {
  FormItem item;
  item.rest = text == "...";
  item.optional = text.front() == '?';
  item.repeated = text.front() == '*';
  if (item.optional || item.repeated)
    text.remove_prefix(1);
  for (std::string_view word : splitAt(text, '|')) {
    auto set = std::find_if(std::begin(sets), std::end(sets),
                            [&](const ModifierSet &s) { return s.name == word; });
    if (set == std::end(sets))
      item.words.push_back(word);
    else
      for (std::string_view member : splitAt(set->words, '|'))
        item.words.push_back(member);
  }
  return item;
}

OperandItem operandItem(std::string_view text) {
  OperandItem item;
  auto front = [&](char c) { return text.starts_with(c) ? (text.remove_prefix(1), true) : false; };
  auto back = [&](std::string_view end) {
    return text.ends_with(end) ? (text.remove_suffix(end.size()), true) : false;
  };
  item.destination = front('=');
  item.loose = front('~');
  item.optional = back("?");
  item.pair = back("|");
  item.sinks = back("{_}");
  item.list = item.sinks || back("{}");
  item.selected = text != "..." && back(".");
  item.what = text;
  return item;
}

} // namespace

std::span<const ModifierSet> modifierSets() { return sets; }

std::vector<std::string_view> splitAt(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    size_t end = std::min(text.find(at), text.size());
    if (end)
      out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<FormItem> formItems(std::string_view form) {
  std::vector<FormItem> out;
  for (std::string_view word : splitAt(form, ' '))
    out.push_back(formItem(word));
  out.erase(out.begin());
  return out;
}

std::vector<OperandItem> operandItems(std::string_view operands) {
  std::vector<OperandItem> out;
  for (std::string_view word : splitAt(operands, ' '))
    out.push_back(operandItem(word));
  return out;
}

Type typeOf(std::string_view what, const Modifiers &modifiers) {
  if (what == "t")
    return modifiers.type();
  if (what == "t0" || what == "t1" || what == "t2")
    return modifiers.type(size_t(what[1] - '0'));
  if (what == "w") {
    Type t = modifiers.type();
    return bits(t) == 16 ? Type::b32 : bits(t) == 32 ? Type::b64 : Type::b128;
  }
  return findType(what).value_or(Type::b32);
}

} // namespace tessera::sim
