// The laws, one row each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Laws.h"

#include "tessera/eval/Errors.h"
#include "tessera/eval/Points.h"
#include "tessera/eval/Report.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::eval {

using namespace layout;

namespace {
using Values = std::vector<int64_t>;

/// The indices of layouts as numbers that can be compared: coordinates get numbers of their own.
class Codomain {
public:
  /// The values over the whole domain, or a refusal if it is too large to walk.
  Result<Values> of(const AnyLayout &l, std::string_view who) {
    Points points(l);
    const int64_t most = points.plain() ? maxPoints : maxCoordinates;
    if (points.size() > most)
      return fail(Error::DomainTooLarge, who, most, points.size());
    Values out;
    for (int64_t i = 0; i < points.size(); ++i)
      out.push_back(points.plain() ? points.number(i) : idOf(points.at(i)));
    return out;
  }

private:
  int64_t idOf(Point point) {
    return ids.emplace(std::move(point), int64_t(ids.size())).first->second;
  }
  std::map<Point, int64_t> ids;
};

Values sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}
bool distinct(const Values &values) {
  Values in = sorted(values);
  return std::adjacent_find(in.begin(), in.end()) == in.end();
}

const AnyLayout &layoutIn(const Value &value) { return *layoutOf(value); }
AnyLayout modeOf(const AnyLayout &l, size_t i) { return l.withOuter(l.outer()[i]); }

//===--- Laws of any layout
//---------------------------------------------------------------------------===//

Result<Verdict> isInjective(std::span<const Value>, const Value &result) {
  TESSERA_TRY(Values values, Codomain().of(layoutIn(result), "injective"));
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
  TESSERA_TRY(Values values, Codomain().of(layoutIn(result), "bijective"));
  Values in = sorted(values);
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] != int64_t(i))
      return Verdict{false, cat("index ", std::min(in[i], int64_t(i)),
                                in[i] < int64_t(i) ? " occurs twice or is negative"
                                                   : " is hit by no coordinate")};
  return Verdict{true,
                 cat("each index from 0 to ", int64_t(in.size()) - 1, " is hit exactly once")};
}

//===--- Laws of operations
//---------------------------------------------------------------------------===//

Result<Verdict> composedMode(const AnyLayout &a, const Tile &tile, const AnyLayout &r) {
  Points right(r), left(a);
  const Points inner(tile.isLayout() ? AnyLayout(tile.single) : a);
  if (tile.isLayout() && !inner.plain())
    return fail(Error::NotOffered, "the check of a composition with scaled bases on the right");
  const int64_t points = right.size(),
                most = right.plain() && left.plain() ? maxPoints : maxCoordinates;
  if (points != inner.size())
    return Verdict{false, cat("the result has ", points, " coordinates, expected ", inner.size())};
  if (points > most)
    return fail(Error::DomainTooLarge, "composition", most, points);
  for (int64_t i = 0; i < points; ++i) {
    int64_t at = tile.isLayout() ? inner.number(i) : i;
    const bool plain = right.plain() && left.plain();
    if (plain ? right.number(i) != left.number(at) : right.at(i) != left.at(at))
      return Verdict{false, cat("R(", i, ") = ", str(right.at(i)), ", but A(B(", i, ")) = A(", at,
                                ") = ", str(left.at(at)))};
  }
  return Verdict{true, cat("R(c) = A(B(c)) at all ", points, " coordinates")};
}
Result<Verdict> composedByMode(const AnyLayout &a, const Tile &tile, const AnyLayout &r) {
  if (!tile.isTuple())
    return composedMode(a, tile, r);
  std::string text;
  for (size_t i = 0; i < tile.modes.size() && i < a.rank(); ++i) {
    TESSERA_TRY(Verdict mode, composedByMode(modeOf(a, i), tile.modes[i], modeOf(r, i)));
    text += cat(i ? "; mode " : "mode ", i, ": ", mode.text);
    if (!mode.holds)
      return Verdict{false, text};
  }
  return Verdict{true, text};
}
Result<Verdict> isComposition(std::span<const Value> in, const Value &result) {
  Symbolic arith;
  TESSERA_TRY(Value tile, converted(in[1], Kind::Tile, arith));
  const AnyLayout *a = layoutOf(in[0]);
  if (a)
    return composedByMode(*a, std::get<Tile>(tile), layoutIn(result));
  if (const Tree *shape = std::get_if<Tree>(&in[0]))
    return composedByMode(AnyLayout(compactMajor(arith, *shape)), std::get<Tile>(tile),
                          layoutIn(result));
  Points right(layoutIn(result)), inner(AnyLayout(std::get<Tile>(tile).single));
  if (right.size() > maxPoints)
    return fail(Error::DomainTooLarge, "composition", maxPoints, right.size());
  for (int64_t i = 0; i < right.size(); ++i)
    if (right.number(i) != std::get<Swizzle>(in[0])(inner.number(i)))
      return Verdict{false, cat("R(", i, ") = ", right.number(i), " is not the swizzle of B(", i,
                                ") = ", inner.number(i))};
  return Verdict{true, cat("R(c) = S(B(c)) at all ", right.size(), " coordinates")};
}

