// Trace, the domain in which ops fold, the folder, and the patterns of canonicalisation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Fold.h"

#include "tessera/cute/Cute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::Int;
using layout::LeafOp;
using layout::Width;

//===--- Trace --------------------------------------------------------------------------------===//

namespace {

Width widthOf(Type type) {
  if (type.isInteger(1))
    return Width::I1;
  return type.isInteger(64) || isa<ConstrainedI64Type>(type) ? Width::I64 : Width::I32;
}

bool isIntegerValue(Type type) {
  return type.isSignlessIntOrIndex() || isa<ConstrainedI32Type, ConstrainedI64Type>(type);
}

bool statesItsValue(Type type) {
  auto maybe = dyn_cast<MaybeStaticType>(type);
  return maybe && maybe.isStatic();
}

/// Leaves and pointers known by their origin: equal ids are equal values. The reverse need not
/// hold.
class Trace final : public layout::Arith, public Domain {
public:
  layout::Arith &arith() override { return *this; }
  Result<Iterator> advance(const Iterator &from, const layout::Tree &offset) override;
  void assume(layout::Pre, Int, Int, Int) override { assumed = true; }
  void assumeSeparate(std::span<const Int>, std::span<const layout::Walk>) override {
    assumed = true;
  }

  /// What the results of a pure algebra op are. Nothing if there is no answer, or one only under an
  /// assumption: then the op has to stay.
  std::optional<Data> resultsOf(Operation *op);
  /// The value of `type` that `datum` is, among the operands of `op` and what they are made of.
  Value find(const Datum &datum, Type type, Operation *op) const;
  /// An integer that can fill a dynamic leaf; null if there is none.
  Value scalarFor(Int leaf) const;
  /// The number that a leaf stands for, if it is known.
  std::optional<int64_t> number(Int leaf) const;

private:
  /// A chain of ops is followed so far back, and as long as it has not too many values.
  static constexpr unsigned maxDepth = 4;
  static constexpr size_t maxValues = 64;

  /// The origin of a leaf or pointer, spelled as numbers: a kind and its parts.
  using Origin = SmallVector<int64_t, 6>;
  enum Kind : int64_t {
    OfValue,   // value, which leaf of it
    OfNumber,  // number, width
    OfOp,      // op, width, both operands
    OfPointer, // value
    Advanced   // pointer, static distance, dynamic distances in ascending order
  };

  uint32_t idOf(Origin origin);
  uint32_t known(int64_t number, Width width);
  uint32_t emit(LeafOp op, Int a, Int b, Width width) override;
  std::optional<int64_t> computed(LeafOp op, int64_t x, int64_t y, Width width) const;
  uint32_t neutral(LeafOp op, Int a, Int b, Width width);
  std::optional<Data> evaluated(Operation *op);
  Datum datumOfValue(Value value);
  Datum named(Value value);

