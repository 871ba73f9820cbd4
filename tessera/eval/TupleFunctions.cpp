// The functions on tuples of numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Function.h"

namespace tessera::eval {

using namespace layout;

namespace {
using K = Kind;

/// The answer of a comparison: a boolean where the operands decide.
Result<Value> truth(const Result<Int> &answer) {
  if (!answer)
    return answer.reason();
  return answer->isStatic() ? value(answer->is(1)) : value(*answer);
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
     [](Arith &a, const Arguments &in) { return truth(elemLess(a, in.tree(0), in.tree(1))); }},
    {"elem_gtr",
     {K::Tuple, K::Tuple},
     "elem_less(b, a)",
     [](Arith &a, const Arguments &in) { return truth(elemGtr(a, in.tree(0), in.tree(1))); }},
    {"elem_leq",
     {K::Tuple, K::Tuple},
     "not elem_less(b, a)",
     [](Arith &a, const Arguments &in) { return truth(elemLeq(a, in.tree(0), in.tree(1))); }},
    {"elem_geq",
     {K::Tuple, K::Tuple},
     "not elem_less(a, b)",
     [](Arith &a, const Arguments &in) { return truth(elemGeq(a, in.tree(0), in.tree(1))); }},
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
    {"lex_less",
     {K::Tuple, K::Tuple},
     "a before b, where the first mode weighs most",
     [](Arith &a, const Arguments &in) { return truth(lexLess(a, in.tree(0), in.tree(1))); }},
    {"lex_leq",
     {K::Tuple, K::Tuple},
     "not lex_less(b, a)",
     [](Arith &a, const Arguments &in) { return truth(lexLeq(a, in.tree(0), in.tree(1))); }},
    {"colex_less",
     {K::Tuple, K::Tuple},
     "a before b, where the last mode weighs most",
     [](Arith &a, const Arguments &in) { return truth(colexLess(a, in.tree(0), in.tree(1))); }},
    {"colex_leq",
     {K::Tuple, K::Tuple},
     "not colex_less(b, a)",
     [](Arith &a, const Arguments &in) { return truth(colexLeq(a, in.tree(0), in.tree(1))); }},
    {"compatible",
     {K::Profile, K::Profile},
     "each coordinate of a is one of b",
     [](Arith &a, const Arguments &in) { return truth(compatible(a, in.tree(0), in.tree(1))); }},
    {"weakly_compatible",
     {K::Profile, K::Profile},
     "a times some shape of its profile is compatible with b",
     [](Arith &a, const Arguments &in) {
       return truth(weaklyCompatible(a, in.tree(0), in.tree(1)));
     }},
    {"evenly_divides",
     {K::Profile, K::Any},
     "the tiler b leaves no rest in a",
     [](Arith &a, const Arguments &in) -> Result<Value> {
       if (const Tree *extents = std::get_if<Tree>(&in[1]))
         return truth(evenlyDivides(a, in.tree(0), *extents));
       TESSERA_TRY(Value tile, argument(in, 1, K::Tile, a));
       return truth(evenlyDivides(a, in.tree(0), std::get<Tile>(tile)));
     }},
    {"round_up",
     {K::Tuple, K::Tuple},
     "a rounded up to multiples of b, leaf by leaf",
     [](Arith &a, const Arguments &in) { return value(roundUp(a, in.tree(0), in.tree(1))); }},
    {"sum",
     {K::Profile},
     "the sum of all leaves",
     [](Arith &a, const Arguments &in) -> Result<Value> { return value(sum(a, in.tree(0))); }},
    {"max",
     {K::Profile},
     "the largest leaf",
     [](Arith &a, const Arguments &in) { return value(maxLeaf(a, in.tree(0))); }},
    {"min",
     {K::Profile},
     "the smallest leaf",
     [](Arith &a, const Arguments &in) { return value(minLeaf(a, in.tree(0))); }},
    {"gcd",
     {K::Profile},
     "the greatest common divisor of all leaves",
     [](Arith &, const Arguments &in) { return value(gcdOfLeaves(in.tree(0))); }},
    {"inner_product",
     {K::Tuple, K::Tuple},
     "the sum of products of partners",
     [](Arith &a, const Arguments &in) { return value(innerProduct(a, in.tree(0), in.tree(1))); }},
};
} // namespace

std::span<const Function> tupleFunctions() { return table; }

} // namespace tessera::eval
