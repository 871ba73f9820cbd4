// Spelling: texts of the values of an enum, in messages and as keywords of the IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An enum of this room has its spellings in one table: `spellings(E)` next to the enum. `name`,
// `keyword` and `parseKeyword` read that table, and so do the attributes and the type parameters of
// the dialect `cute_nvgpu`. Enums are found by their values, never by their position.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::atom {

/// One value: its name in messages and tables, and its keyword in the IR; the keyword is empty if
/// the IR cannot state it.
template <class E> struct Spelling {
  E value;
  std::string_view name, keyword;

  constexpr Spelling(E value, std::string_view name) : Spelling(value, name, name) {}
  constexpr Spelling(E value, std::string_view name, std::string_view keyword)
      : value(value), name(name), keyword(keyword) {}
};

/// An enum that has such a table.
template <class E>
concept Spelled = requires(E e) { spellings(e); };

template <Spelled E> constexpr std::string_view name(E value) {
  for (const Spelling<E> &row : spellings(value))
    if (row.value == value)
      return row.name;
  return "";
}
template <Spelled E> constexpr std::string_view keyword(E value) {
  for (const Spelling<E> &row : spellings(value))
    if (row.value == value)
      return row.keyword;
  return "";
}
/// The value with this keyword.
template <Spelled E> constexpr std::optional<E> parseKeyword(std::string_view keyword) {
  for (const Spelling<E> &row : spellings(E()))
    if (!keyword.empty() && row.keyword == keyword)
      return row.value;
  return std::nullopt;
}
/// "k, mn": all keywords.
template <Spelled E> std::string keywords() {
  std::string out;
  for (const Spelling<E> &row : spellings(E()))
    if (!row.keyword.empty())
      out.append(out.empty() ? "" : ", ").append(row.keyword);
  return out;
}

} // namespace tessera::atom
