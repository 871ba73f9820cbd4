// The folder: an op gives way to its value, where that is known or already there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Fold.h"

#include "tessera/cute/Trace.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::Int;

static bool statesItsValue(Type type) {
  auto maybe = dyn_cast<MaybeStaticType>(type);
  return maybe && maybe.isStatic();
}

OpFoldResult tessera::cute::folded(const Trace &trace, const Datum &datum, OpResult result) {
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
      getType().isInteger(32) || space == AddressSpace::Generic || space == AddressSpace::Gmem;
  return back && whole && back.getAddress().getType() == getType() ? Value(back.getAddress())
                                                                   : Value();
}

OpFoldResult AssumeOp::fold(FoldAdaptor) {
  return getValue().getType() == getType() ? Value(getValue()) : Value();
}
