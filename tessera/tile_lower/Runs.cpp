// Runs of the elements of tiles: from how index arithmetic is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Runs.h"

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/Kernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {
constexpr int64_t most = int64_t(1) << 20;
constexpr int deepest = 64;
constexpr unsigned noDimension = ~0U;

/// What an element that is one more differs by: of pointers a number of bytes.
int64_t unitOf(Value tile) {
  Type element = elementOf(tile.getType());
  return isPointer(element) ? memoryBytes(pointeeOf(tile.getType())) : 1;
}

/// The divisor of the first elements of groups of `length`, which is at most `rise`, or any if all
/// elements are alike.
int64_t divisorOfGroups(const Run &run, int64_t length, int64_t unit) {
  if (run.rise == 1 || length == run.rise)
    return run.divisor;
  return length < run.rise ? std::min(run.divisor, length * unit) : 1;
}
Run shortened(Run run, int64_t rise, int64_t unit) {
  rise = std::min(rise, run.rise);
  return {rise, run.same, divisorOfGroups(run, rise, unit)};
}
/// What holds of both.
Run common(const Run &a, const Run &b, int64_t unit) {
  int64_t rise = std::min(a.rise, b.rise);
  return {rise, std::min(a.same, b.same),
          std::min(divisorOfGroups(a, rise, unit), divisorOfGroups(b, rise, unit))};
}

bool isTile(Value value) { return isa<TileType>(value.getType()); }
ArrayRef<int64_t> extentsOfTile(Value value) { return shapeOf(value.getType()); }

/// The dimension of `from` that runs as dimension `dim` of `to` does, where a reshape keeps the
/// numbers of elements; and how long it is at least in both.
std::optional<std::pair<size_t, int64_t>> reshaped(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                                   size_t dim) {
  auto after = [](ArrayRef<int64_t> shape, size_t d) {
    int64_t out = 1;
    for (int64_t extent : shape.drop_front(d + 1))
      out *= extent;
    return out;
  };
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] > 1 && after(from, d) == after(to, dim))
      return std::pair(d, std::min(from[d], to[dim]));
  return std::nullopt;
}

std::pair<Value, unsigned> keyOf(Value tile, std::optional<size_t> dim) {
  return {tile, dim ? unsigned(*dim) : noDimension};
}

int64_t divisorOfNumber(uint64_t number) {
  return number == 0 ? most : std::min<int64_t>(most, int64_t(number & -number));
}
} // namespace

Run Runs::along(Value tile, std::optional<size_t> dim) {
  Run out = of(tile, dim);
  while (!holds())
    out = of(tile, dim);
  return out;
}

Run Runs::of(Value tile, std::optional<size_t> dim) {
  if (countOf(tile.getType()) == 1) {
    Value scalar = tile; // of any rank
    while (isa_and_nonnull<ReshapeOp, BroadcastOp>(scalar.getDefiningOp()))
      scalar = scalar.getDefiningOp()->getOperand(0);
    return {1, 1, divisorOf(scalar)};
  }
  if (dim && extentsOfTile(tile)[*dim] == 1)
    return of(tile, std::nullopt);
  Key key = keyOf(tile, dim);
  if (auto found = assumed.find(key); found != assumed.end())
    return found->second;
  if (auto found = known.find(key); found != known.end())
    return found->second;
  if (depth == deepest)
    return {};
  ++depth;
  Run out = computed(tile, dim);
  --depth;
  known[key] = out;
  return out;
}

Run Runs::ofShape(Operation *op, std::optional<size_t> dim) {
  Value from = op->getOperand(0), to = op->getResult(0);
  Run alone{1, 1, of(from, std::nullopt).divisor};
  if (!dim)
    return alone;
  int64_t unit = unitOf(to);
  if (isa<BroadcastOp>(op)) {
    if (extentsOfTile(from)[*dim] == extentsOfTile(to)[*dim])
      return of(from, dim);
    return {1, extentsOfTile(to)[*dim], alone.divisor};
  }
  if (auto permute = dyn_cast<PermuteOp>(op))
    return of(from, size_t(permute.getPermutation()[*dim]));
  auto place = reshaped(extentsOfTile(from), extentsOfTile(to), *dim);
  if (!place)
    return alone;
  Run out = shortened(of(from, place->first), place->second, unit);
  out.same = std::min(out.same, place->second);
  return out;
}

