// Lookup: finds the row that a query asks for, or says which query would find one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Errors.h"

#include <algorithm>
#include <span>
#include <vector>

namespace tessera::atom {

/// A column of a table as queries see it. `asked` is empty if the query leaves the default.
template <class Row, class Query> struct Column {
  std::string_view name;
  bool (*matches)(const Row &, const Query &);
  std::string (*has)(const Row &);
  std::string (*asked)(const Query &);
};

/// "a, b or c" of the first few distinct texts.
inline std::string alternatives(const std::vector<std::string> &texts) {
  constexpr size_t most = 12;
  std::vector<std::string> distinct;
  for (const std::string &text : texts)
    if (std::find(distinct.begin(), distinct.end(), text) == distinct.end())
      distinct.push_back(text);
  size_t shown = std::min(distinct.size(), most);
  std::string out;
  for (size_t i = 0; i < shown; ++i)
    out += cat(i == 0                                       ? ""
               : i + 1 == shown && shown == distinct.size() ? " or "
                                                            : ", ",
               distinct[i]);
  return shown < distinct.size() ? cat(out, ", ...") : out;
}

/// The first of `rows` that matches in every column. If there is none, the reason has, for each
/// column whose change alone would help, its legal values with the other columns unchanged; if no
/// single change helps, the legal values of the first column after which no row is left.
template <class Row, class Query>
Result<const Row *> lookUp(std::string_view table, const std::vector<const Row *> &rows,
                           std::span<const Column<Row, Query>> columns, const Query &query) {
  auto filtered = [&](const std::vector<const Row *> &from, auto &&keeps) {
    std::vector<const Row *> kept;
    std::copy_if(from.begin(), from.end(), std::back_inserter(kept),
                 [&](const Row *row) { return keeps(*row); });
    return kept;
  };
  auto choices = [](const Column<Row, Query> &column, const std::vector<const Row *> &from) {
    std::vector<std::string> texts;
    for (const Row *row : from)
      texts.push_back(column.has(*row));
    return cat(column.name, " may be ", alternatives(texts));
  };

  // "16x8x16 with a = f64, b = f64": the first column needs no name.
  std::string subject = columns.front().asked(query), asked, help;
  for (const Column<Row, Query> &column : columns) {
    if (std::string text = column.asked(query); !text.empty() && &column != &columns.front())
      asked += cat(asked.empty() ? " with " : ", ", column.name, " = ", text);
    std::vector<const Row *> others = filtered(rows, [&](const Row &row) {
      return std::all_of(columns.begin(), columns.end(), [&](const Column<Row, Query> &other) {
        return &other == &column || other.matches(row, query);
      });
    });
    for (const Row *row : others)
      if (column.matches(*row, query))
        return row;
    if (!others.empty())
      help += cat(help.empty() ? "" : "; ", choices(column, others));
  }
  std::vector<const Row *> left = rows;
  for (const Column<Row, Query> &column : columns) {
    if (!help.empty())
      break;
    std::vector<const Row *> next =
        filtered(left, [&](const Row &row) { return column.matches(row, query); });
    if (next.empty())
      help = choices(column, left);
    left = std::move(next);
  }
  return fail(Error::NoSuchAtom, table, cat(subject.empty() ? "atom" : subject, asked), help);
}

} // namespace tessera::atom
