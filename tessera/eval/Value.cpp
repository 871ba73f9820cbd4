// Text and conversions of values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Value.h"

#include "tessera/eval/Errors.h"
#include "tessera/layout/Text.h"

#include <algorithm>
#include <limits>

namespace tessera::eval {

using namespace layout;

namespace {
using OnLeaf = std::function<void(Leaf &)>;

void inTextOrder(Tree &t, const OnLeaf &f) { t.forEachLeaf(f); }
void inTextOrder(Tile &t, const OnLeaf &f) { layout::forEachLeaf(t, f); }
void inTextOrder(Swizzle &, const OnLeaf &) {}
void inTextOrder(bool &, const OnLeaf &) {}
void inTextOrder(List &list, const OnLeaf &f) {
  for (Tree &item : list.items)
    inTextOrder(item, f);
}
void inTextOrder(AnyLayout &l, const OnLeaf &f) {
  if (const Layout *affine = l.affine()) {
    Layout own = *affine;
    layout::forEachLeaf(own, f);
    l = std::move(own);
    return;
  }
  Composed c = *l.composed();
  if (Layout *inner = std::get_if<Layout>(&c.inner))
    layout::forEachLeaf(*inner, f);
  c.offset.forEachLeaf(f);
  layout::forEachLeaf(c.outer, f);
  l = std::move(c);
}
void inTextOrder(Sliced &s, const OnLeaf &f) {
  inTextOrder(s.layout, f);
  inTextOrder(s.offset, f);
}

std::string plain(bool b) { return b ? "true" : "false"; }
std::string plain(const Sliced &s) {
  return cat(layout::str(s.layout), " + ", layout::str(s.offset));
}
std::string plain(const List &list) {
  constexpr std::string_view open[] = {"<", "[", ""}, close[] = {">", "]", " bits"},
                             between[] = {",", ",", "->"};
  std::string out(open[size_t(list.form)]);
  for (const Tree &item : list.items)
    out += cat(&item == list.items.data() ? "" : between[size_t(list.form)], layout::str(item));
  return cat(out, close[size_t(list.form)]);
}
template <class T> std::string plain(const T &value) { return layout::str(value); }
} // namespace

void forEachLeaf(Value &value, const OnLeaf &f) {
  std::visit([&](auto &held) { inTextOrder(held, f); }, value);
}

const AnyLayout *layoutOf(const Value &value) {
  if (const Sliced *sliced = std::get_if<Sliced>(&value))
    return &sliced->layout;
  return std::get_if<AnyLayout>(&value);
}

std::string str(const Value &value, const RunTime &values, Leaves leaves) {
  std::string text = std::visit([](const auto &held) { return plain(held); }, value);
  if (leaves == Leaves::Facts || text.find('?') == std::string::npos)
    return text;
  std::vector<Int> dynamic;
  Value copy = value;
  forEachLeaf(copy, [&](Leaf &leaf) {
    if (!leaf.isStatic())
      dynamic.push_back(leaf.value);
  });
  std::string out;
  size_t next = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    std::optional<int64_t> known = text[at] == '?' ? values.valueOf(dynamic[next++]) : std::nullopt;
    if (!known) {
      out += text[at];
      continue;
    }
    bool truth = dynamic[next - 1].width == Width::I1;
    // The tables of CuTe's values name no width; a value that needs one has it.
    out += cat(fitsI32(*known) ? "?{" : "?{i64 ",
               truth ? plain(*known != 0) : std::to_string(*known), "}");
    if (at + 1 < text.size() && text[at + 1] == '{')
      at = text.find('}', at);
  }
  return out;
}

namespace {
std::string described(const Value &value, std::string text) {
  constexpr std::string_view names[] = {
      "the tuple ", "the layout ", "the tile ", "the swizzle ", "the list ", "", "the slice "};
  constexpr size_t longest = 80;
  if (text.size() > longest)
    text = text.substr(0, longest) + "...";
  const Tree *tree = std::get_if<Tree>(&value);
  const bool composed = layoutOf(value) && layoutOf(value)->composed() && value.index() == 1;
  if (tree && tree->isLeaf())
    return cat(tree->leaf().any ? "" : hasTruth(*tree) ? "the truth value " : "the number ", text);
  return cat(composed ? "the composed layout " : names[value.index()], text);
}
} // namespace

