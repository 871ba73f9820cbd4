// Checks of operations against their laws.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/LawsOfOperations.h"

#include "tessera/eval/Codomain.h"
#include "tessera/layout/Text.h"

#include <set>

namespace tessera::eval {

using namespace layout;

namespace {
const AnyLayout &layoutIn(const Value &value) { return *layoutOf(value); }
AnyLayout modeOf(const AnyLayout &l, size_t i) { return l.withOuter(l.outer()[i]); }

Result<Verdict> composedWith(const AnyLayout &a, const AnyLayout &b, const AnyLayout &r) {
  Points right(r), left(a), inner(b);
  if (!inner.plain())
    return fail(Error::NotOffered, "the check of a composition with scaled bases on the right");
  const bool plain = right.plain() && left.plain();
  const int64_t points = right.size(), most = plain ? maxPoints : maxCoordinates;
  if (points != inner.size())
    return Verdict{false, cat("the result has ", points, " coordinates, expected ", inner.size())};
  if (points > most)
    return fail(Error::DomainTooLarge, "composition", most, points);
  for (int64_t i = 0; i < points; ++i) {
    int64_t at = inner.number(i);
    if (plain ? right.number(i) != left.number(at) : right.at(i) != left.at(at))
      return Verdict{false, cat("R(", i, ") = ", str(right.at(i)), ", but A(B(", i, ")) = A(", at,
                                ") = ", str(left.at(at)))};
  }
  return Verdict{true, cat("R(c) = A(B(c)) at all ", points, " coordinates")};
}

/// The coordinates that `_` keeps.
AnyLayout allOf(const AnyLayout &a) { return Layout{Tree(sizeOf(a.shape())), Tree(1)}; }
Result<Verdict> composedByMode(const AnyLayout &a, const Tile &tile, const AnyLayout &r) {
  if (!tile.isTuple())
    return composedWith(a, tile.isLayout() ? AnyLayout(tile.single) : allOf(a), r);
  std::string text;
  for (size_t i = 0; i < tile.modes.size() && i < a.rank(); ++i) {
    TESSERA_TRY(Verdict mode, composedByMode(modeOf(a, i), tile.modes[i], modeOf(r, i)));
    text += cat(i ? "; mode " : "mode ", i, ": ", mode.text);
    if (!mode.holds)
      return Verdict{false, text};
  }
  return Verdict{true, text};
}
} // namespace

Result<Verdict> isComposition(std::span<const Value> in, const Value &result) {
  Symbolic arith;
  const AnyLayout &r = layoutIn(result);
  // A swizzle is a layout over all numbers.
  auto whole = [](const Value &operand, int64_t size) -> std::optional<AnyLayout> {
    if (const Swizzle *swizzle = std::get_if<Swizzle>(&operand))
      return Composed{*swizzle, Tree(0), {Tree(size), Tree(1)}};
    const AnyLayout *l = layoutOf(operand);
    return l ? std::optional(*l) : std::nullopt;
  };
  std::optional<AnyLayout> a = whole(in[0], 1);
  if (!a) {
    const Tree &shape = std::get<Tree>(in[0]);
    // Beyond its end it goes on with stride 0 if the 1 is static, with another one if it is a
    // run-time value.
    const auto leaves = shape.leaves();
    auto isOne = [](const Leaf &leaf) { return leaf.is(1); };
    const bool byMode =
        !layoutOf(in[1]) && !std::holds_alternative<Swizzle>(in[1]); // each mode has an end
    if (byMode ? std::any_of(leaves.begin(), leaves.end(), isOne)
               : !leaves.empty() && isOne(leaves.back()))
      return fail(Error::NotOffered, "the check of a composition with a shape that ends in 1");
    a = compactMajor(arith, shape);
  }
  if (std::optional<AnyLayout> b = whole(in[1], sizeOf(r.shape())))
    return composedWith(*a, *b, r);
  TESSERA_TRY(Value tile, converted(in[1], Kind::Tile, arith));
  return composedByMode(*a, std::get<Tile>(tile), r);
}

/// The same of bases: coordinates add up mode by mode.
Result<Verdict> isComplementOfBases(const AnyLayout &l, const AnyLayout &rest,
                                    std::span<const Value> in) {
  auto pointsOf = [](const Points &points) {
    std::set<Point> all;
    for (int64_t i = 0; i < points.size(); ++i)
      all.insert(points.at(i));
    return all;
  };
  const Points here(l), there(rest);
  if (std::max(here.size(), there.size()) > maxCoordinates)
    return fail(Error::DomainTooLarge, "complement", maxCoordinates,
                std::max(here.size(), there.size()));
  const std::set<Point> hit = pointsOf(here);
  if (int64_t(hit.size()) * there.size() > maxCoordinates)
    return fail(Error::DomainTooLarge, "complement", maxCoordinates,
                int64_t(hit.size()) * there.size());
  std::set<Point> sums;
  for (int64_t i = 0; i < there.size(); ++i)
    for (const Point &point : hit)
      if (auto [at, fresh] = sums.insert(sum(there.at(i), point)); !fresh)
        return Verdict{
            false, cat("coordinate ", str(*at), " is hit twice by the layout and its complement")};
  std::string text =
      cat("the layout and its complement hit ", sums.size(), " coordinates, each once");
  if (in.size() > 1)
    text += cat("; the cotarget has ", sizeOf(std::get<Tree>(in[1])));
  return Verdict{true, text};
}

Result<Verdict> isComplement(std::span<const Value> in, const Value &result) {
  if (layoutIn(in[0]).outer().stride.hasBasis())
    return isComplementOfBases(layoutIn(in[0]), layoutIn(result), in);
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

namespace {
/// Whether a stride is not a multiple of what the smaller ones reach: then the complement does not
/// fill what lies between.
bool leavesGaps(const Layout &tiler) {
  std::vector<std::pair<int64_t, int64_t>> modes; // stride, extent
  tiler.stride.forEachLeaf([&](const Leaf &leaf) { modes.push_back({leaf.value.value, 1}); });
  size_t at = 0;
  tiler.shape.forEachLeaf([&](const Leaf &leaf) { modes[at++].second = leaf.value.value; });
  std::sort(modes.begin(), modes.end());
  int64_t reach = 1;
  for (auto [stride, extent] : modes) {
    if (extent == 1)
      continue;
    if (stride <= 0 || stride % reach != 0)
      return true;
    reach = stride * extent;
  }
  return false;
}
bool leavesGaps(const Tile &tiler) {
  return tiler.isLayout() ? leavesGaps(tiler.single)
                          : std::any_of(tiler.modes.begin(), tiler.modes.end(),
                                        [](const Tile &mode) { return leavesGaps(mode); });
}
} // namespace

Result<Verdict> isDivision(std::span<const Value> in, const Value &result) {
  Codomain codomain;
  TESSERA_TRY(Values before, codomain.of(layoutIn(in[0]), "divide"));
  TESSERA_TRY(Values after, codomain.of(layoutIn(result), "divide"));
  before = sorted(std::move(before));
  after = sorted(std::move(after));
  if (!std::includes(after.begin(), after.end(), before.begin(), before.end())) {
    const Tile *tile = std::get_if<Tile>(&in[1]);
    if (tile ? leavesGaps(*tile) : leavesGaps(layoutIn(in[1]).outer()))
      return Verdict{true,
                     "the strides of the tiler leave gaps, and elements in them are in no tile"};
    return Verdict{false, "an element of the divided layout is in no tile"};
  }
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
  TESSERA_TRY(Values ownPlaces, codomain.of(placed(layoutIn(in[0])), "product"));
  TESSERA_TRY(Values places, codomain.of(placed(layoutIn(result)), "product"));
  if (distinct(ownPlaces) && distinct(order) && !distinct(places))
    return Verdict{false, "copies of the block overlap"};
  return Verdict{all.size() == block.size() * order.size(),
                 cat(all.size(), " elements: ", order.size(), " copies of a block of ",
                     block.size(), distinct(all) ? ", no two at one index" : "")};
}

namespace {
/// The copies lie in the order of the other operand.
Verdict inOrder(const AnyLayout &copies, const AnyLayout &order) {
  Points at(copies), by(order);
  if (!at.plain() || !by.plain() || at.size() != by.size() || at.size() > maxPoints)
    return {true, ""};
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < at.size(); ++i)
    pairs.emplace_back(by.number(i), at.number(i));
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 1; i < pairs.size(); ++i)
    if ((pairs[i - 1].first == pairs[i].first) != (pairs[i - 1].second == pairs[i].second) ||
        pairs[i - 1].second > pairs[i].second)
      return {false, cat("copies ", pairs[i - 1].first, " and ", pairs[i].first, " are at ",
                         pairs[i - 1].second, " and ", pairs[i].second)};
  return {true, ", in the order of the other layout"};
}
} // namespace