/// What is left of a run where its numbers are read with or without a sign: an aligned group of at
/// most half of all numbers of a width, of i1 one element, has no change of sign in it.
Run Runs::read(Value tile, std::optional<size_t> dim) {
  constexpr unsigned longest = 20; // log2(most)
  unsigned bits = elementOf(tile.getType()).getIntOrFloatBitWidth();
  Run run = of(tile, dim);
  int64_t half = int64_t(1) << std::min(bits - 1, longest);
  return shortened(run, std::min({run.rise, run.divisor, half}), 1);
}

/// A sum rises where one side does and the other is the same.
Run Runs::ofSum(Operation *op, std::optional<size_t> dim) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Run a = of(lhs, dim), b = of(rhs, dim);
  int64_t unit = unitOf(op->getResult(0)), ofRhs = 1;
  if (isa<OffsetOp>(op)) {
    ofRhs = unit;
    b = read(rhs, dim);
  }
  int64_t rises = std::min(a.rise, b.same);
  if (!isa<SubIOp>(op))
    rises = std::max(rises, std::min(a.same, b.rise));
  int64_t first = std::min(divisorOfGroups(a, rises, unit),
                           std::min(most, divisorOfGroups(b, rises, 1) * ofRhs));
  return {rises, std::min(a.same, b.same), first};
}

/// A number that divides the first of a group and the other side does not lie within the group: all
/// of it is below the other side, or nothing.
Run Runs::ofComparison(Operation *op, std::optional<size_t> dim) {
  Run a = read(op->getOperand(0), dim), b = read(op->getOperand(1), dim);
  auto uniform = [](const Run &rising, const Run &fixed) {
    int64_t length = std::min(rising.rise, fixed.same);
    if (fixed.rise > 1)
      return int64_t(1);
    while (length > 1 && (divisorOfGroups(rising, length, 1) % length || fixed.divisor % length))
      length /= 2;
    return length;
  };
  int64_t same = std::min(a.same, b.same);
  switch (cast<CmpIOp>(op).getComparisonPredicate()) {
  case ComparisonPredicate::LessThan:
  case ComparisonPredicate::GreaterThanOrEqual: same = std::max(same, uniform(a, b)); break;
  case ComparisonPredicate::GreaterThan:
  case ComparisonPredicate::LessThanOrEqual: same = std::max(same, uniform(b, a)); break;
  case ComparisonPredicate::Equal:
  case ComparisonPredicate::NotEqual: break;
  }
  return {1, same, 1};
}

/// What a value that a loop carries is at first, and what an iteration passes on for it; nothing if
/// it is no such value.
static SmallVector<Value> sourcesOf(BlockArgument value) {
  Operation *loop = value.getOwner()->getParentOp();
  auto counted = dyn_cast_or_null<ForOp>(loop);
  if (!isa_and_nonnull<ForOp, LoopOp>(loop) || (counted && value == counted.getInductionVar()))
    return {};
  unsigned index = value.getArgNumber() - (counted ? 1 : 0);
  ValueRange starts = counted ? counted.getInitValues() : cast<LoopOp>(loop).getInitValues();
  SmallVector<Value> out = {starts[index]};
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != loop && isa<ForOp, LoopOp>(op))
      return WalkResult::skip();
    if (isa<ContinueOp>(op))
      out.push_back(op->getOperand(index));
    return WalkResult::advance();
  });
  return out;
}

/// What a loop carries is taken to run as its first value does.
Run Runs::ofCarried(BlockArgument value, std::optional<size_t> dim) {
  SmallVector<Value> sources = sourcesOf(value);
  if (sources.empty())
    return {};
  carried.push_back({value, dim});
  return assumed[keyOf(value, dim)] = of(sources[0], dim);
}

/// Whether what is assumed follows from itself.
bool Runs::holds() {
  bool isGood = true;
  for (size_t i = 0; i < carried.size(); ++i) { // of which there may come more
    auto [value, dim] = carried[i];
    const Run before = assumed[keyOf(value, dim)];
    Run next = before;
    for (Value source : sourcesOf(value))
      next = common(next, of(source, dim), unitOf(value));
    isGood = isGood && next == before;
    assumed[keyOf(value, dim)] = next;
  }
  if (!isGood)
    known.clear();
  return isGood;
}

