// Function: one row per function of the expression language.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To add a function, add its row to the table of one of the *Functions.cpp files; names, arguments,
// help and the batch form follow from the row, and so does the test that every row has a case
// (test/eval/FunctionsTest.cpp).
#pragma once

#include "tessera/eval/Value.h"
#include "tessera/layout/Text.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace tessera::eval {

/// What a function takes in one place.
struct Parameter {
  enum class Need : uint8_t {
    Required,
    Optional,
    Repeated
  };
  Kind kind = Kind::Any;
  Need need = Need::Required;

  constexpr Parameter() = default;
  constexpr Parameter(Kind kind, Need need = Need::Required) : kind(kind), need(need) {}
};
constexpr Parameter optional(Kind kind) { return {kind, Parameter::Need::Optional}; }
/// Once or more, at the end.
constexpr Parameter repeated(Kind kind) { return {kind, Parameter::Need::Repeated}; }

class Parameters {
public:
  template <class... P>
  constexpr Parameters(P... each) : list{Parameter(each)...}, count(sizeof...(P)) {}
  std::span<const Parameter> all() const { return {list.data(), count}; }
  size_t least() const;
  size_t most() const;
  /// "2 arguments", "1 to 3 arguments", "1 or more arguments".
  std::string countText() const;
  /// The parameter of argument `i`; of those beyond, the repeated one.
  const Parameter &of(size_t i) const { return list[i < count ? i : count - 1]; }

private:
  std::array<Parameter, 6> list;
  size_t count;
};

/// The arguments of a call, each converted to the kind of its parameter.
class Arguments {
public:
  explicit Arguments(std::vector<Value> values) : values(std::move(values)) {}

  size_t count() const { return values.size(); }
  const Value &operator[](size_t i) const { return values[i]; }
  std::span<const Value> all() const { return values; }

  const layout::Tree &tree(size_t i) const { return std::get<layout::Tree>(values[i]); }
  layout::Int number(size_t i) const { return tree(i).leaf().value; }
  const layout::Layout &layout(size_t i) const { return *any(i).affine(); }
  const layout::AnyLayout &any(size_t i) const { return std::get<layout::AnyLayout>(values[i]); }
  const layout::Tile &tile(size_t i) const { return std::get<layout::Tile>(values[i]); }
  const layout::Swizzle &swizzle(size_t i) const { return std::get<layout::Swizzle>(values[i]); }
  /// The numbers of `<..>`, `a->b` or `[..]`.
  std::vector<int64_t> numbers(size_t i) const;
  /// The numbers of `<..>` as mode indices.
  std::vector<int32_t> modes(size_t i) const;

private:
  std::vector<Value> values;
};

struct Function {
  std::string_view name;
  Parameters parameters;
  std::string_view law; // one line for people: what the result is
  Result<Value> (*run)(layout::Arith &, const Arguments &);
};

/// The table, in the order in which help lists it.
std::span<const Function> tupleFunctions();
std::span<const Function> coordinateFunctions();
std::span<const Function> layoutFunctions();
std::span<const Function> algebraFunctions();
std::span<const Function> partitionFunctions();
inline constexpr size_t functionTables = 5;
std::array<std::span<const Function>, functionTables> allFunctions();

/// The row of this name, or null.
const Function *findFunction(std::string_view name);
/// The name that is the fewest edits away, or "" if none is near.
std::string_view nearestFunction(std::string_view name);
/// "logical_divide(layout, tile)", for messages and help.
std::string signature(const Function &);

//===--- What the rows are written with -------------------------------------------------------===//

/// An argument that the row took as Kind::Any, as another kind; the refusal says what came.
Result<Value> argument(const Arguments &, size_t i, Kind, layout::Arith &);

/// The result of an operation of the algebra as a value.
inline Value value(layout::Tree v) { return v; }
inline Value value(layout::Int v) { return layout::Tree(v); }
inline Value value(layout::Layout v) { return layout::AnyLayout(std::move(v)); }
inline Value value(bool v) { return v; }
inline Value value(size_t v) { return layout::Tree(int64_t(v)); }
inline Value value(layout::AnyLayout v) { return v; }
inline Value value(layout::Tile v) { return v; }
inline Value value(layout::Swizzle v) { return v; }
inline Value value(layout::Sliced v) { return v; }
template <class T> Result<Value> value(Result<T> v) {
  if (!v)
    return std::move(v).reason();
  return value(*std::move(v));
}

/// The same swizzle over what an operation made of the outer layout, which may be no layout for it.
inline Value over(const layout::AnyLayout &l, layout::Layout outer) {
  return l.withOuter(std::move(outer));
}
inline Result<Value> over(const layout::AnyLayout &l, Result<layout::Layout> outer) {
  if (!outer)
    return std::move(outer).reason();
  layout::AnyLayout whole = l.withOuter(*std::move(outer));
  return whole.composed() ? value(checked(*whole.composed())) : value(std::move(whole));
}

} // namespace tessera::eval
