// Rows: how each op of cuda_tile is compiled, one row per op, in the same files as in tile_eval/.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Kernel.h"

namespace tessera::tile_lower {

/// The code for one element of an elementwise op, given the elements of its operands; null after an
/// error.
using ElementCode = Value (*)(Code &, Operation *, ArrayRef<Value> operands);

/// A row of a table; exactly one of the two functions is set.
struct Row {
  llvm::StringLiteral op; // without the dialect
  ElementCode element = nullptr;
  LogicalResult (*whole)(Kernel &, Operation *) = nullptr;
};

/// Compiles an op, by its row.
LogicalResult lowerOp(Kernel &, Operation *);
/// The row of an op, or null.
const Row *rowOf(Operation *);

/// The value of a constant whose elements are all equal, in register form.
Value splatOf(Code &, cuda_tile::ConstantOp);
/// An element with these bits, in register form.
Value constantOf(Code &, Type element, llvm::APInt code);

/// The tables, one per file.
ArrayRef<Row> arithmeticRows();  // Floats.cpp
ArrayRef<Row> integerRows();     // Integers.cpp
ArrayRef<Row> conversionRows();  // Conversions.cpp
ArrayRef<Row> shapeRows();       // Shapes.cpp
ArrayRef<Row> productRows();     // Products.cpp
ArrayRef<Row> reductionRows();   // Reductions.cpp
ArrayRef<Row> memoryRows();      // Pointers.cpp
ArrayRef<Row> viewRows();        // Views.cpp
ArrayRef<Row> controlFlowRows(); // ControlFlow.cpp
ArrayRef<Row> otherRows();       // Others.cpp

} // namespace tessera::tile_lower
