// Regions of reductions and scans as code that each thread runs for elements of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads combine different elements, or none, so nothing here may need another thread: a tile in
// such a region is as many values as it has elements, loops and branches go as the elements say.
#include "tessera/tile_lower/Combine.h"
#include "tessera/tile_lower/Rows.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// All elements of a tile in row-major order; none of a token.
using Elements = SmallVector<Value>;

/// The most elements of a tile in a combiner: each of them takes code of its own.
constexpr int64_t mostElements = 64;

/// Element e of a tile, by its coordinates.
SmallVector<int64_t> coordinatesOf(int64_t element, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> out(shape.size());
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    out[d] = element % shape[d];
  return out;
}
int64_t elementAt(ArrayRef<int64_t> coordinates, ArrayRef<int64_t> shape) {
  int64_t out = 0;
  for (auto [coordinate, extent] : llvm::zip(coordinates, shape))
    out = out * extent + coordinate;
  return out;
}

class Combiner {
public:
  Combiner(Kernel &k, Operation *op) : k(k), op(op) {}

  /// The results of a reduction's region for these arguments.
  FailureOr<Elements> yielded(Region &region, ArrayRef<Value> arguments) {
    for (auto [argument, value] : llvm::zip(region.getArguments(), arguments))
      values[argument] = {value};
    Block &body = region.front();
    for (Operation &inner : body.without_terminator())
      if (failed(lower(&inner)))
        return failure();
    Elements out;
    for (Value value : body.getTerminator()->getOperands())
      out.append(elementsOf(value));
    return out;
  }

  /// Recomputes here the tiles from outside that the region reads. All threads have the scalars.
  LogicalResult bringIn(Region &region) {
    WalkResult walked = region.walk([&](Operation *inner) -> WalkResult {
      for (Value operand : inner->getOperands())
        if (failed(bringIn(operand, inner)))
          return failure();
      return success();
    });
    return failure(walked.wasInterrupted());
  }

private:
  bool isOutside(Value value) const {
    return !op->getRegion(0).isAncestor(value.getParentRegion());
  }
  LogicalResult bringIn(Value value, Operation *reader) {
    if (!isOutside(value) || values.contains(value) || !isa<TileType>(value.getType()) ||
        countOf(value.getType()) == 1)
      return success();
    Operation *maker = value.getDefiningOp();
    // A block argument, or a value that depends on memory or on other threads, cannot be
    // recomputed.
    if (!maker || maker->getNumRegions() || !isMemoryEffectFree(maker))
      return refuse(reader, Diag::OutsideOfCombiner, countOf(value.getType()), op->getName());
    for (Value operand : maker->getOperands())
      if (failed(bringIn(operand, reader)))
        return failure();
    return lower(maker);
  }

  Elements elementsOf(Value value) const {
    auto found = values.find(value);
    if (found != values.end())
      return found->second;
    if (isa<TileType>(value.getType()))
      return {k.scalar(value)};
    return {};
  }
  SmallVector<Elements> elementsOf(ValueRange all) const {
    SmallVector<Elements> out;
    for (Value value : all)
      out.push_back(elementsOf(value));
    return out;
  }

  LogicalResult lower(Block &block) {
    for (Operation &inner : block)
      if (failed(lower(&inner)))
        return failure();
    return success();
  }

