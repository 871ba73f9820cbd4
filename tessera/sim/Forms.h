// Forms: parses the two small languages of the table: the words of a mnemonic's form, and the words
// of its operands. Rows.h explains them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Rows.h"

#include <algorithm>

namespace tessera::sim {

/// Named sets of modifiers: `<int>`.
struct ModifierSet {
  std::string_view name, words; // words separated by |
};
std::span<const ModifierSet> modifierSets();

/// The pieces between separators; empty ones are left out.
std::vector<std::string_view> splitAt(std::string_view text, char separator);

/// One word of a form, with its sets replaced by their members.
struct FormItem {
  std::vector<std::string_view> words;
  bool optional = false, repeated = false, rest = false;

  bool matches(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};
/// The words after the name.
std::vector<FormItem> formItems(std::string_view form);

/// One word of a row's operands.
struct OperandItem {
  bool destination = false, loose = false, pair = false, list = false, optional = false,
       selected = false, sinks = false;
  std::string_view what;
};
std::vector<OperandItem> operandItems(std::string_view operands);

/// The type that a word of the operands means with these modifiers.
Type typeOf(std::string_view what, const Modifiers &);

} // namespace tessera::sim
