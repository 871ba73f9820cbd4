// Ops that make, move and rearrange elements: constants, iota, reshape, broadcast, permute, cat,
// extract, insert.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

Value splatOf(Code &c, ConstantOp op) {
  auto values = cast<DenseElementsAttr>(op.getValue());
  Type element = elementOf(op.getType());
  return constantOf(c, element,
                    isa<FloatType>(element) ? values.getSplatValue<APFloat>().bitcastToAPInt()
                                            : values.getSplatValue<APInt>());
}
Value constantOf(Code &c, Type element, APInt code) {
  Type held = heldType(element);
  unsigned bits = Code::bitsOf(held);
  code = code.zext(std::max(bits, code.getBitWidth())).trunc(bits);
  if (isa<FloatTF32Type>(element))
    code <<= 13;
  return c.bitcast(c.integer(c.intOf(bits), code.getZExtValue()), held);
}

namespace {

//===--- New tiles

LogicalResult constant(Kernel &k, Operation *op) {
  Value result = op->getResult(0);
  Type element = elementOf(result.getType());
  int64_t count = countOf(result.getType());
  auto values = cast<DenseElementsAttr>(cast<ConstantOp>(op).getValue());
  if (values.isSplat()) {
    k.define(result, k.splat(element, count, splatOf(k, cast<ConstantOp>(op))));
    return success();
  }
  // An array in global memory, of which each thread reads its elements.
  std::string name = "tile.constant";
  for (int i = 0; k.module.lookupSymbol(name); ++i)
    name = ("tile.constant_" + Twine(i)).str();
  LLVM::GlobalOp array = k.constantArray(name, element, values);
  ThreadTile out = k.newTile(element, count);
  Value base = k.make<LLVM::AddressOfOp>(array);
  k.forSlots(count, [&](const Slot &slot) {
    Value address =
        k.make<LLVM::GEPOp>(base.getType(), memoryType(element), base, ValueRange(slot.element));
    k.set(out, slot, k.loadAt(element, address));
  });
  k.define(result, std::move(out));
  return success();
}
LogicalResult iota(Kernel &k, Operation *op) {
  Value result = op->getResult(0);
  ThreadTile out = k.newTile(result.getType());
  k.forSlots(out.count, [&](const Slot &slot) {
    k.set(out, slot, k.resize(slot.element, out.element, false));
  });
  k.define(result, std::move(out));
  return success();
}

//===--- The same elements in another order

LogicalResult reshape(Kernel &k, Operation *op) {
  k.alias(op->getResult(0), op->getOperand(0));
  return success();
}
LogicalResult broadcast(Kernel &k, Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  ThreadTile source = k.tile(op->getOperand(0));
  // An extent of 1 has no part in the place of an element.
  k.define(op->getResult(0), k.movedTo(source, countOf(to), [&](const Slot &slot) {
    return k.elementAt(k.coordinatesOf(slot.element, to), from);
  }));
  return success();
}
LogicalResult permute(Kernel &k, Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  ArrayRef<int32_t> permutation = cast<PermuteOp>(op).getPermutation();
  ThreadTile source = k.tile(op->getOperand(0));
  k.define(op->getResult(0), k.movedTo(source, countOf(to), [&](const Slot &slot) {
    SmallVector<Value> at = k.coordinatesOf(slot.element, to), there(at.size());
    for (size_t d = 0; d < at.size(); ++d)
      there[size_t(permutation[d])] = at[d];
    return k.elementAt(there, from);
  }));
  return success();
}

//===--- Parts of tiles

LogicalResult cat(Kernel &k, Operation *op) {
  auto dim = size_t(cast<CatOp>(op).getDim());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  ThreadTile out = k.newTile(op->getResult(0).getType());
  int64_t first = 0;
  SmallVector<ThreadTile> halves;
  for (Value operand : op->getOperands()) {
    ArrayRef<int64_t> shape = shapeOf(operand.getType());
    ThreadTile source = k.tile(operand);
    // Elements of the other half are read from somewhere, and not used.
    halves.push_back(k.movedTo(source, out.count, [&](const Slot &slot) {
      SmallVector<Value> at = k.coordinatesOf(slot.element, to);
      at[dim] = k.andi(k.sub(at[dim], first), shape[dim] - 1);
      return k.elementAt(at, shape);
    }));
    first += shape[dim];
  }
  int64_t middle = shapeOf(op->getOperand(0).getType())[dim];
  k.forSlots(out.count, [&](const Slot &slot) {
    Value isFirst = k.below(k.coordinatesOf(slot.element, to)[dim], middle);
    k.set(out, slot, k.select(isFirst, k.get(halves[0], slot), k.get(halves[1], slot)));
  });
  k.define(op->getResult(0), std::move(out));
  return success();
}

/// Where a slice of a tile begins, from the numbers of slices. A number out of range is undefined;
/// it is taken modulo the number of slices, so that nothing is read elsewhere.
SmallVector<Value> firstOf(Kernel &k, ValueRange indices, ArrayRef<int64_t> slice,
                           ArrayRef<int64_t> whole) {
  SmallVector<Value> out;
  for (auto [d, index] : llvm::enumerate(indices))
    out.push_back(k.mul(k.andi(k.scalar(index), whole[d] / slice[d] - 1), slice[d]));
  return out;
}
LogicalResult extract(Kernel &k, Operation *op) {
  auto extract = cast<ExtractOp>(op);
  ArrayRef<int64_t> whole = shapeOf(extract.getSource().getType());
  ArrayRef<int64_t> slice = shapeOf(extract.getResult().getType());
  SmallVector<Value> first = firstOf(k, extract.getIndices(), slice, whole);
  ThreadTile source = k.tile(extract.getSource());
  k.define(extract.getResult(), k.movedTo(source, countOf(slice), [&](const Slot &slot) {
    SmallVector<Value> at = k.coordinatesOf(slot.element, slice);
    for (size_t d = 0; d < at.size(); ++d)
      at[d] = k.add(at[d], first[d]);
    return k.elementAt(at, whole);
  }));
  return success();
}
LogicalResult insert(Kernel &k, Operation *op) {
  auto insert = cast<InsertOp>(op);
  ArrayRef<int64_t> whole = shapeOf(insert.getResult().getType());
  ArrayRef<int64_t> slice = shapeOf(insert.getSource().getType());
  SmallVector<Value> first = firstOf(k, insert.getIndices(), slice, whole);
  ThreadTile source = k.tile(insert.getSource()), before = k.tile(insert.getDestination());
  int64_t count = countOf(whole);
  ThreadTile there = k.movedTo(source, count, [&](const Slot &slot) {
    SmallVector<Value> at = k.coordinatesOf(slot.element, whole);
    for (size_t d = 0; d < at.size(); ++d)
      at[d] = k.andi(at[d], slice[d] - 1);
    return k.elementAt(at, slice);
  });
  ThreadTile out = k.newTile(before.element, count);
  k.forSlots(count, [&](const Slot &slot) {
    SmallVector<Value> at = k.coordinatesOf(slot.element, whole);
    Value isThere = k.integer(k.i1, 1);
    for (size_t d = 0; d < at.size(); ++d)
      isThere = k.andi(isThere, k.below(k.sub(at[d], first[d]), slice[d]));
    k.set(out, slot, k.select(isThere, k.get(there, slot), k.get(before, slot)));
  });
  k.define(insert.getResult(), std::move(out));
  return success();
}

constexpr Row rows[] = {
    {"constant", nullptr, constant},   {"iota", nullptr, iota},       {"reshape", nullptr, reshape},
    {"broadcast", nullptr, broadcast}, {"permute", nullptr, permute}, {"cat", nullptr, cat},
    {"extract", nullptr, extract},     {"insert", nullptr, insert},
};

} // namespace

ArrayRef<Row> shapeRows() { return rows; }

} // namespace tessera::tile_lower