  LogicalResult lower(Operation *inner) {
    for (Type type : inner->getResultTypes())
      if (isa<TileType>(type) && countOf(type) > mostElements)
        return refuse(inner, Diag::TileInCombiner, countOf(type), op->getName(), mostElements);
    return llvm::TypeSwitch<Operation *, LogicalResult>(inner)
        .Case<IfOp, ForOp, LoopOp>([&](auto flow) { return follow(flow); })
        .Case<YieldOp>([&](auto) { return leave<&Places::yield>(inner); })
        .Case<ContinueOp>([&](auto) { return leave<&Places::next>(inner); })
        .Case<BreakOp>([&](auto) { return leave<&Places::end>(inner); })
        .Case<ReduceOp, ScanOp>([&](auto combining) { return combine(combining); })
        .Case<GetTileBlockIdOp, GetNumTileBlocksOp, GetGlobalOp, MakeTensorViewOp,
              MakePartitionViewOp, MakeStridedViewOp, MakeGatherScatterViewOp, GetTensorShapeOp,
              GetIndexSpaceShapeOp>([&](auto) { return asElsewhere(inner); })
        .Case<MakeTokenOp, JoinTokensOp>([](auto) { return success(); })
        .Case<ConstantOp, IotaOp, ReshapeOp, AssumeOp, BroadcastOp, PermuteOp, CatOp, ExtractOp,
              InsertOp>([&](auto shaped) {
          values[shaped.getResult()] = arrange(shaped);
          return success();
        })
        .Default([&](Operation *) { return elementwise(inner); });
  }

  //===--- Elements

  LogicalResult elementwise(Operation *inner) {
    const Row *row = rowOf(inner);
    if (!row || !row->element)
      return refuse(inner, Diag::InCombiner, op->getName());
    SmallVector<Elements> operands = elementsOf(inner->getOperands());
    Elements out;
    for (int64_t e = 0; e < countOf(inner->getResult(0).getType()); ++e) {
      SmallVector<Value> each;
      for (const Elements &operand : operands)
        each.push_back(operand[size_t(e)]);
      out.push_back(row->element(k, inner, each));
      if (!out.back())
        return failure();
    }
    values[inner->getResult(0)] = std::move(out);
    return success();
  }

