// Matrix products: mmaf, mmai, mmaf_scaled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both matrices lie in shared memory, in as many steps along K as they need, as numbers of the type
// that is summed in: f32, f64 for f64, i32 for integers. Each thread sums up its elements of the
// result with fused products in the order of K. As in tile_eval the accumulator is added at the
// end; for f64 the sum begins with it.
#include "tessera/tile_lower/Rows.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// An operand of a product: its elements as numbers that are summed in.
using Number = llvm::function_ref<Value(const Slot &)>;

/// acc plus the product, or nothing after an error.
LogicalResult multiply(Kernel &k, Operation *op, Type sumType, Number lhs, Number rhs) {
  Extents e = extentsOf(op->getOperand(0).getType(), op->getOperand(1).getType());
  Value result = op->getResult(0);
  const ThreadTile acc = k.tile(op->getOperand(2));
  int64_t count = acc.count, bytes = memoryBytes(sumType);
  int64_t steps = e.k; // along K at a time
  auto needed = [&] { return e.batch * (e.m + e.n) * steps * bytes; };
  while (needed() > k.scratch && steps > 1)
    steps /= 2;
  if (needed() > k.scratch)
    return refuse(op, Diag::ProductExtents, e.batch * e.m, e.batch * e.n, k.scratch);

  int64_t lhsBytes = e.batch * e.m * steps * bytes, rhsBytes = e.batch * e.n * steps * bytes;
  auto lhsAt = [&](Value index) { return k.shared(sumType, index, lhsBytes); };
  auto rhsAt = [&](Value index) { return k.shared(sumType, index, rhsBytes, lhsBytes); };
  // Writes the elements of a matrix that are in this part of K; `place` says where.
  auto write = [&](ArrayRef<int64_t> shape, size_t dim, Value first, Number number,
                   llvm::function_ref<Value(SmallVector<Value>)> place) {
    int64_t elements = countOf(shape);
    k.when(k.isOwner(elements), [&] {
      k.forSlots(elements, [&](const Slot &slot) {
        SmallVector<Value> at = k.coordinatesOf(slot.element, shape);
        at[dim] = k.sub(at[dim], first);
        k.when(steps == e.k ? Value() : k.below(at[dim], steps),
               [&] { k.make<LLVM::StoreOp>(number(slot), place(at)); });
      });
    });
  };

  ThreadTile sum = k.newTile(sumType, count);
  bool startsWithAcc = sumType.isF64(), isInteger = sumType.isInteger();
  k.forSlots(count, [&](const Slot &slot) {
    k.set(sum, slot,
          startsWithAcc ? k.get(acc, slot)
          : isInteger   ? k.int32(0)
                        : k.real(sumType, 0));
  });
  auto pass = [&](Value first) {
    k.barrier();
    write({e.batch, e.m, e.k}, 2, first, lhs,
          [&](SmallVector<Value> at) { return lhsAt(k.elementAt(at, {e.batch, e.m, steps})); });
    write({e.batch, e.k, e.n}, 1, first, rhs,
          [&](SmallVector<Value> at) { return rhsAt(k.elementAt(at, {e.batch, steps, e.n})); });
    k.barrier();
    k.forSlots(count, [&](const Slot &slot) {
      SmallVector<Value> at = k.coordinatesOf(slot.element, {e.batch, e.m, e.n});
      Value row = k.elementAt({at[0], at[1], k.int32(0)}, {e.batch, e.m, steps});
      Value column = k.elementAt({at[0], k.int32(0), at[2]}, {e.batch, steps, e.n});
      Block *head = k.newBlock({k.i32, sumType}), *inside = k.newBlock(), *after = k.newBlock();
      k.branch(head, {k.int32(0), k.get(sum, slot)});
      k.goTo(head);
      Value i = head->getArgument(0), before = head->getArgument(1);
      k.branchIf(k.below(i, steps), inside, after);
      k.goTo(inside);
      Value x = k.make<LLVM::LoadOp>(sumType, lhsAt(k.add(row, i)));
      Value y = k.make<LLVM::LoadOp>(sumType, rhsAt(k.add(column, k.mul(i, e.n))));
      Value next =
          isInteger ? k.add(before, k.mul(x, y)) : Value(k.make<math::FmaOp>(x, y, before));
      k.branch(head, {k.add(i, 1), next});
      k.goTo(after);
      k.set(sum, slot, before);
    });
  };
  if (k.isInRegisters(count))
    for (int64_t first = 0; first < e.k; first += steps)
      pass(k.int32(first));
  else
    k.repeat(e.k / steps, [&](Value i) { pass(k.mul(i, steps)); });

  if (startsWithAcc) {
    k.define(result, std::move(sum));
    return success();
  }
  ThreadTile out = k.newTile(result.getType());
  k.forSlots(count, [&](const Slot &slot) {
    Value total = k.get(sum, slot), before = k.get(acc, slot);
    if (isInteger)
      total = k.add(total, before);
    else
      total = narrowed(k,
                       k.ptx("add.rn.f32 $0, $1, $2;", "=f,f,f", k.f32,
                             {total, widened(k, acc.element, before)}),
                       acc.element);
    k.set(out, slot, total);
  });
  k.define(result, std::move(out));
  return success();
}