std::string described(const Value &value, const RunTime &values) {
  return described(value, str(value, values));
}
std::string described(const Value &value) {
  return described(value, str(value, RunTime(), Leaves::Facts));
}

namespace {
using Extent = std::optional<int64_t>;
Extent emptyIn(const Tree &shape, const RunTime &values) {
  Extent empty;
  shape.forEachLeaf([&](const Leaf &leaf) {
    if (Extent known = values.valueOf(leaf.value); !leaf.any && known && *known < 1)
      empty = known;
  });
  return empty;
}
Extent emptyIn(const Layout &l, const RunTime &values) { return emptyIn(l.shape, values); }
Extent emptyIn(const AnyLayout &l, const RunTime &values) {
  const Composed *c = l.composed();
  const Layout *inner = c ? std::get_if<Layout>(&c->inner) : nullptr;
  Extent empty = emptyIn(l.outer(), values);
  return empty || !inner ? empty : emptyIn(*inner, values);
}
Extent emptyIn(const Tile &t, const RunTime &values) {
  Extent empty = t.isLayout() ? emptyIn(t.single, values) : std::nullopt;
  for (const Tile &mode : t.modes)
    empty = empty ? empty : emptyIn(mode, values);
  return empty;
}
Extent emptyIn(const Sliced &s, const RunTime &values) { return emptyIn(s.layout, values); }
Extent emptyIn(const Swizzle &, const RunTime &) { return std::nullopt; }
Extent emptyIn(const List &, const RunTime &) { return std::nullopt; }
} // namespace

std::optional<int64_t> emptyExtent(const Value &value, const RunTime &values, Kind kind) {
  if (std::holds_alternative<Tree>(value) && kind != Kind::Shape && kind != Kind::Mapping)
    return std::nullopt;
  return std::visit([&](const auto &held) { return emptyIn(held, values); }, value);
}

std::optional<Value> resolved(Value value, const RunTime &values) {
  bool complete = true;
  forEachLeaf(value, [&](Leaf &leaf) {
    if (leaf.isStatic())
      return;
    std::optional<int64_t> known = values.valueOf(leaf.value);
    complete &= known.has_value();
    leaf.value = Int(known.value_or(0));
  });
  complete = complete && !emptyExtent(value, values);
  return complete ? std::optional(std::move(value)) : std::nullopt;
}

Value moved(Value value, const RunTime &from, RunTime &to) {
  forEachLeaf(value, [&](Leaf &leaf) {
    if (!leaf.isStatic())
      leaf.value = to.input(from.valueOf(leaf.value), leaf.value.width, leaf.value.div);
  });
  return value;
}

namespace {
size_t weightOf(const Tree &t) {
  size_t sum = 1;
  for (size_t i = 0; t.isTuple() && i < t.rank(); ++i)
    sum += weightOf(t[i]);
  return sum;
}
size_t weightOf(const AnyLayout &l) {
  const Composed *c = l.composed();
  const Layout *inner = c ? std::get_if<Layout>(&c->inner) : nullptr;
  return weightOf(l.shape()) + (c ? weightOf(c->offset) : 0) + (inner ? weightOf(inner->shape) : 0);
}
size_t weightOf(const Tile &t) {
  size_t sum = 1 + (t.isLayout() ? weightOf(t.single.shape) : 0);
  for (const Tile &mode : t.modes)
    sum += weightOf(mode);
  return sum;
}
size_t weightOf(const Sliced &s) { return weightOf(s.layout) + weightOf(s.offset); }
size_t weightOf(const List &list) {
  size_t sum = 1;
  for (const Tree &item : list.items)
    sum += weightOf(item);
  return sum;
}
template <class T> size_t weightOf(const T &) { return 1; }
} // namespace

