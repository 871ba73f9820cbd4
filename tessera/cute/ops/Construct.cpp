// Ops that build tuples, layouts, tiles and views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/Dictionary.h"
#include "tessera/layout/Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InterleavedRange.h"

#include <numeric>

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

//===--- static -------------------------------------------------------------------------------===//

LogicalResult StaticOp::verify() {
  auto type = dyn_cast<MaybeStaticType>(getType());
  if (!type || !type.isStatic())
    return emitOpError() << "expects result to be static, but got " << getType();
  return success();
}

OpFoldResult StaticOp::fold(FoldAdaptor) { return TypeAttr::get(getType()); }

//===--- constructors -------------------------------------------------------------------------===//

/// The leaves that operands fill in, one after the other: a number is one, an inner tuple gives its
/// dynamic ones.
static std::vector<layout::Int> leavesOf(ArrayRef<Datum> in) {
  std::vector<layout::Int> leaves;
  for (const Datum &operand : in) {
    if (const layout::Int *number = operand.as<layout::Int>()) {
      leaves.push_back(*number);
      continue;
    }
    bool inner = operand.tree()->isTuple();
    for (const layout::Leaf &leaf : operand.tree()->leaves())
      if (!inner || !leaf.isStatic())
        leaves.push_back(leaf.value);
  }
  return leaves;
}

static Result<Data> fillLeaves(Operation *op, ArrayRef<Datum> in) {
  Datum result = datumOf(op->getResult(0).getType());
  std::vector<layout::Int> values = leavesOf(in);
  size_t next = 0;
  result.forEachDynamicLeaf([&](layout::Int &leaf) {
    if (next >= values.size())
      return;
    layout::Int value = values[next++];
    // The type's facts hold; the operand gives the value.
    if (value.isStatic()) {
      leaf = value;
      return;
    }
    leaf.id = value.id;
    leaf.mask = value.mask;
  });
  return Data{std::move(result)};
}

/// The words of the public dialect, then ours.
static LogicalResult refuseLeaf(Operation *op, size_t operand, const Twine &why) {
  return refuse(op, Diag::LeafOperand, operand, op->getOperand(unsigned(operand)).getType(),
                StringRef(why.str()));
}

static LogicalResult verifyLeaf(Operation *op, size_t operand, const layout::Int &leaf, Type type) {
  Datum datum = datumOf(type);
  const layout::Tree *tree = datum.tree();
  if (tree && (tree->isTuple() || tree->leaf().isStatic() || tree->leaf().isBasis()))
    return refuseLeaf(op, operand, "expects dynamic scalars as operands");
  const unsigned bits = layout::bitsOf(leaf.width);
  bool misfit = type.isIndex() && leaf.width != layout::Width::I32;
  if (misfit || (isa<IntegerType>(type) && !type.isInteger(32) && !type.isInteger(64) &&
                 !type.isInteger(bits)))
    return refuseLeaf(op, operand,
                      sentence(Diag::LeafWidth, layout::str(layout::Leaf(leaf)), type));
  layout::Int given = tree ? tree->leaf().value : *datum.as<layout::Int>();
  if (given.width > leaf.width)
    return refuse(
        op, Diag::OperandWidth, operand, bits, layout::bitsOf(given.width),
        StringRef("expects an operand no wider than the leaf " + layout::str(layout::Leaf(leaf))));
  return success();
}

/// One operand for each mode: an inner tuple is the mode as its own type states it, a number fills
/// a mode that is `?`.
static LogicalResult verifyModes(Operation *op) {
  Type type = op->getResult(0).getType();
  Datum result = datumOf(type);
  const layout::Tree *tree = result.tree();
  bool fits = tree && tree->isTuple() && tree->rank() == op->getNumOperands();
  for (size_t i = 0; fits && i < tree->rank(); ++i) {
    Type operand = op->getOperand(unsigned(i)).getType();
    const layout::Tree &mode = (*tree)[i];
    Datum datum = datumOf(operand);
    bool inner = datum.tree() && datum.tree()->isTuple();
    fits = inner ? operand.getTypeID() == type.getTypeID() && *datum.tree() == mode
                 : mode.isLeaf() && !mode.leaf().isStatic();
    if (fits && !inner && failed(verifyLeaf(op, i, mode.leaf().value, operand)))
      return failure();
  }
  if (fits)
    return success();
  size_t tuple = 0; // the first operand that is one
  while (!datumOf(op->getOperand(unsigned(tuple)).getType()).tree() ||
         datumOf(op->getOperand(unsigned(tuple)).getType()).tree()->isLeaf())
    ++tuple;
  return refuseLeaf(op, tuple, sentence(Diag::InnerTuples, type, op->getOperandTypes()));
}

