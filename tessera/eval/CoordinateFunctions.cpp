// The functions between coordinates and indices, and on swizzles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Errors.h"
#include "tessera/eval/Function.h"

#include "tessera/layout/Text.h"

namespace tessera::eval {

using namespace layout;

namespace {
using K = Kind;
constexpr int64_t maxListed = 1 << 16; // values of layout_eval_all

/// The coordinate of an index of a layout, in the profile of its shape.
Tree hierarchical(Arith &a, Int index, const Layout &l) {
  return idx2crd(a, index, l.shape, l.stride);
}

/// The same with one integer per mode.
Result<Value> flatOf(Arith &a, const Tree &coord, const Layout &l) {
  if (l.rank() == 1) // CuTe gives the number itself
    return value(crd2idx(a, coord, compactMajor(a, l.shape)));
  std::vector<Tree> modes;
  for (size_t i = 0; i < l.rank(); ++i) {
    TESSERA_TRY(Tree mode, crd2idx(a, coord[i], compactMajor(a, l.shape[i])));
    modes.push_back(std::move(mode));
  }
  return value(Tree(std::move(modes)));
}

/// crd2idx(coord, layout), or with shape and stride apart.
Result<Value> indexOf(Arith &a, const Arguments &in) {
  if (in.count() == 2) {
    TESSERA_TRY(Value l, argument(in, 1, K::AnyLayout, a));
    return value(crd2idx(a, in.tree(0), std::get<AnyLayout>(l)));
  }
  TESSERA_TRY(Value shape, argument(in, 1, K::Shape, a));
  TESSERA_TRY(Layout l, checked(Layout{std::get<Tree>(shape), in.tree(2)}));
  return value(crd2idx(a, in.tree(0), l));
}

/// idx2crd(index, shape), or with the strides of a compact layout.
Result<Value> coordinateOf(Arith &a, const Arguments &in) {
  if (in.count() == 2)
    return value(idx2crd(a, in.tree(0), in.tree(1)));
  TESSERA_TRY(Layout l, checked(Layout{in.tree(1), in.tree(2)}));
  TESSERA_TRY(Value index, argument(in, 0, K::Number, a));
  return value(hierarchical(a, std::get<Tree>(index).leaf().value, l));
}

/// The values over the whole domain, as crd2idx computes them.
Result<Value> allValues(Arith &a, const Arguments &in) {
  Int points = size(a, in.any(0).outer());
  if (!points.isStatic())
    return fail(Error::NotOffered, "the list of values of a dynamic size");
  if (points.value > maxListed || points.value < 0)
    return fail(Error::DomainTooLarge, "layout_eval_all", maxListed, points.value);
  List list;
  size_t total = 0;
  for (int64_t i = 0; i < points.value; ++i) {
    TESSERA_TRY(Tree index, crd2idx(a, Tree(i), in.any(0)));
    total += weight(index);
    if (total > size_t(maxListed))
      return fail(Error::DomainTooLarge, "layout_eval_all of coordinates", i, points.value);
    list.items.push_back(std::move(index));
  }
  return Value(std::move(list));
}

Result<Value> swizzledList(Arith &a, const Arguments &in) {
  List list;
  for (int64_t n : in.numbers(1))
    list.items.emplace_back(applySwizzle(a, in.swizzle(0), n));
  return Value(std::move(list));
}

const Function table[] = {
    {"crd2idx",
     {K::Coord, K::Any, optional(K::Stride)},
     "the index of a coordinate: crd2idx(c, L) = L(c)",
     indexOf},
    {"crd2idx_shape",
     {K::Coord, K::Layout},
     "the number of a coordinate in first-mode-fastest order",
     [](Arith &a, const Arguments &in) { return value(crd2idx(a, in.tree(0), in.layout(1))); }},
    {"idx2crd",
     {K::Tuple, K::Shape, optional(K::Stride)},
     "the coordinate of an index: crd2idx(idx2crd(i, S), S) = i",
     coordinateOf},
    {"idx2crd_stride",
     {K::Number, K::Shape, K::Stride},
     "(index / stride) % shape, leaf by leaf",
     coordinateOf},
    {"get_hier_coord",
     {K::Number, K::Layout},
     "the coordinate of an index of a compact layout, in its profile",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(hierarchical(a, in.number(0), in.layout(1)));
     }},
    {"get_flat_coord",
     {K::Number, K::Layout},
     "the coordinate of an index of a compact layout, one integer per mode",
     [](Arith &a, const Arguments &in) {
       return flatOf(a, hierarchical(a, in.number(0), in.layout(1)), in.layout(1));
     }},
    {"get_1d_coord",
     {K::Number, K::Layout},
     "the coordinate of an index of a compact layout, as one integer",
     [](Arith &a, const Arguments &in) {
       const Layout &l = in.layout(1);
       return value(crd2idx(a, hierarchical(a, in.number(0), l), compactMajor(a, l.shape)));
     }},
    {"increment_coord",
     {K::Tuple, K::Shape},
     "the next coordinate in first-mode-fastest order; after the last one, as in CuTe C++, the "
     "last number is its extent",
     [](Arith &a, const Arguments &in) {
       return value(incrementCoord(a, in.tree(0), in.tree(1)));
     }},
    {"layout_eval_all", {K::AnyLayout}, "the values L(0), L(1), ..., L(size - 1)", allValues},

    {"swizzle_apply", {K::Swizzle, K::Values}, "the swizzle of each number", swizzledList},
    {"swizzle_type",
     {K::Swizzle},
     "the swizzle itself, if its numbers are in range",
     [](Arith &, const Arguments &in) -> Result<Value> { return value(in.swizzle(0)); }},
    {"upcast_swizzle",
     {K::Swizzle, K::Count},
     "the swizzle on elements that are n times as wide",
     [](Arith &, const Arguments &in) {
       return value(recast(in.swizzle(0), 1, in.numbers(1)[0]));
     }},
    {"downcast_swizzle",
     {K::Swizzle, K::Count},
     "the swizzle on the n parts of each element",
     [](Arith &, const Arguments &in) {
       return value(recast(in.swizzle(0), in.numbers(1)[0], 1));
     }},
    {"crd2crd",
     {K::Tuple, K::Shape, K::Shape},
     "the coordinate of the second shape with the same index",
     [](Arith &a, const Arguments &in) {
       return value(crd2crd(a, in.tree(0), in.tree(1), in.tree(2)));
     }},
    {"coprofile",
     {K::AnyLayout},
     "the profile of the codomain",
     [](Arith &, const Arguments &in) -> Result<Value> { return value(coprofile(in.any(0))); }},
    {"make_swizzle",
     {K::Number, K::Number},
     "the swizzle that reads the bits Y and changes the bits Z",
     [](Arith &, const Arguments &in) {
       return value(makeSwizzle(in.number(0).value, in.number(1).value));
     }},
};
} // namespace

std::span<const Function> coordinateFunctions() { return table; }

} // namespace tessera::eval
