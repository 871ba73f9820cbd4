// Building algebra ops: result types are inferred, and a refusal is an error at the op's place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Cute.h"

#include "mlir/IR/Builders.h"

namespace tessera::cute {

/// `%r... = Op(operands) <{inherent}>`. Fails with a diagnostic at `loc` if `evaluate` of the op
/// refuses.
template <class Op>
mlir::FailureOr<Op> build(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange operands,
                          mlir::NamedAttrList inherent = {}) {
  mlir::OperationState state(loc, Op::getOperationName());
  state.addOperands(operands);
  mlir::OpaqueProperties properties = nullptr;
  if constexpr (!std::is_same_v<typename Op::Properties, mlir::EmptyProperties>) {
    auto &storage = state.getOrAddProperties<typename Op::Properties>();
    auto emitError = [&] { return mlir::emitError(loc); };
    if (mlir::failed(Op::setPropertiesFromAttr(
            storage, inherent.getDictionary(builder.getContext()), emitError)))
      return mlir::failure();
    properties = &storage;
  }
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(Op::inferReturnTypes(builder.getContext(), loc, state.operands, {}, properties,
                                        {}, types)))
    return mlir::failure();
  state.addTypes(types);
  return mlir::cast<Op>(builder.create(state));
}

} // namespace tessera::cute
