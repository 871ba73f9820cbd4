// Vector ops that neither the vector step nor LLVM's conversion takes, in terms of those that one
// of them does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most patterns are MLIR's own. Nothing is looked at but the ops of the list: a function that has
// none of them stays as it is.
#include "tessera/lower/Printing.h"
#include "tessera/lower/expand/Steps.h"

#include "tessera/cute/Cute.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tessera;

namespace tessera::lower {

namespace {

/// Ops of which MLIR makes others.
constexpr StringLiteral rewritten[] = {"vector.broadcast",
                                       "vector.bitcast",
                                       "vector.constant_mask",
                                       "vector.contract",
                                       "vector.create_mask",
                                       "vector.deinterleave",
                                       "vector.fma",
                                       "vector.from_elements",
                                       "vector.interleave",
                                       "vector.mask",
                                       "vector.multi_reduction",
                                       "vector.outerproduct",
                                       "vector.scan",
                                       "vector.shape_cast",
                                       "vector.shuffle",
                                       "vector.step",
                                       "vector.to_elements",
                                       "vector.transpose",
                                       "vector.extract_strided_slice",
                                       "vector.insert_strided_slice"};

/// Ops on `memref`s, which no kernel has: tensors are `!cute.memref`.
bool isOnMemory(Operation *op) {
  return isa<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp,
             vector::GatherOp, vector::ScatterOp, vector::ExpandLoadOp, vector::CompressStoreOp,
             vector::TransferReadOp, vector::TransferWriteOp, vector::TypeCastOp>(op);
}
bool isScalable(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.isScalable();
}

/// Whether the vector step, or LLVM's conversion, takes an op as it is.
bool isTaken(Operation *op) {
  auto isFlat = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return !vector || vector.getRank() == 1;
  };
  if (isa<vector::BitCastOp, vector::FMAOp, vector::FromElementsOp, vector::ShuffleOp,
          vector::ToElementsOp>(op) ||
      (isa<vector::BroadcastOp>(op) && !isa<VectorType>(op->getOperand(0).getType())))
    return llvm::all_of(op->getOperandTypes(), isFlat) &&
           llvm::all_of(op->getResultTypes(), isFlat);
  return false;
}

/// The element that changes nothing in a reduction.
TypedAttr neutralOf(OpBuilder &b, Location loc, vector::CombiningKind kind, Type type) {
  using Kind = vector::CombiningKind;
  using Rmw = arith::AtomicRMWKind;
  const bool isFloat = isa<FloatType>(type);
  auto as = [&](Rmw same) { return arith::getIdentityValueAttr(same, type, b, loc); };
  switch (kind) {
  case Kind::ADD: return as(isFloat ? Rmw::addf : Rmw::addi);
  case Kind::MUL: return as(isFloat ? Rmw::mulf : Rmw::muli);
  case Kind::MINUI: return as(Rmw::minu);
  case Kind::MINSI: return as(Rmw::mins);
  case Kind::MINNUMF: return as(Rmw::minnumf);
  case Kind::MAXUI: return as(Rmw::maxu);
  case Kind::MAXSI: return as(Rmw::maxs);
  case Kind::MAXNUMF: return as(Rmw::maxnumf);
  case Kind::AND: return as(Rmw::andi);
  case Kind::OR: return as(Rmw::ori);
  case Kind::XOR: return as(Rmw::xori);
  case Kind::MINIMUMF: return as(Rmw::minimumf);
  case Kind::MAXIMUMF: return as(Rmw::maximumf);
  }
  return {};
}

/// A masked reduction takes the neutral element where the mask is not set.
struct MaskedReduction final : OpRewritePattern<vector::MaskOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::MaskOp op, PatternRewriter &b) const override {
    auto reduction = dyn_cast_or_null<vector::ReductionOp>(op.getMaskableOp());
    if (!reduction)
      return failure();
    Location loc = op.getLoc();
    VectorType type = reduction.getSourceVectorType();
    TypedAttr neutral = neutralOf(b, loc, reduction.getKind(), type.getElementType());
    if (!neutral)
      return failure();
    Value others =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, cast<Attribute>(neutral)));
    Value kept = arith::SelectOp::create(b, loc, op.getMask(), reduction.getVector(), others);
    Value result = vector::ReductionOp::create(b, loc, reduction.getType(), reduction.getKind(),
                                               kept, reduction.getAcc(), reduction.getFastmath());
    b.replaceOp(op, result);
    return success();
  }
};