Run Runs::computed(Value tile, std::optional<size_t> dim) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return ofCarried(cast<BlockArgument>(tile), dim);
  int64_t extent = dim ? extentsOfTile(tile)[*dim] : 1, unit = unitOf(tile);
  auto here = [&](Value other) { return of(other, dim); };
  auto sameOfAll = [&] {
    int64_t same = extent;
    for (Value operand : op->getOperands())
      if (isTile(operand))
        same = std::min(same, here(operand).same);
    return same;
  };
  return llvm::TypeSwitch<Operation *, Run>(op)
      .Case([&](IotaOp) { return dim ? Run{extent, 1, most} : Run{}; })
      .Case([&](ConstantOp constant) -> Run {
        auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!values || !values.isSplat())
          return {};
        auto numbers = dyn_cast<DenseIntElementsAttr>(values);
        return {1, extent,
                numbers
                    ? divisorOfNumber(numbers.getSplatValue<APInt>().zextOrTrunc(64).getZExtValue())
                    : 1};
      })
      .Case<ReshapeOp, BroadcastOp, PermuteOp>(
          [&](Operation *shape) { return ofShape(shape, dim); })
      .Case<AddIOp, SubIOp, OffsetOp>([&](Operation *sum) { return ofSum(sum, dim); })
      .Case([&](MulIOp product) -> Run {
        for (auto [one, other] : {std::pair(product.getLhs(), product.getRhs()),
                                  std::pair(product.getRhs(), product.getLhs())})
          if (isEverywhere(one, 1))
            return here(other);
        int64_t divisor =
            of(product.getLhs(), std::nullopt).divisor * of(product.getRhs(), std::nullopt).divisor;
        return {1, sameOfAll(), std::min(most, divisor)};
      })
      .Case([&](ExtIOp wider) { return read(wider->getOperand(0), dim); })
      .Case([&](TruncIOp narrower) { return here(narrower->getOperand(0)); })
      .Case([&](AssumeOp assume) {
        Run run = here(assume.getValue());
        // Groups of any length: of six, the parts of two are groups too; of three, single elements.
        if (auto by = dyn_cast<DivByAttr>(assume.getPredicate())) {
          int64_t divisor = divisorOfNumber(by.getDivisor());
          int64_t every = divisorOfNumber(uint64_t(by.getEvery().value_or(1)));
          if (!by.getEvery())
            run.divisor = run.rise == 1 ? std::max(run.divisor, divisor) : run.divisor;
          else if (dim && by.getAlong() == int64_t(*dim) && every > 1 && every >= run.rise)
            run = {every, 1, *by.getEvery() == every ? divisor : std::min(divisor, every * unit)};
        } else if (auto groups = dyn_cast<SameElementsAttr>(assume.getPredicate()); groups && dim) {
          run.same = std::max(run.same, divisorOfNumber(uint64_t(groups.getValues()[*dim])));
        }
        return run;
      })
      .Case([&](PtrToPtrOp other) -> Run {
        Run run = here(other->getOperand(0));
        if (unitOf(other->getOperand(0)) == unit)
          return run;
        return {1, run.same, run.rise == 1 ? run.divisor : 1};
      })
      .Case([&](CmpIOp compare) { return ofComparison(compare, dim); })
      .Case([&](SelectOp choice) {
        Run run = common(here(choice->getOperand(1)), here(choice->getOperand(2)), unit);
        int64_t same = here(choice->getOperand(0)).same;
        run = shortened(run, same, unit);
        run.same = std::min(run.same, same);
        return run;
      })
      .Case<AndIOp, OrIOp, XOrIOp, DivIOp, RemIOp, ShLIOp, ShRIOp, MinIOp, MaxIOp, AbsIOp, NegIOp>(
          [&](Operation *) { return Run{1, sameOfAll(), 1}; })
      .Default([](Operation *) { return Run{}; });
}

Traversal traversalOfPointers(Value pointers, Value mask) {
  ArrayRef<int64_t> shape = extentsOfTile(pointers);
  constexpr int64_t widest = 16;
  int64_t bytes = unitOf(pointers);
  Runs runs;
  std::optional<size_t> longest;
  Run run;
  for (size_t d = shape.size(); d-- > 0;)
    if (Run other = runs.along(pointers, d); other.rise > run.rise) {
      longest = d;
      run = other;
    }
  Traversal out = traversalAlong(shape, longest);
  if (!longest)
    return out;
  int64_t vector = std::min(run.rise, std::max<int64_t>(1, widest / bytes));
  if (mask)
    vector = std::min(vector, runs.along(mask, longest).same);
  while (vector > 1 && divisorOfGroups(run, vector, bytes) % (vector * bytes))
    vector /= 2;
  out.vectorBits = log2Of(vector);
  return out;
}

} // namespace tessera::tile_lower
