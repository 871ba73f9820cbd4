// Ops that share a tensor among the threads of a tiled copy or MMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/cute/ops/Far.h"
#include "tessera/layout/Index.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

//===--- make_tiled_copy, make_tiled_mma ------------------------------------------------------===//

/// The text of an algebra op, though the result is not inferred: `(%atom) : atom type -> tiled
/// type`.
static constexpr StringLiteral tiledForm = "; Q -> Q";

/// An op whose text states its operands and results; nothing is inferred.
static ParseResult parseStated(OpAsmParser &parser, OperationState &result, StringRef spec) {
  ParsedOp op(spec);
  if (parseAlgebraText(parser, result, op))
    return failure();
  result.attributes = op.discardable;
  result.attributes.append(op.inherent);
  if (result.name
          .verifyInherentAttrs(result.attributes, [&] { return parser.emitError(op.operandsLoc); })
          .failed())
    return failure();
  result.addTypes(op.resultTypes);
  return parser.resolveOperands(op.operands, op.operandTypes, op.operandsLoc, result.operands);
}

template <class TiledType> static LogicalResult verifyMakeTiled(Operation *op) {
  Type expected = cast<TiledType>(op->getResult(0).getType()).getAtom();
  if (op->getOperand(0).getType() != expected)
    return refuse(op, Diag::TiledAtom, expected, op->getOperand(0).getType());
  return success();
}

ParseResult MakeTiledCopyOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseStated(parser, result, tiledForm);
}
void MakeTiledCopyOp::print(OpAsmPrinter &printer) { printAlgebraText(*this, tiledForm, printer); }
LogicalResult MakeTiledCopyOp::verify() { return verifyMakeTiled<TiledCopyType>(*this); }
ParseResult MakeTiledMmaOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseStated(parser, result, tiledForm);
}
void MakeTiledMmaOp::print(OpAsmPrinter &printer) { printAlgebraText(*this, tiledForm, printer); }
LogicalResult MakeTiledMmaOp::verify() { return verifyMakeTiled<TiledMmaType>(*this); }

//===--- tiled copies -------------------------------------------------------------------------===//

static Result<Data> sliceOf(Domain &d, const View &view, Result<layout::Sliced> sliced) {
  if (!sliced)
    return std::move(sliced).reason();
  TESSERA_TRY(Iterator iterator, d.advance(view.iterator, sliced->offset));
  return Data{Datum(View{std::move(iterator), std::move(sliced->layout)})};
}

static Result<Data> partitionCopy(Domain &d, ArrayRef<Datum> in, layout::CopySide side) {
  auto type = cast<TiledCopyType>(in[0].as<Opaque>()->type);
  const View &view = *in[1].as<View>();
  return sliceOf(d, view,
                 layout::partitionTensor(d.arith(), tiledCopyOf(type), side, view.layout,
                                         *in[2].tree(), isFar(view.iterator.type)));
}

Result<Data> TiledCopyPartitionSOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return partitionCopy(d, in, layout::CopySide::Src);
}
Result<Data> TiledCopyPartitionDOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  return partitionCopy(d, in, layout::CopySide::Dst);
}

Result<Data> TiledCopyRetileOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor) {
  auto type = cast<TiledCopyType>(in[0].as<Opaque>()->type);
  const View &view = *in[1].as<View>();
  TESSERA_TRY(layout::Layout l, layout::retile(d.arith(), tiledCopyOf(type), view.layout.outer()));
  return Data{Datum(View{view.iterator, view.layout.withOuter(std::move(l))})};
}

//===--- tiled MMAs ---------------------------------------------------------------------------===//

static Result<layout::MmaOperand> operandOf(int32_t id) {
  if (id < 0 || id > 2)
    return Reason{"OperandId", sentence(Diag::OperandId, id)};
  return layout::MmaOperand(id);
}

Result<Data> TiledMmaPartitionOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  TESSERA_TRY(layout::MmaOperand operand, operandOf(op.getOperandId()));
  auto type = cast<TiledMmaType>(in[0].as<Opaque>()->type);
  const View &view = *in[1].as<View>();
  return sliceOf(d, view,
                 layout::partitionTensor(d.arith(), tiledMmaOf(type), operand, view.layout,
                                         *in[2].tree(), isFar(view.iterator.type)));
}

Result<Data> TiledMmaPartitionShapeOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  TESSERA_TRY(layout::MmaOperand operand, operandOf(op.getOperandId()));
  auto type = cast<TiledMmaType>(in[0].as<Opaque>()->type);
  TESSERA_TRY(layout::Tree shape,
              layout::partitionShape(d.arith(), tiledMmaOf(type), operand, *in[1].tree()));
  return Data{Datum(TreeKind::Shape, std::move(shape))};
}

