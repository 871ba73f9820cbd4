// Finds the row of an op, and applies what is said of one element to whole tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Rows.h"

using namespace mlir;

namespace tessera::tile_lower {

const Row *rowOf(Operation *op) {
  static const llvm::StringMap<const Row *> rows = [] {
    llvm::StringMap<const Row *> all;
    for (ArrayRef<Row> table :
         {arithmeticRows(), integerRows(), conversionRows(), shapeRows(), productRows(),
          reductionRows(), memoryRows(), viewRows(), controlFlowRows(), otherRows()})
      for (const Row &row : table)
        all[row.op] = &row;
    return all;
  }();
  return rows.lookup(op->getName().stripDialect());
}

static LogicalResult lowerElements(Kernel &k, Operation *op, ElementCode element) {
  int64_t count = countOf(op->getResult(0).getType());
  Tile out = k.newTile(op->getResult(0).getType());
  bool isGood = true;
  k.forSlots(count, [&](const Slot &slot) {
    if (!isGood)
      return;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(k.get(k.tile(operand), slot));
    Value value = element(k, op, operands);
    isGood = bool(value);
    if (isGood)
      k.set(out, slot, value);
  });
  k.define(op->getResult(0), std::move(out));
  return success(isGood);
}

LogicalResult lowerOp(Kernel &k, Operation *op) {
  const Row *row = rowOf(op);
  if (!row)
    return refuse(op, Diag::NotLowered);
  return row->element ? lowerElements(k, op, row->element) : row->whole(k, op);
}

} // namespace tessera::tile_lower