size_t weight(const Value &value) {
  return std::visit([](const auto &held) { return weightOf(held); }, value);
}

namespace {
size_t depthOf(const Tree &t) { return t.depth(); }
size_t depthOf(const AnyLayout &l) {
  const Composed *c = l.composed();
  const Layout *inner = c ? std::get_if<Layout>(&c->inner) : nullptr;
  return std::max({l.outer().depth(), c ? c->offset.depth() : 0, inner ? inner->depth() : 0});
}
size_t depthOf(const Tile &t) {
  size_t deepest = t.isLayout() ? t.single.depth() : 0;
  for (const Tile &mode : t.modes)
    deepest = std::max(deepest, depthOf(mode));
  return deepest + 1;
}
size_t depthOf(const Sliced &s) { return std::max(depthOf(s.layout), s.offset.depth()); }
template <class T> size_t depthOf(const T &) { return 1; }
} // namespace

size_t depth(const Value &value) {
  return std::visit([](const auto &held) { return depthOf(held); }, value);
}

//===------------------------------------------------------------------------------------------===//
// Conversions
//===------------------------------------------------------------------------------------------===//

std::string_view name(Kind kind) {
  constexpr std::string_view names[] = {"a number or tuple",
                                        "a coordinate",
                                        "a tuple of strides",
                                        "a number",
                                        "a shape or layout",
                                        "a tuple or layout",
                                        "a layout without swizzle",
                                        "a layout",
                                        "a tile `[t0;t1]`, a layout or extents",
                                        "a swizzle S<bits,base,shift>",
                                        "one number, as in <2>",
                                        "two numbers, as in <1,3>",
                                        "mode indices, as in <0,2>",
                                        "widths in bits, as in 8->16",
                                        "a list of numbers, as in [0,1,2]",
                                        "a layout, a swizzle, a tile or extents",
                                        "a value"};
  static_assert(std::size(names) == size_t(Kind::Any) + 1);
  return names[size_t(kind)];
}

namespace {
/// Marks a value of another kind; the caller replaces the reason by one with words.
Reason otherKind() { return {errors[size_t(Error::ArgumentKind)].id, ""}; }

Result<Layout> compact(const Tree &shape, Arith &arith) {
  TESSERA_TRY(Layout sound, checked(Layout{shape, repeatLike(shape, Leaf(0))}));
  return compactMajor(arith, sound.shape);
}

bool isNumber(const Tree &t) { return t.isLeaf() && !t.leaf().any && !t.leaf().isBasis(); }

/// The numbers of a list, or of a flat tuple that stands for one.
std::optional<List> listOf(const Value &value, List::Form form) {
  List out = {form, {}};
  if (const List *list = std::get_if<List>(&value))
    out.items = list->items;
  else if (const Tree *tree = std::get_if<Tree>(&value))
    out.items = tree->isTuple() ? tree->modes() : std::vector<Tree>{*tree};
  else
    return std::nullopt;
  for (const Tree &item : out.items)
    if (!isNumber(item) || !item.isStatic())
      return std::nullopt;
  return out;
}

Result<Value> numbers(const Value &value, List::Form form, size_t least, size_t most, int64_t low,
                      int64_t high) {
  std::optional<List> list = listOf(value, form);
  if (!list || list->items.size() < least || list->items.size() > most)
    return otherKind();
  for (const Tree &item : list->items)
    if (int64_t n = item.leaf().value.value; n < low || n > high)
      return fail(Error::NumberRange, low, high, n);
  return Value(std::move(*list));
}

Result<Value> asTuple(const Value &value, Kind kind) {
  const AnyLayout *l = std::get_if<AnyLayout>(&value);
  if ((kind == Kind::Shape || kind == Kind::Profile) && l)
    return Value(l->shape());
  const Tree *tree = std::get_if<Tree>(&value);
  const bool anyFits = kind == Kind::Coord || kind == Kind::Profile;
  if (!tree || (kind == Kind::Number && !isNumber(*tree)) || (tree->hasUnderscore() && !anyFits) ||
      (tree->hasBasis() && kind != Kind::Stride))
    return otherKind();
  if (kind == Kind::Shape)
    if (Result<Layout> sound = checked(Layout{*tree, repeatLike(*tree, Leaf(0))}); !sound)
      return std::move(sound).reason();
  return Value(*tree);
}

Result<Value> asLayout(const Value &value, Kind kind, Arith &arith) {
  if (const Tree *tree = std::get_if<Tree>(&value)) {
    if (tree->hasUnderscore() || tree->hasBasis())
      return otherKind();
    TESSERA_TRY(Layout l, compact(*tree, arith));
    return Value(AnyLayout(std::move(l)));
  }
  const AnyLayout *l = std::get_if<AnyLayout>(&value);
  if (!l || (kind == Kind::Layout && !l->affine()))
    return otherKind();
  return Value(*l);
}

Result<Value> asTile(const Value &value, Arith &arith) {
  if (const Tree *tree = std::get_if<Tree>(&value)) {
    if (tree->hasBasis())
      return otherKind();
    TESSERA_TRY(Tile tile, tileByMode(*tree, true));
    return Value(std::move(tile));
  }
  if (const List *one = std::get_if<List>(&value);
      one && one->form == List::Form::Values && one->items.size() == 1 && isNumber(one->items[0])) {
    TESSERA_TRY(Layout mode, compact(one->items[0], arith));
    return Value(Tile(std::vector<Tile>{Tile(std::move(mode))}));
  }
  if (const AnyLayout *l = std::get_if<AnyLayout>(&value); l && l->affine())
    return Value(Tile(*l->affine()));
  return std::holds_alternative<Tile>(value) ? Result<Value>(value) : otherKind();
}
} // namespace