  std::map<Origin, uint32_t> ids;
  std::vector<Origin> origins = {{}}; // of each id; 0 is none
  llvm::MapVector<Value, Datum> seen;
  unsigned depth = 0;
  bool assumed = false;
};

uint32_t Trace::idOf(Origin origin) {
  auto [it, isNew] = ids.try_emplace(origin, uint32_t(origins.size()));
  if (isNew)
    origins.push_back(std::move(origin));
  return it->second;
}

uint32_t Trace::known(int64_t number, Width width) {
  return idOf({OfNumber, number, int64_t(width)});
}

std::optional<int64_t> Trace::number(Int leaf) const {
  if (leaf.isStatic())
    return leaf.value;
  const Origin &origin = origins[leaf.id];
  return origin[0] == OfNumber ? std::optional(origin[1]) : std::nullopt;
}

/// The number that code for `op` computes; nothing where that depends on how it is compiled, as
/// after an overflow.
std::optional<int64_t> Trace::computed(LeafOp op, int64_t x, int64_t y, Width width) const {
  switch (op) {
  case LeafOp::Div:
  case LeafOp::CeilDiv:
  case LeafOp::Mod: // unsigned
    if (x < 0 || y <= 0)
      return std::nullopt;
    break;
  case LeafOp::SignedDiv:
    if (y == 0)
      return std::nullopt;
    break;
  case LeafOp::ShiftRight:
    if (x < 0)
      return std::nullopt;
    break;
  default: break;
  }
  layout::Applied result = layout::applyChecked(op, x, y);
  if (result.overflow || (width == Width::I32 && !layout::fitsI32(result.value)))
    return std::nullopt;
  return result.value;
}

/// The id of what an operation with a neutral element, or 0 as a factor, or of a leaf on itself
/// comes down to; else 0. Arith does the same for static leaves.
uint32_t Trace::neutral(LeafOp op, Int a, Int b, Width width) {
  std::optional<int64_t> x = number(a), y = number(b);
  auto same = [&](Int kept) { return !kept.isStatic() && kept.width == width ? kept.id : 0; };
  if (!a.isStatic() && a.id == b.id) { // an operation of a leaf on itself
    if (op == LeafOp::Sub || op == LeafOp::Xor || op == LeafOp::Less)
      return known(0, width);
    if (op == LeafOp::Equal)
      return known(1, width);
    if (op == LeafOp::Min || op == LeafOp::Max || op == LeafOp::And || op == LeafOp::Or)
      return same(a);
  }
  switch (op) {
  case LeafOp::Add:
  case LeafOp::Or:
  case LeafOp::Xor: return x == 0 ? same(b) : y == 0 ? same(a) : 0;
  case LeafOp::Sub:
  case LeafOp::ShiftRight: return y == 0 ? same(a) : 0;
  case LeafOp::Mul:
    if (x == 0 || y == 0)
      return known(0, width);
    return x == 1 ? same(b) : y == 1 ? same(a) : 0;
  case LeafOp::Div:
  case LeafOp::SignedDiv:
  case LeafOp::CeilDiv: return y == 1 ? same(a) : 0;
  case LeafOp::Mod: return y == 1 ? known(0, width) : 0;
  default: return 0;
  }
}

uint32_t Trace::emit(LeafOp op, Int a, Int b, Width width) {
  std::optional<int64_t> x = number(a), y = number(b);
  if (x && y)
    if (std::optional<int64_t> result = computed(op, *x, *y, width))
      return known(*result, width);
  if (uint32_t id = neutral(op, a, b, width))
    return id;
  auto part = [](Int leaf) {
    return leaf.isStatic() ? std::pair<int64_t, int64_t>(0, leaf.value)
                           : std::pair<int64_t, int64_t>(1, leaf.id);
  };
  auto first = part(a), second = part(b);
  bool commutes = op == LeafOp::Add || op == LeafOp::Mul || op == LeafOp::Min ||
                  op == LeafOp::Max || op == LeafOp::And || op == LeafOp::Or || op == LeafOp::Xor ||
                  op == LeafOp::Equal;
  if (commutes && second < first)
    std::swap(first, second);
  return idOf(
      {OfOp, int64_t(op), int64_t(width), first.first, first.second, second.first, second.second});
}

Result<Iterator> Trace::advance(const Iterator &from, const layout::Tree &offset) {
  TESSERA_TRY(Iterator to, Domain::advance(from, offset));
  if (from.isArithTuple())
    return to;
  if (offset.isTuple()) { // a descriptor that moves by coordinates: no place of which we know
    to.handle = idOf({Advanced, from.handle, int64_t(origins.size())});
    return to;
  }
  const Int distance = offset.leaf().value;
  Origin origin = origins[from.handle];
  if (origin[0] != Advanced)
    origin = {Advanced, from.handle, 0};
  if (std::optional<int64_t> fixed = number(distance)) {
    if (__builtin_add_overflow(origin[2], *fixed, &origin[2]))
      return Reason{"Overflow", "the distance does not fit 64 bits"};
  } else {
    origin.insert(std::upper_bound(origin.begin() + 3, origin.end(), int64_t(distance.id)),
                  int64_t(distance.id));
  }
  bool stays = origin.size() == 3 && origin[2] == 0;
  to.handle = stays ? uint32_t(origin[1]) : idOf(std::move(origin));
  return to;
}

/// A value of which only the type is known: each leaf is a leaf of this value.
Datum Trace::named(Value value) {
  const int64_t self = int64_t(reinterpret_cast<intptr_t>(value.getAsOpaquePointer()));
  Datum datum = datumOf(value.getType());
  int64_t index = 0;
  datum.forEachDynamicLeaf([&](Int &leaf) { leaf.id = idOf({OfValue, self, index++}); });
  if (View *view = datum.as<View>()) {
    if (!view->iterator.isArithTuple())
      view->iterator.handle = idOf({OfPointer, self});
  } else if (Iterator *it = datum.as<Iterator>()) {
    if (!it->isArithTuple())
      it->handle = idOf({OfPointer, self});
  } else if (Opaque *opaque = datum.as<Opaque>()) {
    opaque->handle = idOf({OfPointer, self});
  }
  return datum;
}

Datum Trace::datumOfValue(Value value) {
  if (auto it = seen.find(value); it != seen.end())
    return it->second;
  std::optional<Datum> datum;
  APInt constant;
  Operation *op = value.getDefiningOp();
  if (isIntegerValue(value.getType()) && matchPattern(value, m_ConstantInt(&constant)) &&
      (!value.getType().isIndex() || layout::fitsI32(constant.getSExtValue()))) {
    Width width = widthOf(value.getType());
    int64_t number =
        width == Width::I1 ? int64_t(constant.getZExtValue()) : constant.getSExtValue();
    datum = Int::dynamic(known(number, width), width);
  } else if (auto assumption = dyn_cast_or_null<AssumeOp>(op);
             assumption && depth < maxDepth) { // the same integer, of which more is known
    ++depth;
    Datum promised = datumOf(value.getType());
    promised.as<Int>()->id = datumOfValue(assumption.getValue()).as<Int>()->id;
    --depth;
    datum = promised;
  } else if (op && depth < maxDepth && seen.size() < maxValues) {
    ++depth;
    if (std::optional<Data> results = evaluated(op))
      datum = (*results)[cast<OpResult>(value).getResultNumber()];
    --depth;
  }
  if (!datum)
    datum = named(value);
  seen.insert({value, *datum});
  return *datum;
}

std::optional<Data> Trace::evaluated(Operation *op) {
  auto algebra = dyn_cast<AlgebraOpInterface>(op);
  if (!algebra || !isPure(op))
    return std::nullopt;
  Data in;
  for (Value operand : op->getOperands())
    in.push_back(datumOfValue(operand));
  Result<Data> out = algebra.evaluateWith(*this, in);
  if (!out || overflowed() || out->size() != op->getNumResults())
    return std::nullopt;
  for (auto [datum, type] : llvm::zip(*out, op->getResultTypes()))
    if (!datum.as<Opaque>()) // what the type states holds, as in lowering
      datum = conformed(datum, type, [&](int64_t number, const Int &leaf) {
        return Int::dynamic(known(number, leaf.width), leaf.width, leaf.div);
      });
  return std::move(*out);
}

std::optional<Data> Trace::resultsOf(Operation *op) {
  std::optional<Data> results = evaluated(op);
  return assumed || overflowed() ? std::nullopt : results;
}

/// All dynamic leaves and pointers of a datum, in order.
SmallVector<uint32_t> originsIn(const Datum &datum) {
  SmallVector<uint32_t> all;
  Datum copy = datum;
  copy.forEachDynamicLeaf([&](Int &leaf) { all.push_back(leaf.id); });
  const View *view = datum.as<View>();
  if (const Iterator *it = view ? &view->iterator : datum.as<Iterator>()) {
    if (!it->isArithTuple()) // its coordinates are leaves
      all.push_back(it->handle);
  } else if (const Opaque *opaque = datum.as<Opaque>()) {
    all.push_back(opaque->handle);
    all.append(opaque->fields.begin(), opaque->fields.end());
  }
  return all;
}

Value Trace::find(const Datum &datum, Type type, Operation *op) const {
  SmallVector<uint32_t> wanted = originsIn(datum);
  for (const auto &[value, known] : seen)
    if (value.getType() == type && value.getDefiningOp() != op && originsIn(known) == wanted)
      return value;
  return {};
}

Value Trace::scalarFor(Int leaf) const {
  for (const auto &[value, known] : seen) {
    const Int *x = known.as<Int>();
    Type type = value.getType();
    if (!x || x->id != leaf.id || !isIntegerValue(type))
      continue;
    bool fits = leaf.width == Width::I1 ? type.isInteger(1)
                : type.isIndex()        ? leaf.width == Width::I32
                : isa<IntegerType>(type)
                    ? type.isInteger(32) || (type.isInteger(64) && leaf.width == Width::I64)
                    : widthOf(type) <= leaf.width;
    if (fits)
      return value;
  }
  return {};
}

/// What a result folds to; null if it does not.
OpFoldResult folded(const Trace &trace, const Datum &datum, OpResult result) {
  Type type = result.getType();
  if (statesItsValue(type))
    return TypeAttr::get(type);
  const Int *x = datum.as<Int>();
  std::optional<int64_t> number = x ? trace.number(*x) : std::nullopt;
  if (number && isa<IntegerType>(type))
    return IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(), uint64_t(*number),
                                        /*isSigned=*/true, /*implicitTrunc=*/true));
  return trace.find(datum, type, result.getOwner());
}

} // namespace

