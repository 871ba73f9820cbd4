// Rows: how each op of cuda_tile is compiled, one row an op, in files as tile_eval/ has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Kernel.h"

namespace tessera::tile_lower {

/// The code for one element of an elementwise op, from those of its operands; null after an error.
using ElementCode = Value (*)(Code &, Operation *, ArrayRef<Value> operands);

/// A row of a table; one of the two functions is there.
struct Row {
  llvm::StringLiteral op; // without the dialect
  ElementCode element = nullptr;
  LogicalResult (*whole)(Kernel &, Operation *) = nullptr;
};

/// Compiles an op, by its row.
LogicalResult lowerOp(Kernel &, Operation *);
/// The row of an op, or null.
const Row *rowOf(Operation *);

/// The value of a constant whose elements are all the same, as it is held.
Value splatOf(Code &, cuda_tile::ConstantOp);
/// An element by its bits, as it is held.
Value constantOf(Code &, Type element, llvm::APInt code);

/// The tables, one of a file.
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