Result<Verdict> isLogicalProduct(std::span<const Value> in, const Value &result) {
  const AnyLayout &a = layoutIn(in[0]), &r = layoutIn(result);
  const Tile *tile = std::get_if<Tile>(&in[1]);
  if (!tile || !tile->isTuple()) {
    TESSERA_TRY(Verdict copies, isProduct(in, result));
    if (!copies.holds || (tile && tile->isAny()))
      return copies;
    const AnyLayout order = tile ? AnyLayout(tile->single) : layoutIn(in[1]);
    Verdict ordered = a.affine() ? inOrder(modeOf(r, 1), order) : Verdict{true, ""};
    return Verdict{ordered.holds, ordered.holds ? copies.text + ordered.text : ordered.text};
  }
  std::string text;
  for (size_t i = 0; i < tile->modes.size(); ++i) {
    if (tile->modes[i].isAny())
      continue;
    const Value operands[] = {modeOf(a, i), tile->modes[i]};
    TESSERA_TRY(Verdict mode, isLogicalProduct(operands, modeOf(r, i)));
    text += cat(text.empty() ? "mode " : "; mode ", i, ": ", mode.text);
    if (!mode.holds)
      return Verdict{false, text};
  }
  return Verdict{true, text.empty() ? "no mode is multiplied" : text};
}

} // namespace tessera::eval