static LogicalResult verifyLeaves(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), [](Type type) {
        Datum datum = datumOf(type);
        return datum.tree() && datum.tree()->isTuple();
      }))
    return verifyModes(op);
  Datum result = datumOf(op->getResult(0).getType());
  SmallVector<layout::Int> leaves;
  result.forEachDynamicLeaf([&](layout::Int &leaf) { leaves.push_back(leaf); });
  if (leaves.size() != op->getNumOperands())
    return refuse(op, Diag::DynamicOperands, leaves.size(), op->getResult(0).getType(),
                  op->getNumOperands());
  for (auto [i, leaf] : llvm::enumerate(leaves))
    if (failed(verifyLeaf(op, i, leaf, op->getOperand(unsigned(i)).getType())))
      return failure();
  return success();
}

#define TESSERA_CONSTRUCTOR(OP)                                                                    \
  LogicalResult OP::verify() { return verifyLeaves(*this); }                                       \
  Result<Data> OP::evaluateWith(Domain &, ArrayRef<Datum> in) { return fillLeaves(*this, in); }
TESSERA_CONSTRUCTOR(MakeIntTupleOp)
TESSERA_CONSTRUCTOR(MakeTupleOp)
TESSERA_CONSTRUCTOR(MakeShapeOp)
TESSERA_CONSTRUCTOR(MakeStrideOp)
TESSERA_CONSTRUCTOR(MakeCoordOp)
TESSERA_CONSTRUCTOR(MakeTileOp)
#undef TESSERA_CONSTRUCTOR

//===--- swizzles -----------------------------------------------------------------------------===//

ParseResult MakeSwizzleOp::parse(OpAsmParser &parser, OperationState &result) {
  ParsedOp op;
  SwizzleType type;
  if (parseDictionary(parser, result))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalColon())) {
    OptionalParseResult other = askSpellings(parser, result, Departure::Operands, op, loc);
    return other.has_value() ? *other : parser.parseColon();
  }
  if (parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}
void MakeSwizzleOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getType();
}

//===--- layouts ------------------------------------------------------------------------------===//

LogicalResult MakeLayoutOp::verify() {
  std::optional<ArrayRef<int32_t>> sizes = getOperandSegmentSizes();
  const int32_t strides = int32_t(getNumOperands()) - 1;
  if (sizes && *sizes != ArrayRef<int32_t>{1, strides})
    return refuse(*this, Diag::LayoutSegments, strides, llvm::interleaved_array(*sizes));
  return success();
}

Result<Data> MakeLayoutOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  if (in.size() == 1)
    return Data{Datum(layout::compactMajor(d.arith(), *in[0].tree()))};
  TESSERA_TRY(layout::Layout l, layout::checked(layout::Layout{*in[0].tree(), *in[1].tree()}));
  return Data{Datum(std::move(l))};
}

Result<Data> MakeComposedLayoutOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  const layout::Layout &outer = *in[2].anyLayout()->affine();
  if (const layout::Swizzle *s = in[0].as<layout::Swizzle>()) {
    layout::AnyLayout l = layout::compose(*s, *in[1].tree(), outer);
    if (l.affine())
      return Data{Datum(std::move(l))};
    TESSERA_TRY(layout::AnyLayout sound, layout::checked(*l.composed()));
    return Data{Datum(std::move(sound))};
  }
  TESSERA_TRY(layout::AnyLayout l, layout::checked(layout::Composed{*in[0].anyLayout()->affine(),
                                                                    *in[1].tree(), outer}));
  return Data{Datum(std::move(l))};
}

Result<Data> MakeLayoutRawOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  if (in.size() == 1)
    return Data{Datum(layout::compactMajor(d.arith(), *in[0].tree()))};
  return Data{Datum(layout::Layout{*in[0].tree(), *in[1].tree()})};
}

Result<Data> MakeComposedLayoutRawOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  return MakeComposedLayoutOp::evaluate(d, {in[1], in[2], in[0]}, {op.getOperands()});
}

Result<Data> MakeLayoutLikeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  const layout::AnyLayout &source = *in[0].anyLayout();
  if (source.composed() && !source.composed()->swizzle())
    return Reason{"SourceSwizzle", sentence(Diag::SourceSwizzle)};
  if (source.outer().stride.hasBasis())
    return Reason{"SourceIntegerStrides", sentence(Diag::SourceIntegerStrides)};
  return Data{Datum(layout::layoutLike(d.arith(), in[0].anyLayout()->outer()))};
}