//===--- folding ------------------------------------------------------------------------------===//

LogicalResult tessera::cute::foldByEvaluation(Operation *op,
                                              SmallVectorImpl<OpFoldResult> &results) {
  if (!isPure(op) || op->getNumResults() == 0)
    return failure();
  // Nothing that is dynamic goes in or comes out: then there is nothing to assume.
  if (llvm::all_of(op->getResultTypes(), statesItsValue) &&
      (!isa<AlgebraOpInterface>(op) || llvm::all_of(op->getOperandTypes(), statesItsValue))) {
    for (Type type : op->getResultTypes())
      results.push_back(TypeAttr::get(type));
    return success();
  }
  Trace trace;
  std::optional<Data> data = trace.resultsOf(op);
  if (!data)
    return failure();
  SmallVector<OpFoldResult> all;
  for (auto [datum, result] : llvm::zip(*data, op->getResults())) {
    OpFoldResult value = folded(trace, datum, result);
    if (!value)
      return failure();
    all.push_back(value);
  }
  results.append(all);
  return success();
}

OpFoldResult RecastIterOp::fold(FoldAdaptor) {
  return getIter().getType() == getType() ? Value(getIter()) : Value();
}

/// An address there and back is the pointer itself: verifiers see that the integer holds it.
OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto back = getAddress().getDefiningOp<PtrToIntOp>();
  return back && back.getIter().getType() == getType() ? Value(back.getIter()) : Value();
}

