// The `cute` dialect, whole: include this to work with its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Assembly.h"
#include "tessera/cute/Evaluate.h"
#include "tessera/cute/Fold.h"
#include "tessera/cute/Types.h"
#include "tessera/layout/Errors.h"
#include "tessera/layout/Text.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tessera/cute/OpInterfaces.h.inc"

namespace tessera::cute {

/// Ops that take shapes as plain numbers, which may be 0 or negative: tuple arithmetic, access and
/// the like. All other ops use shapes as the extents of coordinates.
template <class ConcreteOp>
class AnyShape : public mlir::OpTrait::TraitBase<ConcreteOp, AnyShape> {};

/// Result types of an algebra op: `evaluate` on the data that the operand types carry.
template <class ConcreteOp>
class InferByEvaluate : public mlir::OpTrait::TraitBase<ConcreteOp, InferByEvaluate> {
public:
  static mlir::LogicalResult
  inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                   mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                   mlir::OpaqueProperties properties, mlir::RegionRange regions,
                   llvm::SmallVectorImpl<mlir::Type> &inferred) {
    TypeDomain domain;
    Data in;
    for (mlir::Value operand : operands)
      in.push_back(datumOf(operand));
    if (std::optional<Reason> reason = unusable(in, ConcreteOp::template hasTrait<AnyShape>()))
      return mlir::emitOptionalError(location, reason->text);
    Result<Data> out = ConcreteOp::evaluate(
        domain, in, typename ConcreteOp::Adaptor(operands, attributes, properties, regions));
    if (!out)
      return mlir::emitOptionalError(location, out.reason().text);
    if (domain.arith().overflowed())
      return mlir::emitOptionalError(location, layout::fail(layout::Error::ResultTooLarge).text);
    for (const Datum &datum : *out)
      inferred.push_back(typeOf(context, datum));
    return mlir::success();
  }
};

} // namespace tessera::cute

#define GET_OP_CLASSES
#include "tessera/cute/ops/Access.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Algebra.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Atom.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Construct.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Debug.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Descriptor.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Divide.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Index.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Memory.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Partition.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Product.h.inc"
#define GET_OP_CLASSES
#include "tessera/cute/ops/Tuple.h.inc"