LogicalResult floats(Kernel &k, Operation *op) {
  const ThreadTile lhs = k.tile(op->getOperand(0)), rhs = k.tile(op->getOperand(1));
  auto number = [&](const ThreadTile &tile) {
    return [&](const Slot &slot) { return widened(k, tile.element, k.get(tile, slot)); };
  };
  return multiply(k, op, lhs.element.isF64() ? k.f64 : k.f32, number(lhs), number(rhs));
}
LogicalResult integers(Kernel &k, Operation *op) {
  auto mma = cast<MmaIOp>(op);
  const ThreadTile lhs = k.tile(mma.getLhs()), rhs = k.tile(mma.getRhs());
  auto number = [&](const ThreadTile &tile, Signedness sign) {
    return [&k, &tile, sign](const Slot &slot) {
      return k.resize(k.get(tile, slot), k.i32, sign == Signedness::Signed);
    };
  };
  return multiply(k, op, k.i32, number(lhs, mma.getSignednessLhs()),
                  number(rhs, mma.getSignednessRhs()));
}

/// Elements times the scales of their blocks, which are found by coordinates: dimension `dim` of
/// the last two is K.
LogicalResult scaled(Kernel &k, Operation *op) {
  auto mma = cast<MmaFScaledOp>(op);
  auto scalesOf = [&](Value operand, Value scale) {
    ArrayRef<int64_t> shape = shapeOf(operand.getType()), scales = shapeOf(scale.getType());
    const ThreadTile tile = k.tile(scale);
    return k.movedTo(tile, countOf(shape), [&](const Slot &slot) {
      SmallVector<Value> at = k.coordinatesOf(slot.element, shape);
      for (size_t d = 0; d < at.size(); ++d)
        at[d] = k.udiv(at[d], shape[d] / scales[d]);
      return k.elementAt(at, scales);
    });
  };
  const ThreadTile lhs = k.tile(mma.getLhs()), rhs = k.tile(mma.getRhs());
  const ThreadTile lhsScale = scalesOf(mma.getLhs(), mma.getLhsScale());
  const ThreadTile rhsScale = scalesOf(mma.getRhs(), mma.getRhsScale());
  auto number = [&](const ThreadTile &tile, const ThreadTile &scale) {
    return [&](const Slot &slot) -> Value {
      return k.make<arith::MulFOp>(widened(k, tile.element, k.get(tile, slot)),
                                   widened(k, scale.element, k.get(scale, slot)));
    };
  };
  return multiply(k, op, k.f32, number(lhs, lhsScale), number(rhs, rhsScale));
}

constexpr Row rows[] = {
    {"mmaf", nullptr, floats},
    {"mmai", nullptr, integers},
    {"mmaf_scaled", nullptr, scaled},
};

} // namespace

ArrayRef<Row> productRows() { return rows; }

} // namespace tessera::tile_lower
