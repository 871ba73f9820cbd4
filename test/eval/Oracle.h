// Reading the tables of values that NVIDIA's CuTe computed, and the operations that they name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of the tables is $TESSERA_ORACLE. A dynamic leaf is written `?{4}` there: its value at
// run time.
#pragma once

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::layout::test {

std::vector<std::string> split(std::string_view text, std::string_view separator);

/// One line of a table, its fields by the names in the first line.
class Row {
public:
  Row(const std::vector<std::string> *names, std::vector<std::string> fields)
      : names(names), fields(std::move(fields)) {}
  /// The field, or "" if the table has no such column.
  const std::string &operator[](std::string_view name) const;

private:
  const std::vector<std::string> *names;
  std::vector<std::string> fields;
};

/// A table of the folder; empty if $TESSERA_ORACLE is not set.
class Table {
public:
  explicit Table(const std::string &file);
  bool available() const { return !names.empty(); }
  std::span<const Row> rows() const { return lines; }

private:
  std::vector<std::string> names;
  std::vector<Row> lines;
};

/// The arguments of a row, with their dynamic leaves made by the domain that runs it.
class Inputs {
public:
  /// The leaf for a dynamic value.
  using Dynamic = std::function<Int(int64_t)>;
  Inputs(const std::string &args, Dynamic dynamic);

  size_t count() const { return texts.size(); }
  const std::string &text(size_t i) const { return texts[i]; }
  bool isLayout(size_t i) const;
  bool isComposed(size_t i) const;
  Tree tree(size_t i) const;
  Tree stride(size_t i) const;
  Layout layout(size_t i) const;
  AnyLayout any(size_t i) const;
  /// `[..]`, `_`, a layout, or extents that tile mode by mode; an extent 1 is `1:0` if
  /// `unitIsZero`.
  Tile tile(size_t i, bool unitIsZero = true) const;
  Swizzle swizzle(size_t i) const;
  /// The numbers in `<0,2>`, `[0,2]` or `4->8 bits`.
  std::vector<int32_t> numbers(size_t i) const;

private:
  template <class T> T bound(Result<T> value, size_t i) const;
  std::string plain(size_t i) const; // `?` for `?{4}`

  std::vector<std::string> texts;
  Dynamic dynamic;
};

/// What the evaluation of a row gave: a refusal, or a value and its text.
struct Answer {
  Reason refused;
  std::string text;       // with what the type says of dynamic leaves
  std::string withValues; // with `?{value}` for the dynamic leaves, as the tables print them
  std::optional<AnyLayout> layout; // if the answer is one
  bool violated = false; // an assumption about dynamic leaves does not hold for their values

  bool ok() const { return refused.id.empty(); }
  /// The text with plain `?` for the dynamic leaves.
  std::string withoutFacts() const;
};
/// Evaluates `operation(args)`; the dynamic leaves of the answer's layout are made by `values`.
Answer answer(const std::string &operation, const std::string &args, Interp &values);
/// `args` with `?` for `?{4}`.
std::string withoutValues(const std::string &args);

/// A composition that an operation is made of: the left and the right layout.
using Step = std::pair<Layout, Layout>;
/// The compositions inside an operation; nothing where it is made of none.
std::optional<std::vector<Step>> stepsOf(std::string_view operation, Arith &, const Inputs &);

} // namespace tessera::layout::test
