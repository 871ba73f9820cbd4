// Value: what an expression over layouts evaluates to, its kinds and its text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/eval/RunTime.h"
#include "tessera/layout/Algebra.h"

#include <functional>
#include <string>
#include <variant>

namespace tessera::eval {

/// Several numbers in a row: template arguments `<0,2>`, values `[0,2]`, or the widths `8->16
/// bits`.
struct List {
  enum class Form : uint8_t {
    Modes,
    Values,
    Bits
  };
  Form form = Form::Values;
  std::vector<layout::Tree> items; // numbers; of `[..]` also coordinates
};

using Value = std::variant<layout::Tree, layout::AnyLayout, layout::Tile, layout::Swizzle, List,
                           bool, layout::Sliced>;

/// The layout in a value: itself, or what a slice leaves; null for anything else.
const layout::AnyLayout *layoutOf(const Value &);

/// How a dynamic leaf is printed: with its run-time value where it has one (`?{4}`), or with what
/// the type says.
enum class Leaves : uint8_t {
  Values,
  Facts
};
std::string str(const Value &, const RunTime &, Leaves = Leaves::Values);
/// "the layout (4,8):(1,4)", shortened where it is long.
std::string described(const Value &, const RunTime &);
std::string described(const Value &); // with the facts of dynamic leaves

/// Calls `f(layout::Leaf &)` on every leaf in the order of the text.
void forEachLeaf(Value &, const std::function<void(layout::Leaf &)> &f);
/// The value with `4` in place of `?{4}`; nothing if a leaf has no value, or an extent is not
/// positive.
std::optional<Value> resolved(Value, const RunTime &);

/// The value with its dynamic leaves as inputs of another evaluation, of the same width, divisor
/// and run-time value.
Value moved(Value, const RunTime &from, RunTime &to);

/// Leaves and tuples in a value: what it costs to walk it.
size_t weight(const Value &);
/// Levels of nesting.
size_t depth(const Value &);

/// Whether a leaf is the dynamic answer of a comparison, which is not a number.
bool hasTruth(const layout::Tree &);

/// What a function takes in a place.
enum class Kind : uint8_t {
  Tuple,     // number or tuple of numbers
  Coord,     // the same with `_`
  Stride,    // the same with scaled bases
  Number,    // one number
  Shape,     // a tuple of positive extents, or the shape of a layout
  Profile,   // any tuple without scaled bases, or the shape of a layout
  Layout,    // a layout without swizzle; a shape is its compact layout
  AnyLayout, // a layout, swizzled or not
  Tile,      // by mode `[..]`, `_`, a layout, or extents that tile mode by mode; an extent 1 is 1:0
  Swizzle,
  Count,   // `<2>`: one number
  Range,   // `<1,3>`: two numbers
  Modes,   // `<0,2>`: mode indices
  Bits,    // `8->16`: two widths in bits
  Values,  // `[0,1,2]`: numbers
  Mapping, // what composes: a layout, a swizzle, a tile or extents
  Any,
};
/// "a layout", with its article.
std::string_view name(Kind);

/// The value as this kind (a shape becomes a layout, ...), or a reason without position. The
/// reason's id is ArgumentKind if the value is of another kind; its text then says what came.
Result<Value> converted(const Value &, Kind, layout::Arith &);

/// A run-time extent of a layout, or of a tuple that is taken as extents, that is 0 or less: no
/// operation is made for these.
std::optional<int64_t> emptyExtent(const Value &, const RunTime &, Kind = Kind::Any);

/// Extents that tile mode by mode. CuTe's divisions take an extent 1 as 1:0, its composition as
/// 1:1.
Result<layout::Tile> tileByMode(const layout::Tree &extents, bool unitIsZero);

} // namespace tessera::eval
