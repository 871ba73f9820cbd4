// The functions on tuples of numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Function.h"

namespace tessera::eval {

using namespace layout;

namespace {
using K = Kind;

/// elem_less on modes that are compared one by one: CuTe's three other comparisons are made of it.
Result<Value> ordered(Arith &a, const Tree &x, const Tree &y, bool negated) {
  TESSERA_TRY(Int less, elemLess(a, x, y));
  if (less.isStatic())
    return value(negated != less.is(1));
  return value(negated ? a.equal(less, Int(0)) : less);
}

const Function table[] = {
    {"product",
     {K::Profile},
     "the product of all leaves",
     [](Arith &a, const Arguments &in) -> Result<Value> { return value(product(a, in.tree(0))); }},
    {"product_each",
     {K::Tuple},
     "one product per top-level mode",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       return value(productEach(a, in.tree(0)));
     }},
    {"product_like",
     {K::Tuple, K::Tuple},
     "each leaf of the second, replaced by the product of what the first has there",
     [](Arith &a, const Arguments &in) { return value(productLike(a, in.tree(0), in.tree(1))); }},
    {"add",
     {K::Tuple, K::Tuple},
     "leaf by leaf",
     [](Arith &a, const Arguments &in) { return value(add(a, in.tree(0), in.tree(1))); }},
    {"sub",
     {K::Tuple, K::Tuple},
     "leaf by leaf",
     [](Arith &a, const Arguments &in) { return value(sub(a, in.tree(0), in.tree(1))); }},
    {"mul",
     {K::Tuple, K::Tuple},
     "leaf by leaf; a number applies to every leaf",
     [](Arith &a, const Arguments &in) { return value(mul(a, in.tree(0), in.tree(1))); }},
    {"elem_scale",
     {K::Tuple, K::Tuple},
     "leaf by leaf; a number applies to every leaf",
     [](Arith &a, const Arguments &in) { return value(mul(a, in.tree(0), in.tree(1))); }},
    {"div",
     {K::Tuple, K::Tuple},
     "leaf by leaf, rounded towards zero",
     [](Arith &a, const Arguments &in) { return value(div(a, in.tree(0), in.tree(1))); }},
    {"mod",
     {K::Tuple, K::Tuple},
     "leaf by leaf, the rest of div",
     [](Arith &a, const Arguments &in) { return value(mod(a, in.tree(0), in.tree(1))); }},
    {"shape_div",
     {K::Tuple, K::Tuple},
     "a / b where one divides the other; a number is divided out from the left",
     [](Arith &a, const Arguments &in) { return value(shapeDiv(a, in.tree(0), in.tree(1))); }},
    {"ceil_div",
     {K::Tuple, K::Tuple},
     "a / b rounded up, leaf by leaf",
     [](Arith &a, const Arguments &in) { return value(ceilDiv(a, in.tree(0), in.tree(1))); }},
    {"ceil_div_tiler",
     {K::Profile, K::Tile},
     "how many copies of each tile cover the shape",
     [](Arith &a, const Arguments &in) { return value(ceilDiv(a, in.tree(0), in.tile(1))); }},
    {"elem_less",
     {K::Tuple, K::Tuple},
     "every leaf of a < its partner in b",
     [](Arith &a, const Arguments &in) { return ordered(a, in.tree(0), in.tree(1), false); }},
    {"elem_gtr",
     {K::Tuple, K::Tuple},
     "elem_less(b, a)",
     [](Arith &a, const Arguments &in) { return ordered(a, in.tree(1), in.tree(0), false); }},
    {"elem_leq",
     {K::Tuple, K::Tuple},
     "not elem_less(b, a)",
     [](Arith &a, const Arguments &in) { return ordered(a, in.tree(1), in.tree(0), true); }},
    {"elem_geq",
     {K::Tuple, K::Tuple},
     "not elem_less(a, b)",
     [](Arith &a, const Arguments &in) { return ordered(a, in.tree(0), in.tree(1), true); }},
    {"equal",
     {K::Tuple, K::Tuple},
     "same profile and equal leaves",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       Int same = equal(a, in.tree(0), in.tree(1));
       return same.isStatic() ? value(same.is(1)) : value(same);
     }},
    {"congruent",
     {K::Profile, K::Profile},
     "same profile",
     [](Arith &, const Arguments &in) -> Result<Value> {
       return value(congruent(in.tree(0), in.tree(1)));
     }},
    {"weakly_congruent",
     {K::Profile, K::Profile},
     "every leaf of a stands where b has a leaf or a tuple",
     [](Arith &, const Arguments &in) -> Result<Value> {
       return value(weaklyCongruent(in.tree(0), in.tree(1)));
     }},
    {"coalesce_shape",
     {K::Shape},
     "the fewest extents of as many coordinates",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       // What a layout that covers nothing leaves out of the shape.
       TESSERA_TRY(Layout all, complement(a, Layout{Tree(1), Tree(0)}, in.tree(0)));
       return value(all.shape);
     }},
};
} // namespace

std::span<const Function> tupleFunctions() { return table; }

} // namespace tessera::eval
