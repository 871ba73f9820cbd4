// Rows: `vector` ops that LLVM 22 removed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tessera::import {

/// The position operand, as the index that vector.extract and vector.insert take, and the static
/// position that says "see the operand". A position is never negative, so signedness does not
/// matter.
static Value position(ForeignOp &op, unsigned operand) {
  return op.value("arith.index_cast", IndexType::get(op.context()), op.operand(operand));
}
static NamedAttribute dynamicPosition(ForeignOp &op) {
  return op.build().getNamedAttr("static_position",
                                 op.build().getDenseI64ArrayAttr(ShapedType::kDynamic));
}

static LogicalResult extractElement(ForeignOp &op) {
  return op.replace(op.value("vector.extract", op.resultType(), {op.operand(0), position(op, 1)},
                             dynamicPosition(op)));
}
static LogicalResult insertElement(ForeignOp &op) {
  return op.replace(op.value("vector.insert", op.resultType(),
                             {op.operand(0), op.operand(1), position(op, 2)}, dynamicPosition(op)));
}

using enum Slot;
using enum Witness;

// CuTe DSL's conversions of two bf16 use extractelement; vendor_expand.mlir of the corpus shows it.
static constexpr Row table[] = {
    {.name = "vector.splat",
     .form = "$ attr-dict : results",
     .operands = {Element},
     .result = Any,
     .becomes = "vector.broadcast"},
    {.name = "vector.extractelement",
     .form = "$ '[' $ : type(1) ']' attr-dict : type(0)",
     .operands = {Any, I32},
     .result = Element,
     .rewrite = extractElement,
     .witness = Family},
    {.name = "vector.insertelement",
     .form = "$ , $ '[' $ : type(2) ']' attr-dict : results",
     .operands = {Element, Slot::Vector, I32},
     .result = Any,
     .rewrite = insertElement,
     .witness = Family},
};

llvm::ArrayRef<Row> vectorRows() { return table; }

} // namespace tessera::import