Result<Data> MmaMakeFragmentOp::evaluate(Domain &, ArrayRef<Datum> in, Adaptor op) {
  TESSERA_TRY(layout::MmaOperand operand, operandOf(op.getOperandId()));
  auto type = cast<TiledMmaType>(in[0].as<Opaque>()->type);
  Type partition = op.getPartition().getType();
  TESSERA_TRY(Type fragment, cast<MmaAtomType>(type.getAtom()).fragmentType(operand, partition));
  return Data{datumOf(fragment)};
}

//===--- plain partitions ---------------------------------------------------------------------===//

Result<Data> LocalPartitionOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  const View &view = *in[0].as<View>();
  const layout::Layout &threads = *in[1].anyLayout()->affine();
  const layout::Tree &thread = *in[2].tree();
  if (!thread.isLeaf() || thread.leaf().any)
    return Reason{"ThreadNumber", sentence(Diag::ThreadNumber, thread)};
  std::optional<layout::Tree> projection;
  if (op.getProj())
    projection = op.getProj()->getValue();
  return sliceOf(d, view,
                 layout::localPartitionTensor(d.arith(), view.layout, threads, thread.leaf().value,
                                              projection, isFar(view.iterator.type)));
}

Result<Data> TiledPartitionOp::evaluate(Domain &d, ArrayRef<Datum> in, Adaptor op) {
  TiledDivideOp::Adaptor division(op.getOperands().take_front(2));
  TESSERA_TRY(Data tiled, TiledDivideOp::evaluate(d, in.take_front(2), division));
  const View &view = *tiled[0].as<View>();
  std::vector<layout::Tree> at = layout::wrap(*in[2].tree()).modes();
  if (at.size() + 1 > view.layout.rank())
    return layout::fail(layout::Error::CoordRank, view.layout.rank() - 1, at.size(),
                        layout::str(*in[2].tree()));
  at.insert(at.begin(), layout::Leaf::underscore());
  while (at.size() < view.layout.rank()) // rests that the coordinate does not name are kept
    at.emplace_back(layout::Leaf::underscore());
  return sliceOf(
      d, view,
      layout::sliceTensor(d.arith(), layout::Tree(std::move(at)), view.layout,
                          isFar(view.iterator.type) &&
                              layout::reachesBeyond32Bits(in[0].as<View>()->layout.outer())));
}

//===--- tile_partition -----------------------------------------------------------------------===//

ParseResult TilePartitionOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseStated(parser, result, assembly());
}
void TilePartitionOp::print(OpAsmPrinter &printer) { printAlgebraText(*this, assembly(), printer); }

Result<Data> TilePartitionOp::evaluateWith(Domain &d, ArrayRef<Datum> in) {
  const layout::Layout &parent = *in[1].anyLayout()->affine();
  TESSERA_TRY(layout::Tree offset, layout::elementIndex(d.arith(), *in[2].tree(), parent,
                                                        isFar(in[0].as<Iterator>()->type)));
  TESSERA_TRY(Iterator start, d.advance(*in[0].as<Iterator>(), offset));
  layout::Tree extents = cast<LayoutType>(getWindow().getType()).getValue().shape;
  return Data{Datum(std::move(start)), Datum(layout::Layout{std::move(extents), parent.stride})};
}

/// Whether `window` has static extents that divide those of `shape`, in the same profile.
static bool isWindowOf(const layout::Tree &window, const layout::Tree &shape) {
  if (window.isLeaf() != shape.isLeaf() || window.rank() != shape.rank())
    return false;
  if (window.isLeaf()) {
    const layout::Int &part = window.leaf().value;
    return part.isStatic() && divides(part, shape.leaf().value);
  }
  return llvm::all_of_zip(window.modes(), shape.modes(), isWindowOf);
}

LogicalResult TilePartitionOp::verify() {
  const layout::Tree &shape = cast<LayoutType>(getLayout().getType()).getValue().shape;
  Type window = getWindow().getType();
  if (!isWindowOf(cast<LayoutType>(window).getValue().shape, shape))
    return refuse(*this, Diag::WindowShape, shape, window);
  if (const layout::Tree &coord = cast<CoordType>(getCoord().getType()).getValue();
      coord.hasUnderscore())
    return refuse(*this, Diag::CoordKept, coord);
  TypeDomain domain;
  Data in;
  for (Value operand : getOperands())
    in.push_back(datumOf(operand));
  Result<Data> out = evaluateWith(domain, in);
  if (!out)
    return emitOpError() << out.reason().text;
  for (auto [datum, result] : llvm::zip(*out, getResults()))
    if (Type type = typeOf(getContext(), datum); type != result.getType())
      return refuse(*this, Diag::WindowResult, type, result.getType());
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute/ops/Partition.cpp.inc"
