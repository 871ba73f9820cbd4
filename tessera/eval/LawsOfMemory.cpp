// Checks of what covers the same elements: tilings, slices, recasts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Codomain.h"
#include "tessera/eval/LawsOfOperations.h"

#include <numeric>
#include <set>

namespace tessera::eval {

using namespace layout;

namespace {
int64_t extentOf(const Tree &shape, size_t mode) {
  return mode < shape.rank() ? sizeOf(shape.isLeaf() ? shape : shape[mode]) : 1;
}

Values ranksOf(const Value &order) {
  Values out;
  std::get<Tree>(order).forEachLeaf([&](const Leaf &leaf) { out.push_back(leaf.value.value); });
  return out;
}

/// How an integer coordinate is made of those of the modes that a slice keeps.
struct Kept {
  int64_t fixed = 0;
  std::vector<int64_t> extents, weights;
  bool outside = false; // a coordinate beyond its mode

  /// `weight`: what a step of `shape` counts in the whole.
  void add(const Tree &shape, const Tree &coord, int64_t weight) {
    if (coord.isTuple()) {
      for (size_t i = 0; i < coord.rank(); ++i) {
        add(shape[i], coord[i], weight);
        weight *= sizeOf(shape[i]);
      }
      return;
    }
    const int64_t extent = sizeOf(shape);
    if (coord.leaf().any) {
      extents.push_back(extent);
      weights.push_back(weight);
      return;
    }
    outside |= coord.leaf().value.value < 0 || coord.leaf().value.value >= extent;
    fixed += coord.leaf().value.value * weight;
  }
  int64_t size() const {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
  }
  int64_t coordinate(int64_t i) const {
    int64_t whole = fixed;
    for (size_t mode = 0; mode < extents.size(); ++mode) {
      whole += i % extents[mode] * weights[mode];
      i /= extents[mode];
    }
    return whole;
  }
};
} // namespace

Result<Verdict> isSlice(std::span<const Value> in, const Value &result) {
  const Points whole(*layoutOf(in[1])), part(*layoutOf(result));
  if (whole.size() > maxCoordinates)
    return fail(Error::DomainTooLarge, "slice", maxCoordinates, whole.size());
  Kept kept;
  kept.add(layoutOf(in[1])->shape(), std::get<Tree>(in[0]), 1);
  if (kept.outside)
    return fail(Error::NotOffered, "the check of a slice at a coordinate outside the shape");
  if (kept.size() != part.size())
    return Verdict{false,
                   cat("the slice has ", part.size(), " coordinates, expected ", kept.size())};
  const Sliced *sliced = std::get_if<Sliced>(&result);
  if (!sliced &&
      layoutOf(in[1])->composed()) // inner(offset + what is fixed + what is kept) is not a sum
    return fail(Error::NotOffered, "the check of a slice without its offset of a composed layout");
  const Point offset = sliced ? pointOf(sliced->offset) : whole.at(kept.fixed);
  for (int64_t i = 0; i < part.size(); ++i) {
    const Point got = sum(part.at(i), offset), expected = whole.at(kept.coordinate(i));
    if (got != expected)
      return Verdict{false, cat("R(", i, ") + ", str(offset), " = ", str(got), ", but L(",
                                kept.coordinate(i), ") = ", str(expected))};
  }
  return Verdict{true, cat("R(c) + ", str(offset), " = L(c in place of `_`) at all ", part.size(),
                           " coordinates")};
}

Result<Verdict> isTiling(std::span<const Value> in, const Value &result) {
  const AnyLayout &block = *layoutOf(in[0]), &r = *layoutOf(result);
  const Tree &target = std::get<Tree>(in[1]);
  Codomain codomain;
  TESSERA_TRY(Values all, codomain.of(r, "tile_to_shape"));
  TESSERA_TRY(Values own, codomain.of(block, "tile_to_shape"));
  int64_t copies = 1;
  for (size_t i = 0; i < r.rank(); ++i) {
    const int64_t extent = extentOf(r.shape(), i), needed = extentOf(target, i),
                  tile = extentOf(block.shape(), i);
    if (extent < needed || extent - needed >= tile || extent % tile)
      return Verdict{
          false, cat("mode ", i, " has extent ", extent, " for ", needed, " in blocks of ", tile)};
    copies *= extent / tile;
  }
  // The first copy is the block itself: coordinates below its extents.
  for (size_t i = 0; i < own.size(); ++i) {
    int64_t rest = int64_t(i), at = 0, weight = 1;
    for (size_t mode = 0; mode < r.rank(); ++mode) {
      const int64_t tile = extentOf(block.shape(), mode);
      at += rest % tile * weight;
      rest /= tile;
      weight *= extentOf(r.shape(), mode);
    }
    if (all[size_t(at)] != own[i])
      return Verdict{false, cat("the first copy differs from the block at its coordinate ", i)};
  }
  // Copies in an order with equal ranks start at the same stride.
  TESSERA_TRY(Values ownPlaces, codomain.of(placed(block), "tile_to_shape"));
  TESSERA_TRY(Values places, codomain.of(placed(r), "tile_to_shape"));
  if (distinct(ownPlaces) && !distinct(places) && (in.size() < 3 || distinct(ranksOf(in[2]))))
    return Verdict{false, "copies of the block overlap"};
  return Verdict{true, cat(copies, " copies of a block of ", own.size(), " cover the shape",
                           distinct(all) ? ", no two elements at one index" : "")};
}

namespace {
Result<Verdict> sameMemory(const Value &before, const AnyLayout &after, int64_t from, int64_t to) {
  Symbolic arith;
  TESSERA_TRY(Value operand, converted(before, Kind::AnyLayout, arith)); // it may be a shape
  const Points l(*layoutOf(operand)), r(after);
  if (!l.plain() || !r.plain())
    return fail(Error::NotOffered, "the check of a recast with scaled bases");
  const int64_t unit = std::gcd(from, to), perOld = from / unit, perNew = to / unit;
  for (const Points *points : {&l, &r})
    if (points->size() > maxPoints / perOld)
      return fail(Error::DomainTooLarge, "recast", maxPoints / perOld, points->size());
  auto floored = [](int64_t a, int64_t b) { return a / b - (a % b < 0); };
  std::set<int64_t> touched, made;
  for (int64_t i = 0; i < l.size(); ++i)
    for (int64_t part = 0; part < perOld; ++part)
      touched.insert(
          floored(int64_t(uint64_t(l.number(i)) * uint64_t(perOld) + uint64_t(part)), perNew));
  for (int64_t i = 0; i < r.size(); ++i)
    made.insert(r.number(i));
  if (touched == made)
    return Verdict{true, cat(made.size(), " elements of ", to, " bits are the memory of ", l.size(),
                             " of ", from, " bits")};
  for (int64_t element : touched)
    if (!made.contains(element))
      return Verdict{false, cat("element ", element, " of ", to, " bits is missing")};
  return Verdict{false, cat("an element of ", to, " bits lies outside the memory")};
}
int64_t numberIn(const Value &list, size_t i) {
  return std::get<List>(list).items[i].leaf().value.value;
}
} // namespace

Result<Verdict> isRecast(std::span<const Value> in, const Value &result) {
  return sameMemory(in[0], *layoutOf(result), numberIn(in[1], 0), numberIn(in[1], 1));
}
Result<Verdict> isUpcast(std::span<const Value> in, const Value &result) {
  return sameMemory(in[0], *layoutOf(result), 1, numberIn(in[1], 0));
}
Result<Verdict> isDowncast(std::span<const Value> in, const Value &result) {
  return sameMemory(in[0], *layoutOf(result), numberIn(in[1], 0), 1);
}

} // namespace tessera::eval
