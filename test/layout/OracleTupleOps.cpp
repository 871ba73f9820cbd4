// The oracle's operations on tuples, coordinates and swizzles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Oracle.h"

#include "tessera/layout/Text.h"

namespace tessera::layout::test {

namespace {
/// A mode list `<..>` as a path.
Result<AnyLayout> modeOf(const Inputs &in) {
  AnyLayout l = in.any(0);
  TESSERA_TRY(Layout mode, getMode(l.outer(), in.numbers(1)));
  return l.withOuter(std::move(mode));
}

/// A shape, or that of a layout.
Tree shapeOf(const Inputs &in, size_t i) { return in.isLayout(i) ? in.layout(i).shape : in.tree(i); }

/// elem_less on modes that are compared one by one: CuTe's three other comparisons are made of it.
Answer ordered(Arith &a, const Tree &x, const Tree &y, bool negated) {
  Result<Int> less = elemLess(a, x, y);
  if (!less || !less->isStatic())
    return answer(less);
  return answer(negated != less->is(1));
}

/// The coordinate of an index of `l`, one integer per mode.
Result<Tree> flatOf(Arith &a, const Tree &hierarchical, const Layout &l) {
  if (l.rank() == 1) // CuTe gives the number itself
    return crd2idx(a, hierarchical, compactMajor(a, l.shape));
  std::vector<Tree> modes;
  for (size_t i = 0; i < l.rank(); ++i) {
    TESSERA_TRY(Tree mode, crd2idx(a, hierarchical[i], compactMajor(a, l.shape[i])));
    modes.push_back(std::move(mode));
  }
  return Tree(std::move(modes));
}
Tree hierarchical(Arith &a, const Inputs &in) {
  Layout l = in.layout(1);
  return idx2crd(a, in.tree(0).leaf().value, l.shape, l.stride);
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
    {"elem_less",
     [](Arith &a, const Inputs &in) { return ordered(a, in.tree(0), in.tree(1), false); }},
    {"elem_gtr",
     [](Arith &a, const Inputs &in) { return ordered(a, in.tree(1), in.tree(0), false); }},
    {"elem_leq", [](Arith &a, const Inputs &in) { return ordered(a, in.tree(1), in.tree(0), true); }},
    {"elem_geq", [](Arith &a, const Inputs &in) { return ordered(a, in.tree(0), in.tree(1), true); }},
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
    {"get_hier_coord", [](Arith &a, const Inputs &in) { return answer(hierarchical(a, in)); }},
    {"get_flat_coord",
     [](Arith &a, const Inputs &in) { return answer(flatOf(a, hierarchical(a, in), in.layout(1))); }},
    {"get_1d_coord",
     [](Arith &a, const Inputs &in) {
       return answer(crd2idx(a, hierarchical(a, in), compactMajor(a, in.layout(1).shape)));
     }},

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
    {"swizzle_type", [](Arith &, const Inputs &in) { return answer(parseSwizzle(in.text(0))); }},
    {"upcast_swizzle",
     [](Arith &, const Inputs &in) { return answer(recast(in.swizzle(0), 1, in.numbers(1)[0])); }},
    {"downcast_swizzle",
     [](Arith &, const Inputs &in) { return answer(recast(in.swizzle(0), in.numbers(1)[0], 1)); }},
};
} // namespace

std::span<const Operation> tupleOperations() { return table; }

} // namespace tessera::layout::test
