// The oracle's operations that make, take apart and regroup layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Oracle.h"

#include "tessera/layout/Text.h"

namespace tessera::layout::test {

namespace {
Answer onOuter(const Inputs &in, Result<Layout> outer) {
  return outer ? answer(in.any(0).withOuter(*outer)) : answer(outer);
}

/// Compact strides, times the second argument if there is one.
Answer startingAt(Arith &a, const Inputs &in, const Tree &stride) {
  return in.count() == 1 ? answer(stride) : answer(mul(a, stride, in.tree(1)));
}

Answer filledToRank(const Inputs &in,
                    Result<Layout> (*fill)(const Layout &, int64_t, const Layout &)) {
  Layout element = in.count() > 2 ? in.layout(2) : Layout{Tree(1), Tree(0)};
  return onOuter(in, fill(in.any(0).outer(), in.numbers(1)[0], element));
}

/// The values of a layout over its whole domain, as crd2idx computes them.
Answer allValues(Arith &a, const AnyLayout &l) {
  std::string out;
  for (int64_t i = 0; i < size(a, l.outer()).value; ++i)
    out += cat(out.empty() ? "[" : ",", str(*crd2idx(a, Tree(i), l)));
  return answer(out + "]");
}

const Operation table[] = {
    {"make_layout", [](Arith &a, const Inputs &in) { return answer(compactMajor(a, in.tree(0))); }},
    {"make_layout_right",
     [](Arith &a, const Inputs &in) { return answer(compactRight(a, in.tree(0))); }},
    {"compact_col_major",
     [](Arith &a, const Inputs &in) { return startingAt(a, in, compactMajor(a, in.tree(0)).stride); }},
    {"compact_row_major",
     [](Arith &a, const Inputs &in) {
       return startingAt(a, in, compactRight(a, in.tree(0)).stride);
     }},
    {"make_ordered_layout",
     [](Arith &a, const Inputs &in) { return answer(orderedLayout(a, in.tree(0), in.stride(1))); }},
    {"make_layout_like", [](Arith &a, const Inputs &in) { return answer(layoutLike(a, in.layout(0))); }},
    {"make_fragment_like",
     [](Arith &a, const Inputs &in) { return answer(fragmentLike(a, in.layout(0))); }},
    {"make_identity_layout",
     [](Arith &, const Inputs &in) { return answer(identityLayout(in.tree(0))); }},
    {"make_layout_concat",
     [](Arith &, const Inputs &in) {
       std::vector<Layout> modes;
       for (size_t i = 0; i < in.count(); ++i)
         modes.push_back(in.layout(i));
       return answer(concat(modes));
     }},

    {"append",
     [](Arith &, const Inputs &in) { return answer(append(in.layout(0), in.layout(1))); }},
    {"prepend",
     [](Arith &, const Inputs &in) { return answer(prepend(in.layout(0), in.layout(1))); }},
    {"append_to_rank", [](Arith &, const Inputs &in) { return filledToRank(in, appendToRank); }},
    {"prepend_to_rank", [](Arith &, const Inputs &in) { return filledToRank(in, prependToRank); }},
    {"flatten", [](Arith &, const Inputs &in) { return onOuter(in, flatten(in.any(0).outer())); }},
    {"unflatten",
     [](Arith &, const Inputs &in) {
       Layout l = in.layout(0);
       return answer(Layout{unflatten(l.shape, in.tree(1)), unflatten(l.stride, in.tree(1))});
     }},
    {"group_modes",
     [](Arith &, const Inputs &in) {
       return onOuter(in, groupModes(in.any(0).outer(), in.numbers(1)[0], in.numbers(1)[1]));
     }},
    {"select",
     [](Arith &, const Inputs &in) { return onOuter(in, select(in.any(0).outer(), in.numbers(1))); }},
    {"take",
     [](Arith &, const Inputs &in) {
       return onOuter(in, take(in.any(0).outer(), in.numbers(1)[0], in.numbers(1)[1]));
     }},
    {"replace",
     [](Arith &, const Inputs &in) {
       return answer(replace(in.layout(0), in.numbers(1)[0], in.layout(2)));
     }},
    {"zip",
     [](Arith &, const Inputs &in) {
       return answer(in.count() == 1 ? zip(in.layout(0)) : zip(in.layout(0), in.layout(1)));
     }},
    {"slice", [](Arith &, const Inputs &in) { return answer(slice(in.layout(1), in.tree(0))); }},
    {"dice", [](Arith &, const Inputs &in) { return answer(dice(in.layout(1), in.tree(0))); }},
    {"slice_and_offset",
     [](Arith &a, const Inputs &in) { return answer(sliceAndOffset(a, in.tree(0), in.any(1))); }},
    {"slice_and_offset_swizzle",
     [](Arith &a, const Inputs &in) { return answer(sliceAndOffset(a, in.tree(0), in.any(1))); }},

    {"coalesce",
     [](Arith &a, const Inputs &in) { return onOuter(in, coalesce(a, in.any(0).outer())); }},
    {"coalesce_profile",
     [](Arith &a, const Inputs &in) { return answer(coalesce(a, in.layout(0), in.tree(1))); }},
    {"filter", [](Arith &a, const Inputs &in) { return answer(filter(a, in.layout(0))); }},
    {"filter_profile",
     [](Arith &a, const Inputs &in) { return answer(filter(a, in.layout(0), in.tree(1))); }},
    {"filter_zeros", [](Arith &, const Inputs &in) { return answer(filterZeros(in.layout(0))); }},
    {"filter_zeros_profile",
     [](Arith &, const Inputs &in) { return answer(filterZeros(in.layout(0), in.tree(1))); }},
    {"composed_eval", [](Arith &, const Inputs &in) { return answer(in.any(0)); }},
    {"layout_eval_all", [](Arith &a, const Inputs &in) { return allValues(a, in.any(0)); }},
    {"domain_offset",
     [](Arith &a, const Inputs &in) { return answer(domainOffset(a, in.tree(0), in.any(1))); }},
};
} // namespace

std::span<const Operation> layoutOperations() { return table; }

} // namespace tessera::layout::test
