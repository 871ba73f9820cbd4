// Constants and shapes of planned tiles: most of them rename registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Planned.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

const PlannedRow *plannedRowOf(Operation *op) {
  static const llvm::StringMap<const PlannedRow *> rows = [] {
    llvm::StringMap<const PlannedRow *> all;
    for (ArrayRef<PlannedRow> table :
         {plannedShapeRows(), plannedMemoryRows(), plannedReductionRows(), plannedProductRows(),
          plannedQuotientRows()})
      for (const PlannedRow &row : table)
        all[row.op] = &row;
    return all;
  }();
  return rows.lookup(op->getName().stripDialect());
}

namespace {

using Done = std::optional<LogicalResult>;

ThreadTile uniform(Type tileType, Value value) {
  return {.element = elementOf(tileType),
          .count = countOf(tileType),
          .registers = {value},
          .isUniform = true};
}

Done constant(Kernel &k, Operation *op) {
  auto constant = cast<ConstantOp>(op);
  if (!cast<DenseElementsAttr>(constant.getValue()).isSplat())
    return std::nullopt;
  k.define(op->getResult(0), uniform(constant.getType(), splatOf(k, constant)));
  return success();
}

Done iota(Kernel &k, Operation *op) {
  const BitLayout *layout = k.plan->layoutOf(op->getResult(0));
  if (!layout)
    return std::nullopt;
  ThreadTile out{.element = elementOf(op->getResult(0).getType()),
                 .count = countOf(op->getResult(0).getType()),
                 .layout = *layout};
  for (Value number : k.elementsOf(*layout))
    out.registers.push_back(k.resize(number, out.element, false));
  k.define(op->getResult(0), std::move(out));
  return success();
}

/// Elements keep their numbers.
Done same(Kernel &k, Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  if (!isa<TileType>(operand.getType()) || k.held(operand).isScalar() ||
      k.held(operand).isUniform) {
    k.alias(result, operand);
    return success();
  }
  const BitLayout *layout = k.plan->layoutOf(result);
  if (!layout)
    return std::nullopt;
  k.define(result, k.inLayout(operand, *layout));
  return success();
}

Done broadcast(Kernel &k, Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  if (k.held(operand).isScalar() || k.held(operand).isUniform) {
    k.define(result, uniform(result.getType(), k.scalar(operand)));
    return success();
  }
  const BitLayout *layout = k.plan->layoutOf(result);
  if (!layout)
    return std::nullopt;
  // The thread that holds an element of the result already holds the element that it copies.
  int64_t removed = broadcastBits(op);
  const ThreadTile source = k.inLayout(operand, without(*layout, removed));
  ThreadTile out{.element = source.element, .count = countOf(result.getType()), .layout = *layout};
  // Registers of the result are those of the source and bits that do not matter.
  SmallVector<size_t> kept;
  for (size_t i = 0; i < layout->registers.size(); ++i)
    if (!(removed >> layout->registers[i] & 1))
      kept.push_back(i);
  for (int64_t r = 0; r < layout->registerCount(); ++r) {
    size_t number = 0;
    for (auto [i, bit] : llvm::enumerate(kept))
      number |= size_t(r >> bit & 1) << i;
    out.registers.push_back(source.registers[number]);
  }
  k.define(result, std::move(out));
  return success();
}

Done permute(Kernel &k, Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  ThreadTile tile = k.held(operand);
  if (!tile.isScalar() && !tile.isUniform) {
    const BitLayout *layout = k.plan->layoutOf(result);
    if (!layout || tile.array)
      return std::nullopt;
    tile.layout = renamed(tile.layout, permutedBits(op));
    tile = k.inLayout(tile, *layout);
  }
  k.define(result, std::move(tile));
  return success();
}

constexpr PlannedRow rows[] = {
    {"constant", constant}, {"iota", iota},           {"reshape", same},
    {"assume", same},       {"broadcast", broadcast}, {"permute", permute},
};

} // namespace

ArrayRef<PlannedRow> plannedShapeRows() { return rows; }

} // namespace tessera::tile_lower
