// The functions that combine layouts: composition, complement, inverses, division, products,
// recasts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Errors.h"
#include "tessera/eval/Function.h"

#include "tessera/layout/Text.h"

namespace tessera::eval {

using namespace layout;

namespace {
using K = Kind;

template <Grouping grouping> Result<Value> divided(Arith &a, const Arguments &in) {
  return value(divide(a, in.any(0), in.tile(1), grouping));
}
template <Grouping grouping> Result<Value> dividedOutside(Arith &a, const Arguments &in) {
  return value(outerDivide(a, in.any(0), in.tile(1), grouping));
}
/// Stride, dilation and padding that are not given keep their defaults.
template <Grouping grouping> Result<Value> windows(Arith &a, const Arguments &in) {
  Stencil s;
  Tree *const operands[] = {&s.window, &s.stride, &s.dilation, &s.before, &s.after};
  for (size_t i = 1; i < in.count(); ++i)
    *operands[i - 1] = in.tree(i);
  return value(stencilDivide(a, in.any(0), s, grouping));
}
template <Grouping grouping> Result<Value> multiplied(Arith &a, const Arguments &in) {
  return value(product(a, in.any(0), in.tile(1), grouping));
}

/// Extents tile mode by mode, and an extent 1 is 1:1 here; everything else as for any tile.
Result<Tile> composer(Arith &a, const Arguments &in) {
  TESSERA_TRY(Value tile, argument(in, 1, K::Tile, a));
  if (const Tree *extents = std::get_if<Tree>(&in[1]))
    return tileByMode(*extents, false);
  return std::get<Tile>(std::move(tile));
}

/// A o B for whatever A and B are.
Result<Value> composed(Arith &a, const Arguments &in) {
  const Swizzle *after = std::get_if<Swizzle>(&in[1]);
  if (const Swizzle *front = std::get_if<Swizzle>(&in[0]); front && after)
    return value(composition(*front, *after));
  if (after) {
    TESSERA_TRY(Value left, argument(in, 0, K::Layout, a));
    return value(composition(a, *std::get<AnyLayout>(left).affine(), *after));
  }
  if (const AnyLayout *right = std::get_if<AnyLayout>(&in[1]); right && right->composed()) {
    if (const Swizzle *swizzle = std::get_if<Swizzle>(&in[0])) {
      TESSERA_TRY(Int end, cosize(a, AnyLayout(right->outer())));
      Composed same = {*swizzle, Tree(0), {Tree(end), Tree(1)}}; // the swizzle of any index below
      return value(composition(a, AnyLayout(std::move(same)), *right->composed()));
    }
    TESSERA_TRY(Value left, argument(in, 0, K::AnyLayout, a));
    return value(composition(a, std::get<AnyLayout>(left), *right->composed()));
  }
  if (const Swizzle *swizzle = std::get_if<Swizzle>(&in[0])) {
    TESSERA_TRY(Value outer, argument(in, 1, K::Layout, a));
    AnyLayout l = compose(*swizzle, Tree(0), *std::get<AnyLayout>(outer).affine());
    return l.composed() ? value(checked(*l.composed())) : Result<Value>(value(std::move(l)));
  }
  TESSERA_TRY(Value left, argument(in, 0, K::AnyLayout, a));
  TESSERA_TRY(Tile tile, composer(a, in));
  const AnyLayout &l = std::get<AnyLayout>(left);
  if (l.affine() &&
      tile.isLayout()) // a layout stays one, which a by-mode composition need not know
    return value(composition(a, *l.affine(), tile.single));
  return value(composition(a, l, tile));
}

Result<Value> complemented(Arith &a, const Arguments &in) {
  return value(in.count() == 1 ? complement(a, in.layout(0))
                               : complement(a, in.layout(0), in.tree(1)));
}

/// upcast and downcast, of a swizzle too.
Result<Value> recastBy(Arith &a, const Arguments &in, int64_t from, int64_t to) {
  if (const Swizzle *swizzle = std::get_if<Swizzle>(&in[0]))
    return value(recast(*swizzle, from, to));
  TESSERA_TRY(Value l, argument(in, 0, K::AnyLayout, a));
  return value(recast(a, std::get<AnyLayout>(l), from, to));
}
Result<Value> recastBits(Arith &a, const Arguments &in) {
  std::vector<int64_t> bits = in.numbers(1);
  return recastBy(a, in, bits[0], bits[1]);
}

/// The order of the copies; without one, modes from the left.
Result<Value> tiledToShape(Arith &a, const Arguments &in) {
  std::vector<Tree> order;
  for (size_t i = 0; i < in.tree(1).rank(); ++i)
    order.emplace_back(int64_t(i));
  return value(
      tileToShape(a, in.any(0), in.tree(1), in.count() > 2 ? in.tree(2) : Tree(std::move(order))));
}

/// Layout, window, stride, dilation, padding before and after.
constexpr Parameters stencil = {K::AnyLayout,       K::Coord,           optional(K::Tuple),
                                optional(K::Tuple), optional(K::Tuple), optional(K::Tuple)};

constexpr std::string_view composes =
    "R(c) = A(B(c)), with a shape compatible with B's; mode by mode if B is a tile";

const Function table[] = {
    {"composition", {K::Mapping, K::Mapping}, composes, composed},
    {"composition_tile", {K::Mapping, K::Mapping}, composes, composed},
    {"composition_shape", {K::Mapping, K::Mapping}, composes, composed},
    {"composition_composed", {K::Mapping, K::Mapping}, composes, composed},
    {"composition_swizzle", {K::Mapping, K::Mapping}, composes, composed},
    {"complement",
     {K::Layout, optional(K::Shape)},
     "what L leaves out of the indices below a cotarget (its cosize)",
     complemented},
    {"right_inverse",
     {K::AnyLayout},
     "L(R(i)) = i, on the largest prefix that L hits contiguously",
     [](Arith &a, const Arguments &in) { return value(rightInverse(a, in.any(0))); }},
    {"left_inverse",
     {K::AnyLayout},
     "R(L(i)) = i, for an injective L",
     [](Arith &a, const Arguments &in) { return value(leftInverse(a, in.any(0))); }},

    {"logical_divide",
     {K::AnyLayout, K::Tile},
     "A o (B, complement(B, size(A))): ((t0,r0),(t1,r1))",
     divided<Grouping::Logical>},
    {"zipped_divide",
     {K::AnyLayout, K::Tile},
     "logical_divide regrouped: ((t0,t1),(r0,r1))",
     divided<Grouping::Zipped>},
    {"tiled_divide",
     {K::AnyLayout, K::Tile},
     "logical_divide regrouped: ((t0,t1),r0,r1)",
     divided<Grouping::Tiled>},
    {"flat_divide",
     {K::AnyLayout, K::Tile},
     "logical_divide regrouped: (t0,t1,r0,r1)",
     divided<Grouping::Flat>},
    {"logical_product",
     {K::AnyLayout, K::Tile},
     "(A, complement(A) o B): B-many copies of A side by side",
     multiplied<Grouping::Logical>},
    {"zipped_product",
     {K::AnyLayout, K::Tile},
     "logical_product regrouped: ((t0,t1),(r0,r1))",
     multiplied<Grouping::Zipped>},
    {"tiled_product",
     {K::AnyLayout, K::Tile},
     "logical_product regrouped: ((t0,t1),r0,r1)",
     multiplied<Grouping::Tiled>},
    {"flat_product",
     {K::AnyLayout, K::Tile},
     "logical_product regrouped: (t0,t1,r0,r1)",
     multiplied<Grouping::Flat>},
    {"blocked_product",
     {K::AnyLayout, K::Layout},
     "logical_product paired by mode, block inside: ((a0,b0),(a1,b1))",
     [](Arith &a, const Arguments &in) {
       return value(blockedProduct(a, in.any(0), in.layout(1)));
     }},
    {"raked_product",
     {K::AnyLayout, K::Layout},
     "logical_product paired by mode, copies inside: ((b0,a0),(b1,a1))",
     [](Arith &a, const Arguments &in) { return value(rakedProduct(a, in.any(0), in.layout(1))); }},
    {"tile_to_shape",
     {K::AnyLayout, K::Shape, optional(K::Tuple)},
     "copies of a block that cover a shape, in an order of modes",
     tiledToShape},

    {"recast_layout",
     {K::Any, K::Bits},
     "the same memory as elements of other bits, old->new",
     recastBits},
    {"upcast",
     {K::Any, K::Count},
     "the same memory as elements that are n times as wide",
     [](Arith &a, const Arguments &in) { return recastBy(a, in, 1, in.numbers(1)[0]); }},
    {"downcast",
     {K::Any, K::Count},
     "the same memory as the n parts of each element",
     [](Arith &a, const Arguments &in) { return recastBy(a, in, in.numbers(1)[0], 1); }},
    {"composition_layout_swizzle", {K::Mapping, K::Mapping}, composes, composed},
    {"composition_layout_composed", {K::Mapping, K::Mapping}, composes, composed},
    {"composition_swizzle_swizzle", {K::Mapping, K::Mapping}, composes, composed},
    {"nullspace",
     {K::Layout},
     "the coordinates that stride 0 sends to index 0",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(nullspace(a, in.layout(0)));
     }},
    {"max_common_layout",
     {K::Layout, K::Layout},
     "R with a(R(i)) = b(R(i)) = i",
     [](Arith &a, const Arguments &in) {
       return value(maxCommonLayout(a, in.layout(0), in.layout(1)));
     }},
    {"max_common_vector",
     {K::Layout, K::Layout},
     "the size of max_common_layout",
     [](Arith &a, const Arguments &in) {
       return value(maxCommonVector(a, in.layout(0), in.layout(1)));
     }},
    {"max_alignment",
     {K::Layout},
     "the largest N such that vectors of N elements are aligned",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(maxAlignment(a, in.layout(0)));
     }},
    {"domain_distribute",
     {K::Shape, K::Number},
     "a layout of at most n elements into the coordinates of a shape",
     [](Arith &a, const Arguments &in) {
       return value(domainDistribute(a, in.tree(0), in.number(1)));
     }},
    {"outer_divide",
     {K::AnyLayout, K::Tile},
     "a division that the last modes see first, zipped: ((r0,r1),(t0,t1))",
     dividedOutside<Grouping::Zipped>},
    {"outer_logical_divide",
     {K::AnyLayout, K::Tile},
     "outer_divide, mode by mode: (m0,(t1,r1)) if one tile divides two modes",
     dividedOutside<Grouping::Logical>},
    {"outer_tiled_divide",
     {K::AnyLayout, K::Tile},
     "outer_divide regrouped: (r0,r1,(t0,t1))",
     dividedOutside<Grouping::Tiled>},
    {"outer_flat_divide",
     {K::AnyLayout, K::Tile},
     "outer_divide regrouped: (r0,r1,t0,t1)",
     dividedOutside<Grouping::Flat>},
    {"stencil_divide", stencil,
     "windows of w elements, the next s away: n:t -> (w,1+(p+n+q-((w-1)*d+1))/s):(d*t,s*t), and "
     "where padding p puts the first one",
     windows<Grouping::Logical>},
    {"stencil_zipped_divide", stencil, "stencil_divide regrouped: ((w0,w1),(m0,m1,other modes))",
     windows<Grouping::Zipped>},
    {"stencil_tiled_divide", stencil, "stencil_divide regrouped: ((w0,w1),m0,m1,other modes)",
     windows<Grouping::Tiled>},
    {"stencil_flat_divide", stencil, "stencil_divide regrouped: (w0,w1,m0,m1,other modes)",
     windows<Grouping::Flat>},
};
} // namespace

std::span<const Function> algebraFunctions() { return table; }

} // namespace tessera::eval
