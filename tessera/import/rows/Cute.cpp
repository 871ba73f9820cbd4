// Rows: `cute` ops that CuTe DSL writes under another name than this project.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

using namespace mlir;
using enum Slot;

/// 4.3.3 has the iterator of a coordinate tensor as an int_tuple (spellings/Dsl43.cpp).
static LogicalResult getIter(ForeignOp &op) {
  auto tuple = dyn_cast<cute::IntTupleType>(op.resultType());
  if (!tuple)
    return op.becomes(op.name());
  Value iterator =
      op.value("cute.get_iter", cute::ArithTupleIterType::get(op.context(), tuple.getValue()),
               op.operand(0));
  return op.replace(op.value("cute.deref_arith_tuple_iter", tuple, iterator));
}

static constexpr Row table[] = {
    {.name = "cute.tuple.product",
     .form = ownForm,
     .operands = {Any},
     .result = Any,
     .becomes = "cute.tuple_product"},
    {.name = "cute.tuple.product_each",
     .form = ownForm,
     .operands = {Any},
     .result = Any,
     .becomes = "cute.tuple_product_each"},
    {.name = "cute.get_iter",
     .form = ownForm,
     .operands = {Any},
     .result = Any,
     .rewrite = getIter},
};

llvm::ArrayRef<Row> cuteRows() { return table; }

} // namespace tessera::import