FrozenRewritePatternSet vectorPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorContractLoweringPatterns(patterns, vector::VectorContractLowering::Dot);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorInterleaveToShufflePatterns(patterns);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorScanLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorShuffleLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns,
                                                  vector::VectorTransposeLowering::EltWise);
  patterns.add<MaskedReduction>(context);
  return std::move(patterns);
}

/// `( ( 1, 2 ), ( 3, 4 ) )`, as the op is defined, by printf.
struct VectorPrinter {
  OpBuilder &b;
  Location loc;
  std::string format = {};
  SmallVector<Value> values = {};

  bool add(Value v) {
    auto vector = dyn_cast<VectorType>(v.getType());
    if (!vector) {
      std::optional<Conversion> printed = conversionOf(b, loc, v, /*isSigned=*/true);
      if (!printed)
        return false;
      format += printed->text;
      values.push_back(printed->value);
      return true;
    }
    format += "( ";
    for (int64_t i = 0; i < vector.getDimSize(0); ++i) {
      format += i ? ", " : "";
      if (!add(vector::ExtractOp::create(b, loc, v, i)))
        return false;
    }
    format += " )";
    return true;
  }
};

LogicalResult rewritePrint(vector::PrintOp op) {
  OpBuilder b(op);
  VectorPrinter printer{b, op.getLoc()};
  std::optional<StringAttr> text = op.getStringLiteral();
  for (char c : text ? text->getValue() : StringRef()) // a percent sign is not a conversion
    printer.format += c == '%' ? std::string("%%") : std::string(1, c);
  Value source = op.getSource();
  if (source && source.getType().isIndex())
    source = arith::IndexCastOp::create(b, op.getLoc(), b.getI64Type(), source);
  auto vector = source ? dyn_cast<VectorType>(source.getType()) : VectorType();
  if (vector && vector.getRank() > 0 && vector.getElementType().isIndex())
    source = arith::IndexCastOp::create(b, op.getLoc(), vector.clone(b.getI64Type()), source);
  if (source && !printer.add(source))
    return op.emitOpError() << "expects integers of up to 64 bits or floats, but got "
                            << source.getType();
  // A text stands alone.
  switch (text ? vector::PrintPunctuation::NoPunctuation : op.getPunctuation()) {
  case vector::PrintPunctuation::NoPunctuation: break;
  case vector::PrintPunctuation::NewLine: printer.format += "\n"; break;
  case vector::PrintPunctuation::Comma: printer.format += ", "; break;
  case vector::PrintPunctuation::Open: printer.format += "( "; break;
  case vector::PrintPunctuation::Close: printer.format += " )"; break;
  }
  cute::PrintfOp::create(b, op.getLoc(), printer.values, printer.format);
  op.erase();
  return success();
}

} // namespace

Changed lowerVectorOps(FunctionOpInterface function) {
  SmallVector<Operation *> ops;
  SmallVector<vector::PrintOp> prints;
  WalkResult checked = function->walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (isScalable(type))
          return op->emitOpError() << "expects vectors of a fixed length, but got " << type,
                 WalkResult::interrupt();
    if (isOnMemory(op))
      return op->emitOpError("is not lowered: kernels have no memref; load and store with "
                             "cute.memref.load_vec, cute.memref.store_vec or llvm.load"),
             WalkResult::interrupt();
    if (isa<vector::VectorScaleOp>(op))
      return op->emitOpError("is not lowered: no GPU has vectors of a length that is known at run "
                             "time only"),
             WalkResult::interrupt();
    if (auto print = dyn_cast<vector::PrintOp>(op))
      prints.push_back(print);
    else if (llvm::is_contained(rewritten, name) && !isTaken(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  if (checked.wasInterrupted())
    return failure();
  for (vector::PrintOp print : prints)
    if (failed(rewritePrint(print)))
      return failure();
  if (ops.empty())
    return !prints.empty();
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, vectorPatterns(function->getContext()), config);
  return true;
}

} // namespace tessera::lower
