// The functions that make layouts, ask about them, take them apart and regroup them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Errors.h"
#include "tessera/eval/Function.h"

#include "tessera/layout/Text.h"

namespace tessera::eval {

using namespace layout;

namespace {
using K = Kind;
constexpr int64_t maxFill = 1024; // leaves that append and prepend fill up with

/// The ranks that make an ordered layout row-major: the last leaf first.
Tree lastFirst(const Tree &shape) {
  int64_t rank = int64_t(shape.leafCount());
  return shape.map([&](const Leaf &) { return Leaf(--rank); });
}
Result<Value> rowMajor(Arith &a, const Arguments &in) {
  return value(orderedLayout(a, in.tree(0), lastFirst(in.tree(0))));
}

/// The strides of a compact layout, times the second argument if there is one.
Result<Value> strides(Arith &a, const Arguments &in, Result<Layout> compact) {
  TESSERA_TRY(Layout l, std::move(compact));
  return in.count() == 1 ? value(l.stride) : value(mul(a, l.stride, in.tree(1)));
}

/// append_to_rank and prepend_to_rank, which refuse what would not fit the bounds of a value.
using Fill = Result<Layout>(const Layout &, int64_t, const Layout &);
Result<Value> filledToRank(const Arguments &in, Fill *fill) {
  int64_t rank = in.numbers(1)[0];
  int64_t most = maxFill / (in.count() > 2 ? int64_t(weight(in[2])) : 1);
  if (rank > most)
    return eval::fail(Error::NumberRange, 1, most, rank);
  return over(in.any(0), fill(in.any(0).outer(), rank,
                              in.count() > 2 ? in.layout(2) : Layout{Tree(1), Tree(0)}));
}

Result<Value> takeModes(Arith &, const Arguments &in) {
  const Layout &l = in.any(0).outer();
  int64_t begin = in.numbers(1)[0], end = in.numbers(1)[1];
  if (begin < 0 || begin > end || end > int64_t(l.rank()))
    return eval::fail(Error::TakeRange, l.rank(), begin, end);
  return over(in.any(0), Layout{take(wrap(l.shape), size_t(begin), size_t(end)),
                                take(wrap(l.stride), size_t(begin), size_t(end))});
}

Result<Value> unflattened(Arith &, const Arguments &in) {
  const Layout &l = in.layout(0);
  const Tree &profile = in.tree(1);
  if (wrap(l.shape).depth() > 1 || l.rank() != profile.leafCount())
    return eval::fail(Error::ProfileLeaves, l.rank(), profile.leafCount(), str(profile));
  return value(Layout{unflatten(l.shape, profile), unflatten(l.stride, profile)});
}

/// A mode at a path `<..>`, under the same swizzle.
Result<AnyLayout> modeOf(const Arguments &in) {
  TESSERA_TRY(Layout mode, getMode(in.any(0).outer(), in.modes(1)));
  return in.any(0).withOuter(std::move(mode));
}
template <class F> Result<Value> ofMode(const Arguments &in, F &&f) {
  TESSERA_TRY(AnyLayout mode, modeOf(in));
  return f(mode.outer());
}

Result<Value> coalesced(Arith &a, const Arguments &in) {
  const AnyLayout &l = in.any(0);
  return in.count() == 1 ? over(l, coalesce(a, l.outer()))
                         : over(l, coalesce(a, l.outer(), in.tree(1)));
}

const Function table[] = {
    {"make_layout",
     {K::Layout},
     "the compact layout of a shape, first mode fastest",
     [](Arith &, const Arguments &in) -> Result<Value> { return value(in.layout(0)); }},
    {"make_layout_right", {K::Shape}, "the compact layout of a shape, last mode fastest", rowMajor},
    {"compact_col_major",
     {K::Shape, optional(K::Tuple)},
     "the strides of the compact layout, first mode fastest",
     [](Arith &a, const Arguments &in) { return strides(a, in, compactMajor(a, in.tree(0))); }},
    {"compact_row_major",
     {K::Shape, optional(K::Tuple)},
     "the strides of the compact layout, last mode fastest",
     [](Arith &a, const Arguments &in) {
       return strides(a, in, orderedLayout(a, in.tree(0), lastFirst(in.tree(0))));
     }},
    {"make_ordered_layout",
     {K::Shape, K::Tuple},
     "the compact layout whose strides grow in the given order",
     [](Arith &a, const Arguments &in) { return value(orderedLayout(a, in.tree(0), in.tree(1))); }},
    {"make_layout_like",
     {K::Layout},
     "the compact layout with the shape and the order of L",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(layoutLike(a, in.layout(0)));
     }},
    {"make_fragment_like",
     {K::Layout},
     "the register layout for a partition: mode 0 compact, then the order of L",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(fragmentLike(a, in.layout(0)));
     }},
    {"make_identity_layout",
     {K::Shape},
     "the layout that maps a coordinate to itself",
     [](Arith &, const Arguments &in) { return value(checked(identityLayout(in.tree(0)))); }},
    {"make_layout_concat",
     {repeated(K::Layout)},
     "the layouts side by side, as modes",
     [](Arith &, const Arguments &in) {
       std::vector<Layout> modes;
       for (size_t i = 0; i < in.count(); ++i)
         modes.push_back(in.layout(i));
       return value(concat(modes));
     }},

