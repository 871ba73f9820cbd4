// The oracle's operations on tuples, coordinates and swizzles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Oracle.h"

#include "test/layout/Sample.h"

#include "tessera/layout/Text.h"

namespace tessera::layout::test {

namespace {
/// The answer of a comparison as the tables spell it.
Answer truth(const Result<Int> &r) {
  return r && r->isStatic() ? answer(r->is(1)) : answer(r);
}

/// A mode list `<..>` as a path.
Result<AnyLayout> modeOf(const Inputs &in) {
  AnyLayout l = in.any(0);
  TESSERA_TRY(Layout mode, getMode(l.outer(), in.numbers(1)));
  return l.withOuter(std::move(mode));
}

/// A shape, or that of a layout, also behind any number of swizzles.
Tree shapeOf(const Inputs &in, size_t i) {
  if (in.isComposed(i))
    return lay(in.text(i).substr(in.text(i).rfind(" o ") + 3)).shape;
  return in.isLayout(i) ? in.layout(i).shape : in.tree(i);
}

Int indexOf(const Inputs &in) { return in.tree(0).leaf().value; }

using Comparison = Result<Int> (*)(Arith &, const Tree &, const Tree &);
template <Comparison compare> Answer compared(Arith &a, const Inputs &in) {
  return truth(compare(a, in.tree(0), in.tree(1)));
}

const Operation table[] = {
    {"product", [](Arith &a, const Inputs &in) { return answer(product(a, in.tree(0))); }},
    {"product_each", [](Arith &a, const Inputs &in) { return answer(productEach(a, in.tree(0))); }},
    {"product_like",
     [](Arith &a, const Inputs &in) { return answer(productLike(a, in.tree(0), in.tree(1))); }},
    {"shape_div",
     [](Arith &a, const Inputs &in) { return answer(shapeDiv(a, in.tree(0), in.tree(1))); }},
    {"ceil_div",
     [](Arith &a, const Inputs &in) { return answer(ceilDiv(a, in.tree(0), in.tree(1))); }},
    {"ceil_div_tiler",
     [](Arith &a, const Inputs &in) {
       return answer(ceilDiv(a, shapeOf(in, 0), in.tile(1)));
     }},
    {"elem_scale", [](Arith &a, const Inputs &in) { return answer(mul(a, in.tree(0), in.tree(1))); }},
    {"elem_less", compared<elemLess>},
    {"elem_leq", compared<elemLeq>},
    {"elem_gtr", compared<elemGtr>},
    {"elem_geq", compared<elemGeq>},
    {"lex_less", compared<lexLess>},
    {"lex_leq", compared<lexLeq>},
    {"colex_less", compared<colexLess>},
    {"colex_leq", compared<colexLeq>},
    {"compatible",
     [](Arith &a, const Inputs &in) { return truth(compatible(a, shapeOf(in, 0), shapeOf(in, 1))); }},
    {"evenly_divides",
     [](Arith &a, const Inputs &in) {
       return truth(in.isLayout(1) ? evenlyDivides(a, shapeOf(in, 0), in.tile(1))
                                   : evenlyDivides(a, shapeOf(in, 0), in.tree(1)));
     }},
    {"round_up", [](Arith &a, const Inputs &in) { return answer(roundUp(a, in.tree(0), in.tree(1))); }},
    {"sum", [](Arith &a, const Inputs &in) { return answer(sum(a, in.tree(0))); }},
    {"max", [](Arith &a, const Inputs &in) { return answer(maxLeaf(a, in.tree(0))); }},
    {"min", [](Arith &a, const Inputs &in) { return answer(minLeaf(a, in.tree(0))); }},
    {"gcd", [](Arith &, const Inputs &in) { return answer(gcdOfLeaves(in.tree(0))); }},
    {"inner_product",
     [](Arith &a, const Inputs &in) { return answer(innerProduct(a, in.tree(0), in.tree(1))); }},
    {"congruent",
     [](Arith &, const Inputs &in) { return answer(congruent(shapeOf(in, 0), shapeOf(in, 1))); }},
    {"weakly_congruent",
     [](Arith &, const Inputs &in) { return answer(weaklyCongruent(shapeOf(in, 0), shapeOf(in, 1))); }},
    {"coalesce_shape", // what a layout that covers nothing leaves out of a shape
     [](Arith &a, const Inputs &in) {
       Result<Layout> all = complement(a, Layout{Tree(1), Tree(0)}, in.tree(0));
       return all ? answer(all->shape) : answer(all);
     }},

    {"crd2idx",
     [](Arith &a, const Inputs &in) {
       return answer(in.count() == 2 ? crd2idx(a, in.tree(0), in.any(1))
                                     : crd2idx(a, in.tree(0), Layout{in.tree(1), in.stride(2)}));
     }},
    {"crd2idx_shape",
     [](Arith &a, const Inputs &in) {
       return answer(crd2idx(a, in.tree(0), compactMajor(a, in.tree(1))));
     }},
    {"idx2crd", [](Arith &a, const Inputs &in) { return answer(idx2crd(a, in.tree(0), in.tree(1))); }},
    {"idx2crd_stride",
     [](Arith &a, const Inputs &in) {
       return answer(idx2crd(a, in.tree(0).leaf().value, in.tree(1), in.stride(2)));
     }},
    {"get_hier_coord",
     [](Arith &a, const Inputs &in) { return answer(hierCoord(a, indexOf(in), in.layout(1))); }},
    {"get_flat_coord",
     [](Arith &a, const Inputs &in) { return answer(flatCoord(a, indexOf(in), in.layout(1))); }},
    {"get_1d_coord",
     [](Arith &a, const Inputs &in) {
       Layout l = in.layout(1);
       return answer(crd2idx(a, hierCoord(a, indexOf(in), l), compactMajor(a, l.shape)));
     }},
    {"crd2crd",
     [](Arith &a, const Inputs &in) {
       return answer(crd2crd(a, in.tree(0), in.tree(1), in.tree(2)));
     }},
    {"coprofile", [](Arith &, const Inputs &in) { return answer(coprofile(in.any(0))); }},

    {"size", [](Arith &a, const Inputs &in) { return answer(size(a, in.any(0).outer())); }},
    {"cosize", [](Arith &a, const Inputs &in) { return answer(cosize(a, in.any(0))); }},
    {"coshape", [](Arith &a, const Inputs &in) { return answer(coshape(a, in.any(0))); }},
    {"rank", [](Arith &, const Inputs &in) { return answer(int64_t(in.any(0).rank())); }},
    {"depth", [](Arith &, const Inputs &in) { return answer(int64_t(in.any(0).outer().depth())); }},
    {"get_mode", [](Arith &, const Inputs &in) { return answer(modeOf(in)); }},
    {"size_mode", [](Arith &a, const Inputs &in) { return answer(size(a, modeOf(in)->outer())); }},
    {"cosize_mode", [](Arith &a, const Inputs &in) { return answer(cosize(a, modeOf(in)->outer())); }},
    {"shape_mode", [](Arith &, const Inputs &in) { return answer(modeOf(in)->outer().shape); }},
    {"stride_mode", [](Arith &, const Inputs &in) { return answer(modeOf(in)->outer().stride); }},
    {"rank_mode", [](Arith &, const Inputs &in) { return answer(int64_t(modeOf(in)->outer().rank())); }},
    {"depth_mode", [](Arith &, const Inputs &in) { return answer(int64_t(modeOf(in)->outer().depth())); }},

    {"swizzle_apply",
     [](Arith &a, const Inputs &in) {
       std::string out;
       for (int32_t i : in.numbers(1))
         out += cat(out.empty() ? "[" : ",", applySwizzle(a, in.swizzle(0), i).value);
       return answer(out + "]");
     }},
    {"make_swizzle", // Y=96,Z=12
     [](Arith &, const Inputs &in) {
       return answer(makeSwizzle(in.numbers(0)[0], in.numbers(0)[1]));
     }},
    {"swizzle_type", [](Arith &, const Inputs &in) { return answer(parseSwizzle(in.text(0))); }},
    {"upcast_swizzle",
     [](Arith &, const Inputs &in) { return answer(recast(in.swizzle(0), 1, in.numbers(1)[0])); }},
    {"downcast_swizzle",
     [](Arith &, const Inputs &in) { return answer(recast(in.swizzle(0), in.numbers(1)[0], 1)); }},
};
} // namespace

std::span<const Operation> tupleOperations() { return table; }

} // namespace tessera::layout::test
