// Rows: `cute` ops that CuTe DSL writes under another name than this project.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

using enum Slot;

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
};

llvm::ArrayRef<Row> cuteRows() { return table; }

} // namespace tessera::import