/// Not where the pointer is narrower than the integer.
OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto back = getIter().getDefiningOp<IntToPtrOp>();
  AddressSpace space = cast<PtrType>(getIter().getType()).getAddressSpace();
  bool whole =
      getType().isInteger(32) || space == AddressSpace::generic || space == AddressSpace::gmem;
  return back && whole && back.getAddress().getType() == getType() ? Value(back.getAddress())
                                                                   : Value();
}

OpFoldResult AssumeOp::fold(FoldAdaptor) {
  return getValue().getType() == getType() ? Value(getValue()) : Value();
}

//===--- canonicalisation ---------------------------------------------------------------------===//

namespace {

/// `to_shape(to_coord(t))` is `to_shape(t)`: conversions keep the leaves.
bool isConversion(Operation *op) { return isa<ToIntTupleOp, ToShapeOp, ToStrideOp, ToCoordOp>(op); }

/// An op whose results are known one by one gives way to what they are: a constant, a value that is
/// there, or a tuple of scalars that are there (`get` of a `make_shape`). Layouts and views are
/// not taken apart: they read better as they were made.
struct ReplaceByParts final : OpInterfaceRewritePattern<AlgebraOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(AlgebraOpInterface op, PatternRewriter &rewriter) const override {
    if (!isPure(op) ||
        isa<MakeIntTupleOp, MakeTupleOp, MakeShapeOp, MakeStrideOp, MakeCoordOp, MakeTileOp>(
            op.getOperation()))
      return failure();
    // Otherwise the folder has done what can be done.
    if (op->getNumResults() == 1 && !isTuple(op->getResult(0).getType()))
      return failure();
    Trace trace;
    std::optional<Data> data = trace.resultsOf(op);
    if (!data)
      return failure();
    bool changed = false;
    for (auto [datum, result] : llvm::zip(*data, op->getResults()))
      if (Value part = result.use_empty() ? Value() : made(trace, datum, result, rewriter)) {
        rewriter.replaceAllUsesWith(result, part);
        changed = true;
      }
    return success(changed);
  }

