// The laws, one row each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Laws.h"

#include "tessera/eval/Codomain.h"
#include "tessera/eval/LawsOfOperations.h"
#include "tessera/eval/Report.h"
#include "tessera/layout/Text.h"

namespace tessera::eval {

using namespace layout;

namespace {
Result<Verdict> isInjective(std::span<const Value>, const Value &result) {
  TESSERA_TRY(Values values, Codomain().of(*layoutOf(result), "injective"));
  if (!distinct(values)) {
    std::vector<std::pair<int64_t, size_t>> order;
    for (size_t i = 0; i < values.size(); ++i)
      order.emplace_back(values[i], i);
    std::sort(order.begin(), order.end());
    auto twice = std::adjacent_find(order.begin(), order.end(), [](const auto &x, const auto &y) {
      return x.first == y.first;
    });
    return Verdict{false, cat("coordinates ", twice->second, " and ", (twice + 1)->second,
                              " have the same index")};
  }
  return Verdict{true, cat("the indices of all ", values.size(), " coordinates differ")};
}

Result<Verdict> isBijective(std::span<const Value>, const Value &result) {
  TESSERA_TRY(Values values, Codomain().of(*layoutOf(result), "bijective"));
  Values in = sorted(values);
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] != int64_t(i))
      return Verdict{false, cat("index ", std::min(in[i], int64_t(i)),
                                in[i] < int64_t(i) ? " occurs twice or is negative"
                                                   : " is hit by no coordinate")};
  return Verdict{true,
                 cat("each index from 0 to ", int64_t(in.size()) - 1, " is hit exactly once")};
}

/// The printed result reads back as the same text.
Result<Verdict> printsAndParses(std::span<const Value>, const Value &result) {
  std::string text = str(*layoutOf(result));
  Result<AnyLayout> again = parseAnyLayout(text);
  return Verdict{again && str(*again) == text, cat("\"", text, "\" reads back as itself")};
}

constexpr Law table[] = {
    {"injective", "any layout: no two coordinates have the same index", "", isInjective},
    {"bijective", "any layout: each index from 0 to size - 1 is hit once", "", isBijective},
    {"parse", "any layout: its text reads back as itself", "", printsAndParses},
    {"composition", "a composition: R(c) = A(B(c))",
     "composition composition_tile composition_shape composition_composed composition_swizzle "
     "composition_layout_swizzle composition_layout_composed",
     isComposition},
    {"complement", "a complement: disjoint from the layout, and what it covers", "complement",
     isComplement},
    {"inverse", "a right inverse: L(R(i)) = i", "right_inverse", isRightInverse},
    {"inverse", "a left inverse: L(R(L(c))) = L(c)", "left_inverse", isLeftInverse},
    {"divide", "a division: tiles hold each element as often as before",
     "logical_divide zipped_divide tiled_divide flat_divide outer_divide outer_logical_divide "
     "outer_tiled_divide outer_flat_divide",
     isDivision},
    {"product", "a logical product: copies of the block, in the order of the other operand",
     "logical_product", isLogicalProduct},
    {"product", "a product: copies of the block, which do not overlap",
     "zipped_product tiled_product flat_product blocked_product raked_product", isProduct},
    {"tile", "tile_to_shape: copies of the block cover the shape", "tile_to_shape", isTiling},
    {"slice", "a slice: R(c) + offset = L at the coordinate with c in place of `_`",
     "slice slice_and_offset slice_and_offset_swizzle", isSlice},
    {"recast", "a recast: the same memory in other elements", "recast_layout", isRecast},
    {"recast", "an upcast: the same memory in wider elements", "upcast", isUpcast},
    {"recast", "a downcast: the same memory in the parts of elements", "downcast", isDowncast},
};

bool isOneOf(std::string_view name, std::string_view names) {
  return cat(" ", names, " ").find(cat(" ", name, " ")) != std::string::npos;
}
} // namespace

std::span<const Law> laws() { return table; }

Result<Verdict> check(std::string_view name, const Evaluation &done) {
  const Step *last = done.endsInCall && !done.steps.empty() ? &done.steps.back() : nullptr;
  std::string_view about;
  for (const Law &law : table) {
    if (law.name != name)
      continue;
    about = law.about;
    const bool applies =
        law.functions.empty() || (last && isOneOf(last->function->name, law.functions));
    if (!applies)
      continue;
    if (!layoutOf(*done.result))
      break;
    std::vector<Value> arguments;
    for (const Value &argument : last ? last->arguments.all() : std::span<const Value>())
      if (std::optional<Value> known = resolved(argument, done.values))
        arguments.push_back(std::move(*known));
    std::optional<Value> result = resolved(*done.result, done.values);
    if (!result || (last && arguments.size() != last->arguments.count()))
      return fail(Error::NeedsValues, cat("the law ", name), described(*done.result, done.values));
    return law.check(arguments, *result);
  }
  if (about.empty())
    return fail(Error::UnknownLaw, name);
  return fail(Error::LawNotApplicable, name, about,
              last ? cat("a call of ", last->function->name)
                   : described(*done.result, done.values));
}

Result<Verdict> equal(const Evaluation &a, const Evaluation &b) {
  TESSERA_TRY(AnyLayout first, knownLayout(a, "--equal"));
  TESSERA_TRY(AnyLayout second, knownLayout(b, "--equal"));
  Points x(first), y(second);
  if (x.size() != y.size())
    return Verdict{
        false, cat("different: the first has ", x.size(), " coordinates, the second ", y.size())};
  const bool plain = x.plain() && y.plain();
  const int64_t most = plain ? maxPoints : maxCoordinates;
  if (x.size() > most)
    return fail(Error::DomainTooLarge, "--equal", most, x.size());
  for (int64_t i = 0; i < x.size(); ++i)
    if (plain ? x.number(i) != y.number(i) : x.at(i) != y.at(i))
      return Verdict{false, cat("different: at coordinate ", i, " of ", x.size(),
                                " the first gives ", str(x.at(i)), ", the second ", str(y.at(i)))};
  return Verdict{true, cat("equal: the same index at all ", x.size(), " coordinates")};
}

Properties propertiesOf(const AnyLayout &l) {
  Properties out;
  Symbolic arith;
  if (const Layout *affine = l.affine(); affine && l.rank() > 1 && !affine->stride.hasBasis()) {
    int64_t last = int64_t(l.shape().leafCount());
    Tree order = l.shape().map([&](const Leaf &) { return Leaf(--last); });
    Result<Layout> rows = orderedLayout(arith, l.shape(), order);
    if (*affine == compactMajor(arith, l.shape()))
      out.order = "column-major";
    else if (rows && *affine == *rows)
      out.order = "row-major";
  }
  if (Result<Values> values = Codomain().of(l, "properties")) {
    out.injective = distinct(*values);
    const auto last = int64_t(values->size()) - 1;
    out.compact = *out.injective && Points(l).plain() && last >= 0 &&
                  std::ranges::min(*values) == 0 && std::ranges::max(*values) == last;
  }
  return out;
}

} // namespace tessera::eval