  /// For values that all threads know, the code is the same as elsewhere.
  LogicalResult asElsewhere(Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<TileType>(operand.getType()) && !isOutside(operand))
        k.define(operand, ThreadTile{.element = elementOf(operand.getType()),
                                     .registers = elementsOf(operand)});
    if (failed(rowOf(inner)->whole(k, inner)))
      return failure();
    for (Value result : inner->getResults())
      if (isa<TileType>(result.getType()))
        values[result] = {k.scalar(result)};
    return success();
  }

  Elements arrange(ConstantOp inner) {
    auto numbers = cast<DenseElementsAttr>(inner.getValue());
    Type element = elementOf(inner.getType());
    auto count = size_t(countOf(inner.getType()));
    if (numbers.isSplat())
      return Elements(count, splatOf(k, inner));
    Elements out;
    if (isa<FloatType>(element))
      for (const APFloat &number : numbers.getValues<APFloat>())
        out.push_back(constantOf(k, element, number.bitcastToAPInt()));
    else
      for (const APInt &number : numbers.getValues<APInt>())
        out.push_back(constantOf(k, element, number));
    return out;
  }
  Elements arrange(IotaOp inner) {
    Elements out;
    for (int64_t e = 0; e < countOf(inner.getType()); ++e)
      out.push_back(constantOf(k, elementOf(inner.getType()), APInt(64, uint64_t(e))));
    return out;
  }
  Elements arrange(ReshapeOp inner) { return elementsOf(inner.getSource()); }
  Elements arrange(AssumeOp inner) { return elementsOf(inner.getValue()); }

  /// For each element of a tile the element of `source` at the coordinates that `from` returns.
  Elements picked(const Elements &source, ArrayRef<int64_t> shape, ArrayRef<int64_t> sourceShape,
                  llvm::function_ref<SmallVector<int64_t>(SmallVector<int64_t>)> from) const {
    Elements out;
    for (int64_t e = 0; e < countOf(shape); ++e)
      out.push_back(source[size_t(elementAt(from(coordinatesOf(e, shape)), sourceShape))]);
    return out;
  }
  Elements arrange(BroadcastOp inner) {
    ArrayRef<int64_t> from = shapeOf(inner.getSource().getType());
    return picked(elementsOf(inner.getSource()), shapeOf(inner.getType()), from,
                  [&](SmallVector<int64_t> at) {
                    for (auto [coordinate, extent] : llvm::zip(at, from))
                      coordinate %= extent;
                    return at;
                  });
  }
  Elements arrange(PermuteOp inner) {
    ArrayRef<int32_t> permutation = inner.getPermutation();
    return picked(elementsOf(inner.getSource()), shapeOf(inner.getType()),
                  shapeOf(inner.getSource().getType()), [&](const SmallVector<int64_t> &at) {
                    SmallVector<int64_t> there(at.size());
                    for (size_t d = 0; d < at.size(); ++d)
                      there[size_t(permutation[d])] = at[d];
                    return there;
                  });
  }
  Elements arrange(CatOp inner) {
    ArrayRef<int64_t> shape = shapeOf(inner.getType()), half = shapeOf(inner.getLhs().getType());
    auto dim = size_t(inner.getDim());
    Elements out, first = elementsOf(inner.getLhs()), second = elementsOf(inner.getRhs());
    for (int64_t e = 0; e < countOf(shape); ++e) {
      SmallVector<int64_t> at = coordinatesOf(e, shape);
      bool isFirst = at[dim] < half[dim];
      at[dim] -= isFirst ? 0 : half[dim];
      ArrayRef<int64_t> from = isFirst ? half : shapeOf(inner.getRhs().getType());
      out.push_back((isFirst ? first : second)[size_t(elementAt(at, from))]);
    }
    return out;
  }

  /// Whether an element is in the slice of a tile that the indices choose. Indices out of range are
  /// undefined behaviour; they are taken modulo the number of slices.
  Value isInSlice(ValueRange indices, ArrayRef<int64_t> at, ArrayRef<int64_t> slice,
                  ArrayRef<int64_t> whole) {
    Value out = k.integer(k.i1, 1);
    for (size_t d = 0; d < at.size(); ++d) {
      Value index = k.andi(elementsOf(indices[d])[0], whole[d] / slice[d] - 1);
      out = k.andi(out, k.equal(index, at[d] / slice[d]));
    }
    return out;
  }
  Elements arrange(ExtractOp inner) {
    ArrayRef<int64_t> whole = shapeOf(inner.getSource().getType()),
                      slice = shapeOf(inner.getType());
    Elements source = elementsOf(inner.getSource()), out(size_t(countOf(slice)));
    for (int64_t e = 0; e < countOf(whole); ++e) {
      SmallVector<int64_t> at = coordinatesOf(e, whole), inside = at;
      for (auto [coordinate, extent] : llvm::zip(inside, slice))
        coordinate %= extent;
      Value &to = out[size_t(elementAt(inside, slice))];
      to = to ? k.select(isInSlice(inner.getIndices(), at, slice, whole), source[size_t(e)], to)
              : source[size_t(e)];
    }
    return out;
  }
  Elements arrange(InsertOp inner) {
    ArrayRef<int64_t> whole = shapeOf(inner.getType()),
                      slice = shapeOf(inner.getSource().getType());
    Elements source = elementsOf(inner.getSource()), out = elementsOf(inner.getDestination());
    for (int64_t e = 0; e < countOf(whole); ++e) {
      SmallVector<int64_t> at = coordinatesOf(e, whole), inside = at;
      for (auto [coordinate, extent] : llvm::zip(inside, slice))
        coordinate %= extent;
      out[size_t(e)] = k.select(isInSlice(inner.getIndices(), at, slice, whole),
                                source[size_t(elementAt(inside, slice))], out[size_t(e)]);
    }
    return out;
  }

  //===--- Reductions and scans in combiners, in the order of tile_eval

  /// The elements of all operands at one place.
  static Elements at(ArrayRef<Elements> all, int64_t place) {
    Elements out;
    for (const Elements &elements : all)
      out.push_back(elements[size_t(place)]);
    return out;
  }

  LogicalResult combine(ReduceOp inner) {
    ArrayRef<int64_t> shape = shapeOf(inner->getOperand(0).getType());
    auto dim = size_t(inner.getDim());
    SmallVector<Elements> all = elementsOf(inner->getOperands());
    SmallVector<int64_t> extents(shape);
    for (; extents[dim] > 1; extents[dim] /= 2) {
      SmallVector<int64_t> half(extents);
      half[dim] /= 2;
      SmallVector<Elements> next(all.size());
      for (int64_t e = 0; e < countOf(half); ++e) {
        SmallVector<int64_t> even = coordinatesOf(e, half);
        even[dim] *= 2;
        SmallVector<int64_t> odd(even);
        odd[dim] += 1;
        FailureOr<Elements> sum =
            yielded(inner.getBody(),
                    paired(at(all, elementAt(odd, extents)), at(all, elementAt(even, extents))));
        if (failed(sum))
          return failure();
        for (auto [list, value] : llvm::zip(next, *sum))
          list.push_back(value);
      }
      all = std::move(next);
    }
    for (auto [result, elements] : llvm::zip(inner->getResults(), all))
      values[result] = elements;
    return success();
  }
  LogicalResult combine(ScanOp inner) {
    ArrayRef<int64_t> shape = shapeOf(inner->getOperand(0).getType());
    auto dim = size_t(inner.getDim());
    SmallVector<Elements> all = elementsOf(inner->getOperands());
    Elements identities = identitiesOf(k, inner, inner.getIdentities());
    for (int64_t e = 0; e < countOf(shape); ++e) {
      SmallVector<int64_t> first = coordinatesOf(e, shape);
      if (first[dim] != 0)
        continue;
      Elements sum = identities;
      for (int64_t n = 0; n < shape[dim]; ++n) {
        SmallVector<int64_t> here = first;
        here[dim] = inner.getReverse() ? shape[dim] - 1 - n : n;
        int64_t place = elementAt(here, shape);
        FailureOr<Elements> next = yielded(inner.getBody(), paired(at(all, place), sum));
        if (failed(next))
          return failure();
        sum = *next;
        for (auto [list, value] : llvm::zip(all, sum))
          list[size_t(place)] = value;
      }
    }
    for (auto [result, elements] : llvm::zip(inner->getResults(), all))
      values[result] = elements;
    return success();
  }

  //===--- Control flow

  /// Blocks where yield, continue and break go.
  struct Places {
    Block *yield = nullptr, *next = nullptr, *end = nullptr;
  };

  /// A block whose arguments, after those of types `more`, become these values.
  Block *blockFor(ValueRange all, TypeRange more = {}) {
    SmallVector<Type> types(more);
    for (Value value : all)
      if (isa<TileType>(value.getType()))
        types.append(size_t(countOf(value.getType())), heldType(elementOf(value.getType())));
    return k.newBlock(types);
  }
  /// Defines these values as the arguments of such a block.
  void defineFrom(Block *block, ValueRange all, unsigned next = 0) {
    for (Value value : all)
      if (isa<TileType>(value.getType())) {
        Elements &to = values[value];
        to.clear();
        for (int64_t e = 0; e < countOf(value.getType()); ++e)
          to.push_back(block->getArgument(next++));
      }
  }
  Elements flat(ValueRange all, ArrayRef<Value> more = {}) const {
    Elements out(more);
    for (Value value : all)
      out.append(elementsOf(value));
    return out;
  }
  template <Block *Places::*place> LogicalResult leave(Operation *end) {
    for (const Places &frame : llvm::reverse(frames))
      if (Block *to = frame.*place) {
        k.branch(to, flat(end->getOperands()));
        return success();
      }
    return refuse(end, Diag::InCombiner, op->getName());
  }
  LogicalResult inside(Block &block, const Places &places) {
    frames.push_back(places);
    auto leaves = llvm::make_scope_exit([&] { frames.pop_back(); });
    return lower(block);
  }

  LogicalResult follow(IfOp branch) {
    Value condition = elementsOf(branch.getCondition())[0];
    Block *end = blockFor(branch.getResults()), *yes = k.newBlock();
    Block *no = branch.getElseBlock() ? k.newBlock() : end;
    k.branchIf(condition, yes, no);
    for (auto [from, to] :
         {std::pair(branch.getThenBlock(), yes), std::pair(branch.getElseBlock(), no)}) {
      if (to == end)
        continue;
      k.goTo(to);
      if (failed(inside(*from, {.yield = end})))
        return failure();
    }
    k.goTo(end);
    defineFrom(end, branch.getResults());
    return success();
  }

  LogicalResult follow(ForOp loop) {
    Value upper = elementsOf(loop.getUpperBound())[0], step = elementsOf(loop.getStep())[0];
    bool isUnsigned = loop.getUnsignedCmp();
    Block *head = blockFor(loop.getRegionIterValues(), {upper.getType()}), *body = k.newBlock(),
          *next = blockFor(loop.getRegionIterValues()), *end = k.newBlock();
    k.branch(head, flat(loop.getInitValues(), {elementsOf(loop.getLowerBound())[0]}));
    k.goTo(head);
    Value number = head->getArgument(0);
    auto below = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    k.branchIf(k.compare(below, number, upper), body, end);
    k.goTo(body);
    values[loop.getInductionVar()] = {number};
    defineFrom(head, loop.getRegionIterValues(), 1);
    if (failed(inside(*loop.getBody(), {.next = next})))
      return failure();
    k.goTo(next);
    // A number that would wrap around ends the loop.
    Value after = k.add(number, step);
    Elements passed = {k.select(k.compare(below, number, after), after, upper)};
    passed.append(next->args_begin(), next->args_end());
    k.branch(head, passed);
    k.goTo(end);
    defineFrom(head, loop.getResults(), 1);
    return success();
  }

  LogicalResult follow(LoopOp loop) {
    Block *head = blockFor(loop.getRegionIterValues()), *end = blockFor(loop.getResults());
    k.branch(head, flat(loop.getInitValues()));
    k.goTo(head);
    defineFrom(head, loop.getRegionIterValues());
    if (failed(inside(*loop.getBody(), {.next = head, .end = end})))
      return failure();
    k.goTo(end);
    defineFrom(end, loop.getResults());
    return success();
  }

  Kernel &k;
  Operation *op; // whose region it is
  DenseMap<Value, Elements> values;
  SmallVector<Places> frames;
};

} // namespace

