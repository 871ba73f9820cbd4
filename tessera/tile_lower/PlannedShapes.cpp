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
          plannedQuotientRows(), plannedOnceRows()})
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

/// Bit i is the i-th bit of the result's elements in those of a larger tile, which has `more` bits
/// besides.
BitList bitsWithout(int64_t more, int count) {
  BitList out;
  for (int8_t bit = 0; int(out.size()) < count; ++bit)
    if (!(more >> bit & 1))
      out.push_back(bit);
  return out;
}

/// A part whose place is known. The bits that say which part come to registers, if they are not
/// there already, and the others stay where they are or go where the result has them.
Done extract(Kernel &k, Operation *op) {
  auto extract = cast<ExtractOp>(op);
  const BitLayout *layout = k.plan->layoutOf(op->getResult(0));
  const ThreadTile &held = k.held(extract.getSource());
  if (held.isScalar() || held.isUniform) {
    k.define(op->getResult(0), uniform(op->getResult(0).getType(), held.registers[0]));
    return success();
  }
  if (!layout || held.array)
    return std::nullopt;
  ArrayRef<int64_t> whole = shapeOf(extract.getSource().getType());
  ArrayRef<int64_t> slice = shapeOf(extract.getResult().getType());
  int64_t part = 0;
  for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
    if (whole[d] == slice[d])
      continue;
    auto constant = index.getDefiningOp<ConstantOp>();
    if (!constant)
      return std::nullopt;
    APInt number = cast<DenseElementsAttr>(constant.getValue()).getSplatValue<APInt>();
    int64_t first = int64_t(number.zextOrTrunc(64).getZExtValue()) * slice[d];
    part |= (first & (whole[d] - 1)) << firstBitOf(whole, d);
  }
  int64_t fixed = extractedBits(op);
  BitLayout from = held.layout;
  bool areInRegisters =
      llvm::none_of(from.threads, [&](int8_t bit) { return bit != noBit && (fixed >> bit & 1); });
  if (!areInRegisters) {
    from = renamed(*layout, bitsWithout(fixed, log2Of(countOf(slice))));
    for (int8_t bit = 0; bit < log2Of(countOf(whole)); ++bit)
      if (fixed >> bit & 1)
        from.registers.push_back(bit);
  }
  const ThreadTile source = k.inLayout(held, from);
  ThreadTile out{
      .element = source.element, .count = countOf(slice), .layout = without(from, fixed)};
  for (int64_t r = 0; r < from.registerCount(); ++r)
    if ((from.registerPart(r) & fixed) == part)
      out.registers.push_back(source.registers[size_t(r)]);
  k.define(op->getResult(0), k.inLayout(out, *layout));
  return success();
}

/// The registers of one operand or the other, as a register's or a thread's number says.
Done cat(Kernel &k, Operation *op) {
  const BitLayout *layout = k.plan->layoutOf(op->getResult(0));
  if (!layout)
    return std::nullopt;
  int64_t bit = joinedBit(op);
  BitLayout ofOperands = without(*layout, bit);
  ThreadTile sides[2];
  for (unsigned i : {0u, 1u}) {
    if (k.held(op->getOperand(i)).array)
      return std::nullopt;
    sides[i] = k.inLayout(op->getOperand(i), ofOperands);
  }
  auto isBit = [&](int8_t other) { return other != noBit && bit == int64_t(1) << other; };
  auto ofThread = llvm::find_if(layout->threads, isBit) - layout->threads.begin();
  bool isInThread = size_t(ofThread) < layout->threads.size();
  Value isSecond = isInThread ? k.differ(k.andi(k.thread, int64_t(1) << ofThread), 0) : Value();
  auto at = [](const ThreadTile &tile, size_t r) {
    return tile.registers[tile.isScalar() || tile.isUniform ? 0 : r];
  };
  ThreadTile out{
      .element = sides[0].element, .count = countOf(op->getResult(0).getType()), .layout = *layout};
  for (int64_t r = 0; r < layout->registerCount(); ++r) {
    int64_t low = layout->registerPart(r) & (bit - 1),
            high = layout->registerPart(r) & ~(2 * bit - 1);
    auto own = size_t(ofOperands.registerOf(low | high >> 1));
    Value value = isInThread ? k.select(isSecond, at(sides[1], own), at(sides[0], own))
                             : at(sides[(layout->registerPart(r) & bit) != 0], own);
    out.registers.push_back(value);
  }
  k.define(op->getResult(0), std::move(out));
  return success();
}

constexpr PlannedRow rows[] = {
    {"constant", constant},   {"iota", iota},       {"reshape", same},    {"assume", same},
    {"broadcast", broadcast}, {"permute", permute}, {"extract", extract}, {"cat", cat},
};

} // namespace

ArrayRef<PlannedRow> plannedShapeRows() { return rows; }

} // namespace tessera::tile_lower