    {"size",
     {K::AnyLayout},
     "the number of coordinates",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(size(a, in.any(0).outer()));
     }},
    {"cosize",
     {K::AnyLayout},
     "1 + the largest index",
     [](Arith &a, const Arguments &in) { return value(cosize(a, in.any(0))); }},
    {"coshape",
     {K::AnyLayout},
     "1 + the largest index, per mode of the codomain",
     [](Arith &a, const Arguments &in) { return value(coshape(a, in.any(0))); }},
    {"rank",
     {K::AnyLayout},
     "the number of top-level modes",
     [](Arith &, const Arguments &in) -> Result<Value> { return value(in.any(0).rank()); }},
    {"depth",
     {K::AnyLayout},
     "the levels of nesting",
     [](Arith &, const Arguments &in) -> Result<Value> {
       return value(in.any(0).outer().depth());
     }},
    {"shape",
     {K::AnyLayout},
     "the shape of a layout",
     [](Arith &, const Arguments &in) -> Result<Value> { return value(in.any(0).shape()); }},
    {"stride",
     {K::Layout},
     "the strides of a layout",
     [](Arith &, const Arguments &in) -> Result<Value> { return value(in.layout(0).stride); }},

    {"get_mode",
     {K::AnyLayout, K::Modes},
     "the mode at a path <i,j,...>",
     [](Arith &, const Arguments &in) { return value(modeOf(in)); }},
    {"size_mode",
     {K::AnyLayout, K::Modes},
     "size of the mode at a path",
     [](Arith &a, const Arguments &in) {
       return ofMode(in, [&](const Layout &l) { return value(size(a, l)); });
     }},
    {"cosize_mode",
     {K::AnyLayout, K::Modes},
     "cosize of the mode at a path",
     [](Arith &a, const Arguments &in) {
       return ofMode(in, [&](const Layout &l) { return value(cosize(a, l)); });
     }},
    {"shape_mode",
     {K::AnyLayout, K::Modes},
     "shape of the mode at a path",
     [](Arith &, const Arguments &in) {
       return ofMode(in, [&](const Layout &l) { return value(l.shape); });
     }},
    {"stride_mode",
     {K::AnyLayout, K::Modes},
     "stride of the mode at a path",
     [](Arith &, const Arguments &in) {
       return ofMode(in, [&](const Layout &l) { return value(l.stride); });
     }},
    {"rank_mode",
     {K::AnyLayout, K::Modes},
     "rank of the mode at a path",
     [](Arith &, const Arguments &in) {
       return ofMode(in, [&](const Layout &l) { return value(l.rank()); });
     }},
    {"depth_mode",
     {K::AnyLayout, K::Modes},
     "depth of the mode at a path",
     [](Arith &, const Arguments &in) {
       return ofMode(in, [&](const Layout &l) { return value(l.depth()); });
     }},

    {"append",
     {K::AnyLayout, K::Layout},
     "one mode more, at the end",
     [](Arith &, const Arguments &in) {
       return over(in.any(0), append(in.any(0).outer(), in.layout(1)));
     }},
    {"prepend",
     {K::AnyLayout, K::Layout},
     "one mode more, in front",
     [](Arith &, const Arguments &in) {
       return over(in.any(0), prepend(in.any(0).outer(), in.layout(1)));
     }},
    {"append_to_rank",
     {K::AnyLayout, K::Count, optional(K::Layout)},
     "copies of a mode (or 1:0) after, up to rank n",
     [](Arith &, const Arguments &in) { return filledToRank(in, appendToRank); }},
    {"prepend_to_rank",
     {K::AnyLayout, K::Count, optional(K::Layout)},
     "copies of a mode (or 1:0) in front, up to rank n",
     [](Arith &, const Arguments &in) { return filledToRank(in, prependToRank); }},
    {"flatten",
     {K::AnyLayout},
     "the same function with one mode per leaf",
     [](Arith &, const Arguments &in) -> Result<Value> {
       return over(in.any(0), flatten(in.any(0).outer()));
     }},
    {"unflatten", {K::Layout, K::Profile}, "a flat layout in the given profile", unflattened},
    {"group_modes",
     {K::AnyLayout, K::Range},
     "modes [b, e) become one mode",
     [](Arith &, const Arguments &in) {
       return over(in.any(0), groupModes(in.any(0).outer(), in.numbers(1)[0], in.numbers(1)[1]));
     }},
    {"select",
     {K::AnyLayout, K::Modes},
     "the modes <i,j,...>, in this order",
     [](Arith &, const Arguments &in) {
       return over(in.any(0), select(in.any(0).outer(), in.modes(1)));
     }},
    {"take", {K::AnyLayout, K::Range}, "modes [b, e)", takeModes},
    {"slice",
     {K::Coord, K::AnyLayout},
     "the modes that the coordinate keeps with `_`",
     [](Arith &, const Arguments &in) {
       return over(in.any(1), slice(in.any(1).outer(), in.tree(0)));
     }},
    {"dice",
     {K::Coord, K::AnyLayout},
     "the modes that the coordinate fixes",
     [](Arith &, const Arguments &in) {
       return over(in.any(1), dice(in.any(1).outer(), in.tree(0)));
     }},
    {"slice_and_offset",
     {K::Coord, K::AnyLayout},
     "slice, and the index of what the coordinate fixes",
     [](Arith &a, const Arguments &in) { return value(sliceAndOffset(a, in.tree(0), in.any(1))); }},
    {"slice_and_offset_swizzle",
     {K::Coord, K::AnyLayout},
     "slice_and_offset of a swizzled layout",
     [](Arith &a, const Arguments &in) { return value(sliceAndOffset(a, in.tree(0), in.any(1))); }},
    {"domain_offset",
     {K::Coord, K::AnyLayout},
     "the layout from a coordinate on, and the index of that coordinate",
     [](Arith &a, const Arguments &in) { return value(domainOffset(a, in.tree(0), in.any(1))); }},

    {"coalesce",
     {K::AnyLayout, optional(K::Profile)},
     "the fewest modes with the same function (below each leaf of a profile)",
     coalesced},
    {"coalesce_profile",
     {K::AnyLayout, K::Profile},
     "coalesce below each leaf of the profile",
     coalesced},
    {"filter",
     {K::AnyLayout},
     "coalesce without the modes of stride 0",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return over(in.any(0), filter(a, in.any(0).outer()));
     }},
    {"filter_zeros",
     {K::AnyLayout},
     "extent 1 where the stride is 0",
     [](Arith &, const Arguments &in) -> Result<Value> {
       return over(in.any(0), filterZeros(in.any(0).outer()));
     }},
    {"composed_eval",
     {K::AnyLayout},
     "the layout itself",
     [](Arith &, const Arguments &in) -> Result<Value> { return value(in.any(0)); }},
    {"coalesce_bounded",
     {K::Layout, K::Number},
     "coalesce into modes of at most n elements",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(coalesceBounded(a, in.layout(0), in.number(1).value));
     }},
    {"filter_profile",
     {K::Layout, K::Profile},
     "filter below each leaf of the profile",
     [](Arith &a, const Arguments &in) { return value(filter(a, in.layout(0), in.tree(1))); }},
    {"filter_zeros_profile",
     {K::Layout, K::Profile},
     "extent 1 where the profile has a 0",
     [](Arith &, const Arguments &in) { return value(filterZeros(in.layout(0), in.tree(1))); }},
    {"replace",
     {K::Layout, K::Count, K::Layout},
     "a layout in place of mode n",
     [](Arith &, const Arguments &in) {
       return value(replace(in.layout(0), in.numbers(1)[0], in.layout(2)));
     }},
    {"zip",
     {K::Layout, optional(K::Layout)},
     "((a,b),(c,d)) -> ((a,c),(b,d)); undoes itself",
     [](Arith &, const Arguments &in) {
       return value(in.count() == 1 ? zip(in.layout(0)) : zip(in.layout(0), in.layout(1)));
     }},
};
} // namespace

std::span<const Function> layoutFunctions() { return table; }

} // namespace tessera::eval