SmallVector<Value> combined(Kernel &k, Region &region, ArrayRef<Value> arguments) {
  Combiner combiner(k, region.getParentOp());
  if (failed(combiner.bringIn(region)))
    return {};
  FailureOr<Elements> out = combiner.yielded(region, arguments);
  return succeeded(out) ? std::move(*out) : SmallVector<Value>();
}

SmallVector<Value> paired(ArrayRef<Value> current, ArrayRef<Value> accumulated) {
  SmallVector<Value> out;
  for (auto [c, a] : llvm::zip(current, accumulated)) {
    out.push_back(c);
    out.push_back(a);
  }
  return out;
}

Split splitOf(ArrayRef<int64_t> shape, size_t dim) {
  Split out;
  for (size_t d = 0; d < shape.size(); ++d)
    (d < dim ? out.outer : d == dim ? out.along : out.inner) *= shape[d];
  return out;
}

SmallVector<Value> identitiesOf(Kernel &k, Operation *op, ArrayAttr identities) {
  SmallVector<Value> out;
  for (auto [operand, identity] : llvm::zip(op->getOperands(), identities)) {
    Type element = elementOf(operand.getType());
    if (auto number = dyn_cast<FloatAttr>(identity)) {
      // f16 and bf16 may be mixed.
      APFloat value = number.getValue();
      bool loses = false;
      if (auto type = dyn_cast<FloatType>(element))
        value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
      out.push_back(constantOf(k, element, value.bitcastToAPInt()));
    } else {
      out.push_back(constantOf(k, element, cast<IntegerAttr>(identity).getValue()));
    }
  }
  return out;
}

} // namespace tessera::tile_lower