Result<Verdict> isComplement(std::span<const Value> in, const Value &result) {
  TESSERA_TRY(Values hit, Codomain().of(layoutIn(in[0]), "complement"));
  TESSERA_TRY(Values rest, Codomain().of(layoutIn(result), "complement"));
  hit = sorted(std::move(hit));
  hit.erase(std::unique(hit.begin(), hit.end()), hit.end());
  if (int64_t(hit.size() * rest.size()) > maxPoints)
    return fail(Error::DomainTooLarge, "complement", maxPoints, hit.size() * rest.size());
  Values sums;
  for (int64_t r : rest)
    for (int64_t h : hit)
      sums.push_back(int64_t(uint64_t(r) + uint64_t(h)));
  sums = sorted(std::move(sums));
  if (auto twice = std::adjacent_find(sums.begin(), sums.end()); twice != sums.end())
    return Verdict{false, cat("index ", *twice, " is hit twice by the layout and its complement")};
  const int64_t target = in.size() > 1 ? sizeOf(std::get<Tree>(in[1])) : hit.back() + 1;
  int64_t covered =
      std::count_if(sums.begin(), sums.end(), [&](int64_t i) { return i >= 0 && i < target; });
  return Verdict{true,
                 cat("the layout and its complement hit ", sums.size(), " indices, each once; ",
                     covered, " of the ", target, " below the cotarget")};
}

Result<Verdict> isRightInverse(std::span<const Value> in, const Value &result) {
  Points l(layoutIn(in[0])), r(layoutIn(result));
  if (!l.plain() || r.size() > maxPoints)
    return fail(Error::DomainTooLarge, "inverse", l.plain() ? maxPoints : 0, r.size());
  for (int64_t i = 0; i < r.size(); ++i)
    if (l.number(r.number(i)) != i)
      return Verdict{false, cat("L(R(", i, ")) = L(", r.number(i), ") = ", l.number(r.number(i)))};
  return Verdict{true, cat("L(R(i)) = i for all i below ", r.size())};
}
Result<Verdict> isLeftInverse(std::span<const Value> in, const Value &result) {
  Points l(layoutIn(in[0])), r(layoutIn(result));
  if (!l.plain() || l.size() > maxPoints)
    return fail(Error::DomainTooLarge, "inverse", l.plain() ? maxPoints : 0, l.size());
  for (int64_t i = 0; i < l.size(); ++i)
    if (l.number(r.number(l.number(i))) != l.number(i))
      return Verdict{false, cat("L(R(L(", i, "))) = ", l.number(r.number(l.number(i))),
                                ", expected ", l.number(i))};
  return Verdict{true, cat("L(R(L(c))) = L(c) at all ", l.size(), " coordinates")};
}

Result<Verdict> isDivision(std::span<const Value> in, const Value &result) {
  Codomain codomain;
  TESSERA_TRY(Values before, codomain.of(layoutIn(in[0]), "divide"));
  TESSERA_TRY(Values after, codomain.of(layoutIn(result), "divide"));
  before = sorted(std::move(before));
  after = sorted(std::move(after));
  if (!std::includes(after.begin(), after.end(), before.begin(), before.end()))
    return Verdict{false, "an element of the divided layout is in no tile"};
  return Verdict{true, cat("the ", before.size(), " elements are in the tiles as often as before; ",
                           after.size() - before.size(), " coordinates lie outside")};
}

Result<Verdict> isProduct(std::span<const Value> in, const Value &result) {
  Codomain codomain;
  TESSERA_TRY(Values block, codomain.of(layoutIn(in[0]), "product"));
  TESSERA_TRY(Values all, codomain.of(layoutIn(result), "product"));
  Values in0 = sorted(block), in1 = sorted(all);
  if (!std::includes(in1.begin(), in1.end(), in0.begin(), in0.end()))
    return Verdict{false, "the block itself is not in the product"};
  const AnyLayout *copies = layoutOf(in[1]);
  const Tile *tile = std::get_if<Tile>(&in[1]);
  if (!copies && tile && !tile->isLayout())
    return Verdict{true, cat("the block's ", block.size(), " elements are among the ", all.size(),
                             " of the product")};
  AnyLayout times = copies ? *copies : AnyLayout(tile->single);
  TESSERA_TRY(Values order, codomain.of(times, "product"));
  if (distinct(block) && distinct(order) && !distinct(all))
    return Verdict{false, "copies of the block overlap"};
  return Verdict{all.size() == block.size() * order.size(),
                 cat(all.size(), " elements: ", order.size(), " copies of a block of ",
                     block.size(), distinct(all) ? ", no two at one index" : "")};
}

/// The printed result reads back as the same text.
Result<Verdict> printsAndParses(std::span<const Value>, const Value &result) {
  std::string text = str(layoutIn(result));
  Result<AnyLayout> again = parseAnyLayout(text);
  return Verdict{again && str(*again) == text, cat("\"", text, "\" reads back as itself")};
}

constexpr std::string_view inversions[] = {"left_inverse", "right_inverse"};
constexpr Law table[] = {
    {"injective", "any layout: no two coordinates have the same index", "", isInjective},
    {"bijective", "any layout: each index from 0 to size - 1 is hit once", "", isBijective},
    {"parse", "any layout: its text reads back as itself", "", printsAndParses},
    {"composition", "a composition: R(c) = A(B(c))",
     "composition composition_tile composition_shape composition_composed composition_swizzle",
     isComposition},
    {"complement", "a complement: disjoint from the layout, and what it covers", "complement",
     isComplement},
    {"inverse", "a right inverse: L(R(i)) = i", inversions[1], isRightInverse},
    {"inverse", "a left inverse: L(R(L(c))) = L(c)", inversions[0], isLeftInverse},
    {"divide", "a division: tiles hold each element as often as before",
     "logical_divide zipped_divide tiled_divide flat_divide", isDivision},
    {"product", "a product: copies of the block, which do not overlap",
     "logical_product zipped_product tiled_product flat_product blocked_product raked_product",
     isProduct},
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
    Values in = sorted(*std::move(values));
    out.injective = std::adjacent_find(in.begin(), in.end()) == in.end();
    out.compact = *out.injective && Points(l).plain() && in.front() == 0 &&
                  in.back() == int64_t(in.size()) - 1;
  }
  return out;
}

} // namespace tessera::eval