Result<Tile> tileByMode(const Tree &extents, bool unitIsZero) {
  if (extents.isLeaf()) {
    if (extents.leaf().any)
      return Tile();
    bool zero = unitIsZero && extents.leaf().is(1);
    TESSERA_TRY(Layout mode, checked(Layout{extents, Tree(zero ? 0 : 1)}));
    return Tile(std::move(mode));
  }
  std::vector<Tile> modes;
  for (const Tree &mode : extents.modes()) {
    TESSERA_TRY(Tile tile, tileByMode(mode, unitIsZero));
    modes.push_back(std::move(tile));
  }
  return Tile(std::move(modes));
}

bool hasTruth(const Tree &t) {
  bool truth = false;
  t.forEachLeaf(
      [&](const Leaf &leaf) { truth |= !leaf.isStatic() && leaf.value.width == Width::I1; });
  return truth;
}

Result<Value> converted(const Value &value, Kind kind, Arith &arith) {
  if (const Tree *tree = std::get_if<Tree>(&value); tree && kind < Kind::Mapping && hasTruth(*tree))
    return otherKind();
  constexpr int64_t widest = std::numeric_limits<int32_t>::max(),
                    all = std::numeric_limits<int64_t>::max();
  constexpr size_t any = std::numeric_limits<size_t>::max();
  switch (kind) {
  case Kind::Tuple:
  case Kind::Coord:
  case Kind::Stride:
  case Kind::Number:
  case Kind::Shape:
  case Kind::Profile: return asTuple(value, kind);
  case Kind::Layout:
  case Kind::AnyLayout: return asLayout(value, kind, arith);
  case Kind::Tile: return asTile(value, arith);
  case Kind::Swizzle:
    return std::holds_alternative<Swizzle>(value) ? Result<Value>(value) : otherKind();
  case Kind::Count: return numbers(value, List::Form::Modes, 1, 1, 0, widest);
  case Kind::Range: return numbers(value, List::Form::Modes, 2, 2, -widest, widest);
  case Kind::Modes: return numbers(value, List::Form::Modes, 0, any, -widest, widest);
  case Kind::Bits: return numbers(value, List::Form::Bits, 2, 2, -widest, widest);
  case Kind::Values: return numbers(value, List::Form::Values, 0, any, -all, all);
  case Kind::Mapping:
  case Kind::Any: return value;
  }
  return value;
}

} // namespace tessera::eval