/// Modes of one order value are ordered from left to right, where CuTe C++ lets them overlap.
static layout::Tree inTurn(const layout::Tree &order) {
  std::vector<layout::Leaf> given = order.leaves();
  std::vector<size_t> places(given.size());
  std::iota(places.begin(), places.end(), 0);
  llvm::stable_sort(
      places, [&](size_t a, size_t b) { return given[a].value.value < given[b].value.value; });
  std::vector<int64_t> ranks(given.size());
  for (auto [rank, place] : llvm::enumerate(places))
    ranks[place] = int64_t(rank);
  size_t next = 0;
  return order.map([&](const layout::Leaf &) { return layout::Leaf(ranks[next++]); });
}

Result<Data> MakeOrderedLayoutOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  // CuTe C++ takes a dynamic order by its place; the dialect does not.
  const layout::Tree &order = *in[1].tree();
  if (!order.isStatic())
    return Reason{
        "OrderStatic",
        sentence(Diag::OrderStatic, order, op.getOrder().getType(),
                 StringRef(layout::fail(layout::Error::OrderDynamic, layout::str(order)).text))};
  Result<layout::Layout> l = layout::orderedLayout(d.arith(), *in[0].tree(), inTurn(order));
  if (!l)
    return Reason{"OrderProfile", sentence(Diag::OrderProfile, op.getShape().getType(),
                                           op.getOrder().getType(), StringRef(l.reason().text))};
  return Data{Datum(*std::move(l))};
}

Result<Data> MakeIdentityLayoutOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(layout::identityLayout(*in[0].tree()))};
}

Result<Data> MakeFragmentLikeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(layout::fragmentLike(d.arith(), in[0].anyLayout()->outer()))};
}

//===--- iterators and views ------------------------------------------------------------------===//

Result<Data> MakeArithTupleIterOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  const layout::Tree &tuple = *in[0].tree();
  return Data{
      Datum(Iterator{ArithTupleIterType::get(op.getValue().getContext(), tuple), 0, tuple})};
}

Result<Data> MakeIdentityTensorOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  layout::Layout l = layout::identityLayout(*in[0].tree());
  layout::Tree zero = layout::repeatLike(*in[0].tree(), layout::Leaf(0));
  Type iterator = ArithTupleIterType::get(op.getShape().getContext(), zero);
  return Data{Datum(View{Iterator{iterator, 0, std::move(zero)}, std::move(l)})};
}

Result<Data> MakeViewOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  const layout::AnyLayout &l = *in[1].anyLayout();
  Iterator iterator;
  if (const Iterator *it = in[0].as<Iterator>())
    iterator = *it;
  else // 4.3.3 starts coordinate tensors at an int_tuple
    iterator = {ArithTupleIterType::get(op.getLayout().getContext(), *in[0].tree()), 0,
                *in[0].tree()};
  if (!cast<IteratorType>(iterator.type).viewWith(l))
    return Reason{"ViewLayout", sentence(Diag::ViewLayout, l)};
  return Data{Datum(View{std::move(iterator), l})};
}

Result<Data> MakeTensorOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  const View *view = in[0].as<View>();
  const layout::AnyLayout *l = in.back().anyLayout();
  if (!l)
    return Reason{"NoTensorLayout", sentence(Diag::NoTensorLayout, op.getSource().getType())};
  Iterator iterator = view ? view->iterator : *in[0].as<Iterator>();
  if (!cast<IteratorType>(iterator.type).viewWith(*l))
    return Reason{"ViewLayout", sentence(Diag::ViewLayout, *l)};
  return Data{Datum(View{std::move(iterator), *l})};
}

//===--- conversions --------------------------------------------------------------------------===//

Result<Data> ToIntTupleOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  if (in[0].tree()->hasBasis())
    return Reason{"SourceBases", sentence(Diag::SourceBases, op.getInput().getType())};
  if (in[0].tree()->hasUnderscore())
    return Reason{"SourceUnderscores", sentence(Diag::SourceUnderscores, op.getInput().getType())};
  return Data{Datum(TreeKind::IntTuple, *in[0].tree())};
}
Result<Data> ToShapeOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(TreeKind::Shape, *in[0].tree())};
}
Result<Data> ToStrideOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(TreeKind::Stride, *in[0].tree())};
}
Result<Data> ToCoordOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor) {
  return Data{Datum(TreeKind::Coord, *in[0].tree())};
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Construct.cpp.inc"
