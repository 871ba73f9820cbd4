// Finds the row of an op, and applies code for one element to whole tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Planned.h"

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
  ThreadTile out = k.newTile(op->getResult(0).getType());
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

/// The bits of a register's number that do not change what a comparison says, because it says the
/// same of groups of neighbours.
static int64_t bitsWithoutEffect(Kernel &k, Value compared, const BitLayout &layout) {
  ArrayRef<int64_t> shape = cuda_tile::shapeOf(compared.getType());
  int64_t ofElement = 0;
  int first = 0; // bit of the dimension
  for (size_t dim = shape.size(); dim-- > 0; first += log2Of(shape[dim]))
    ofElement |= (std::min(k.runs.along(compared, dim).same, shape[dim]) - 1) << first;
  int64_t out = 0;
  for (auto [bit, element] : llvm::enumerate(layout.registers))
    out |= (ofElement >> element & 1) << bit;
  return out;
}

/// With a plan: registers in the layout of the result. Where all operands are the same everywhere,
/// so is the result.
static LogicalResult lowerPlanned(Kernel &k, Operation *op, ElementCode element) {
  Value result = op->getResult(0);
  bool isUniform = llvm::all_of(op->getOperands(), [&](Value operand) {
    return k.held(operand).isScalar() || k.held(operand).isUniform;
  });
  const BitLayout *layout = k.plan->layoutOf(result);
  ThreadTile out{.element = cuda_tile::elementOf(result.getType()),
                 .count = countOf(result.getType())};
  size_t registers = 1;
  SmallVector<ThreadTile> operands;
  if (isUniform) {
    out.layout = k.simpleLayout(out.count);
    out.isUniform = !out.isScalar();
  } else {
    out.layout = *layout;
    registers = size_t(layout->registerCount());
  }
  for (Value operand : op->getOperands())
    operands.push_back(isUniform ? k.held(operand) : k.inLayout(operand, out.layout));
  bool isComparison = isa<cuda_tile::CmpIOp>(op) && registers > 1;
  auto ignored = size_t(isComparison ? bitsWithoutEffect(k, result, *layout) : 0);
  for (size_t r = 0; r < registers; ++r) {
    if (r & ignored) {
      out.registers.push_back(Value(out.registers[r & ~ignored]));
      continue;
    }
    SmallVector<Value> values;
    for (const ThreadTile &tile : operands)
      values.push_back(tile.registers[tile.isScalar() || tile.isUniform ? 0 : r]);
    Value value = element(k, op, values);
    if (!value)
      return failure();
    out.registers.push_back(value);
  }
  k.define(result, std::move(out));
  return success();
}

static LogicalResult lowerRow(Kernel &k, Operation *op, const Row &row) {
  return row.element ? lowerElements(k, op, row.element) : row.whole(k, op);
}

LogicalResult lowerOp(Kernel &k, Operation *op) {
  const Row *row = rowOf(op);
  if (!row)
    return refuse(op, Diag::NotLowered);
  ArrayRef<Row> flow = controlFlowRows();
  bool isFlow = row >= flow.begin() && row < flow.end();
  if (!k.plan || isFlow)
    return lowerRow(k, op, *row);
  if (k.plan->isFollowed(op)) // made where it is read
    return success();
  if (const PlannedRow *planned = plannedRowOf(op))
    if (std::optional<LogicalResult> done = planned->code(k, op))
      return *done;
  if (row->element) {
    bool isArray = countOf(op->getResult(0).getType()) > 1 && !k.plan->layoutOf(op->getResult(0));
    if (!isArray)
      return lowerPlanned(k, op, row->element);
  }
  k.settle(op);
  if (failed(lowerRow(k, op, *row)))
    return failure();
  k.adopt(op);
  return success();
}

} // namespace tessera::tile_lower