  static bool isTuple(Type type) {
    return isa<IntTupleType, ShapeType, StrideType, CoordType>(type);
  }

  /// Null, and nothing made, where a leaf takes arithmetic.
  static Value made(const Trace &trace, const Datum &datum, OpResult result,
                    PatternRewriter &rewriter) {
    Type type = result.getType();
    Location loc = result.getOwner()->getLoc();
    OpFoldResult value = folded(trace, datum, result);
    if (auto attribute = dyn_cast_if_present<Attribute>(value)) {
      auto *dialect = rewriter.getContext()->getLoadedDialect<CuteDialect>();
      return dialect->materializeConstant(rewriter, attribute, type, loc)->getResult(0);
    }
    if (auto found = dyn_cast_if_present<Value>(value))
      return found;
    if (!datum.as<TreeDatum>() || !isTuple(type))
      return {};
    SmallVector<Int> leaves;
    Datum copy = datum;
    copy.forEachDynamicLeaf([&](Int &leaf) { leaves.push_back(leaf); });
    if (llvm::any_of(leaves,
                     [&](Int leaf) { return !trace.number(leaf) && !trace.scalarFor(leaf); }))
      return {};
    SmallVector<Value> operands;
    for (Int leaf : leaves)
      operands.push_back(scalar(trace, leaf, loc, rewriter));
    return MakeIntTupleOp::create(rewriter, loc, type, operands);
  }

  static Value scalar(const Trace &trace, Int leaf, Location loc, PatternRewriter &rewriter) {
    if (Value value = trace.scalarFor(leaf))
      return value;
    unsigned bits = leaf.width == Width::I1 ? 1 : leaf.width == Width::I64 ? 64 : 32;
    return arith::ConstantIntOp::create(rewriter, loc, rewriter.getIntegerType(bits),
                                        *trace.number(leaf));
  }
};

struct ConversionOfConversion final : OpInterfaceRewritePattern<AlgebraOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(AlgebraOpInterface op, PatternRewriter &rewriter) const override {
    Operation *inner = isConversion(op) ? op->getOperand(0).getDefiningOp() : nullptr;
    if (!inner || !isConversion(inner))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, inner->getOperand(0)); });
    return success();
  }
};

struct GetOfGet final : OpRewritePattern<GetOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GetOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<GetOp>();
    if (!inner || inner.getMode().empty() || op.getMode().empty())
      return failure();
    SmallVector<int32_t> path(inner.getMode());
    llvm::append_range(path, op.getMode());
    rewriter.replaceOpWithNewOp<GetOp>(op, op.getType(), inner.getInput(), path);
    return success();
  }
};

struct SelectOfSelect final : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<SelectOp>();
    if (!inner)
      return failure();
    SmallVector<int32_t> modes;
    for (int32_t mode : op.getMode()) {
      if (mode < 0 || size_t(mode) >= inner.getMode().size())
        return failure();
      modes.push_back(inner.getMode()[mode]);
    }
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), inner.getInput(), modes);
    return success();
  }
};

/// slice(slice(x, (_,1,_)), (3,_)) is slice(x, (3,1,_)). Not of a composed layout in a view, whose
/// iterator and layout may share an offset in more ways than one.
struct SliceOfSlice final : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<SliceOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    if (auto view = dyn_cast<ViewType>(inner.getInput().getType());
        view && view.getViewLayout().composed())
      return failure();
    // The leaves of both coordinates by number: first those of the inner one, then of the outer.
    Datum first = datumOf(inner.getCoord().getType()), second = datumOf(op.getCoord().getType());
    uint32_t next = 0;
    for (Datum *coord : {&first, &second})
      coord->forEachDynamicLeaf([&](Int &leaf) { leaf.id = ++next; });
    std::optional<layout::Tree> both = merged(*first.tree(), *second.tree());
    if (!both)
      return failure();
    SmallVector<uint32_t> order;
    Datum coord(layout::TreeKind::Coord, *both);
    coord.forEachDynamicLeaf([&](Int &leaf) {
      order.push_back(leaf.id - 1);
      leaf.id = layout::Symbolic::anonymous;
    });
    TypeDomain domain;
    Result<Data> sliced = SliceOp::evaluate(domain, {datumOf(inner.getInput().getType()), coord},
                                            {op->getOperands()});
    if (!sliced || domain.arith().overflowed() ||
        typeOf(op.getContext(), sliced->front()) != op.getType())
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> leaves;
    for (Value from : {inner.getCoord(), op.getCoord()}) {
      SmallVector<Type> types;
      datumOf(from.getType()).forEachDynamicLeaf([&](Int &leaf) {
        types.push_back(rewriter.getIntegerType(leaf.width == Width::I64 ? 64 : 32));
      });
      if (!types.empty())
        llvm::append_range(
            leaves,
            GetScalarsOp::create(rewriter, loc, types, from, /*only_dynamic=*/true).getResults());
    }
    Type type = typeOf(rewriter.getContext(), coord);
    Value at;
    if (order.empty()) {
      at = StaticOp::create(rewriter, loc, type);
    } else {
      SmallVector<Value> operands;
      for (uint32_t i : order)
        operands.push_back(leaves[i]);
      at = MakeIntTupleOp::create(rewriter, loc, type, operands);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getInput(), at);
    return success();
  }

  /// `first` with its i-th `_` replaced by mode i of `second`. Nothing where `second` counts the
  /// coordinates of several modes by one number.
  static std::optional<layout::Tree> merged(const layout::Tree &first, const layout::Tree &second) {
    if (first.isLeaf())
      return first.leaf().any ? std::optional(second) : std::nullopt;
    if (second.isLeaf())
      return second.leaf().any ? std::optional(first) : std::nullopt;
    size_t next = 0;
    std::optional<layout::Tree> both = fill(first, second, next);
    return next == second.rank() ? both : std::nullopt;
  }
  static std::optional<layout::Tree> fill(const layout::Tree &first, const layout::Tree &second,
                                          size_t &next) {
    if (first.isLeaf()) {
      if (!first.leaf().any)
        return first;
      if (next == second.rank())
        return std::nullopt;
      return second[next++];
    }
    std::vector<layout::Tree> modes;
    for (const layout::Tree &mode : first.modes()) {
      std::optional<layout::Tree> filled = fill(mode, second, next);
      if (!filled)
        return std::nullopt;
      modes.push_back(std::move(*filled));
    }
    return layout::Tree(std::move(modes));
  }
};

} // namespace

void CuteDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<ReplaceByParts, ConversionOfConversion>(patterns.getContext());
  patterns.add<GetOfGet, SelectOfSelect, SliceOfSlice>(patterns.getContext());
}
