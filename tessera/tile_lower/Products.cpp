// Matrix products: mmaf, mmai, mmaf_scaled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both matrices lie in shared memory, in as many steps along K as they need, as numbers of the type
// that is summed in: f32, f64 for f64, i32 for integers. Each thread sums up its elements of the
// result with fused products in the order of K. As in tile_eval the accumulator is added at the
// end; for f64 the sum begins with it. Blocks with scales are summed up before they are scaled.
#include "tessera/tile_lower/Rows.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// An operand of a product: its elements as numbers that are summed in.
using Number = llvm::function_ref<Value(const Slot &)>;
/// Scales of the operands: each is for a block of elements along K.
struct Scales {
  int64_t block;
  Number lhs, rhs;
};

/// A loop that carries a number through `count` iterations; what it becomes.
Value carry(Kernel &k, int64_t count, Value start,
            llvm::function_ref<Value(Value i, Value before)> body) {
  if (count == 1)
    return body(k.int32(0), start);
  Type type = start.getType();
  Block *head = k.newBlock({k.i32, type}), *inside = k.newBlock(), *after = k.newBlock();
  k.branch(head, {k.int32(0), start});
  k.goTo(head);
  Value i = head->getArgument(0), before = head->getArgument(1);
  k.branchIf(k.below(i, count), inside, after);
  k.goTo(inside);
  Value next = body(i, before);
  k.branch(head, {k.add(i, 1), next});
  k.goTo(after);
  return before;
}
/// A sum of products times its two scales. The scales alone, or an element with one of them, may be
/// outside of the range of f32 where the whole is not.
Value scaledSum(Kernel &k, Value sum, Value lhs, Value rhs) {
  auto wide = [&](Value number) -> Value { return k.make<LLVM::FPExtOp>(k.f64, number); };
  Value product = k.make<arith::MulFOp>(wide(lhs), wide(rhs));
  return k.make<LLVM::FPTruncOp>(k.f32, k.make<arith::MulFOp>(wide(sum), product));
}

/// acc plus the product, or nothing after an error.
LogicalResult multiply(Kernel &k, Operation *op, Type sumType, Number lhs, Number rhs,
                       const Scales *scales = nullptr) {
  Extents e = extentsOf(op->getOperand(0).getType(), op->getOperand(1).getType());
  Value result = op->getResult(0);
  const ThreadTile acc = k.tile(op->getOperand(2));
  int64_t count = acc.count, bytes = memoryBytes(sumType);
  int64_t steps = e.k; // along K at a time
  auto blocks = [&] { return scales ? std::max<int64_t>(1, steps / scales->block) : 0; };
  auto needed = [&] { return e.batch * (e.m + e.n) * (steps + blocks()) * bytes; };
  while (needed() > k.scratch && steps > 1)
    steps /= 2;
  if (needed() > k.scratch)
    return refuse(op, Diag::ProductExtents, e.batch * e.m, e.batch * e.n, k.scratch);

  // Where the matrices and their scales lie, one after the other.
  int64_t next = 0;
  auto part = [&](int64_t elements) {
    int64_t size = elements * bytes, offset = std::exchange(next, next + size);
    return
        [&k, sumType, size, offset](Value index) { return k.shared(sumType, index, size, offset); };
  };
  auto lhsAt = part(e.batch * e.m * steps), rhsAt = part(e.batch * steps * e.n);
  auto lhsScaleAt = part(e.batch * e.m * blocks()), rhsScaleAt = part(e.batch * blocks() * e.n);
  // Writes `some` of the numbers of a matrix along `dim`, which is K, from `first` on.
  auto write = [&](ArrayRef<int64_t> shape, size_t dim, Value first, int64_t some, Number number,
                   llvm::function_ref<Value(Value)> place) {
    int64_t elements = countOf(shape);
    SmallVector<int64_t> there(shape);
    there[dim] = some;
    k.when(k.isOwner(elements), [&] {
      k.forSlots(elements, [&](const Slot &slot) {
        SmallVector<Value> at = k.coordinatesOf(slot.element, shape);
        at[dim] = k.sub(at[dim], first);
        k.when(some == shape[dim] ? Value() : k.below(at[dim], some),
               [&] { k.make<LLVM::StoreOp>(number(slot), place(k.elementAt(at, there))); });
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
    write({e.batch, e.m, e.k}, 2, first, steps, lhs, lhsAt);
    write({e.batch, e.k, e.n}, 1, first, steps, rhs, rhsAt);
    int64_t some = blocks(), group = steps;
    if (scales) {
      Value firstBlock = k.udiv(first, scales->block);
      int64_t all = e.k / scales->block;
      write({e.batch, e.m, all}, 2, firstBlock, some, scales->lhs, lhsScaleAt);
      write({e.batch, all, e.n}, 1, firstBlock, some, scales->rhs, rhsScaleAt);
      group = steps / some;
    }
    k.barrier();
    k.forSlots(count, [&](const Slot &slot) {
      SmallVector<Value> at = k.coordinatesOf(slot.element, {e.batch, e.m, e.n});
      Value row = k.elementAt({at[0], at[1], k.int32(0)}, {e.batch, e.m, steps});
      Value column = k.elementAt({at[0], k.int32(0), at[2]}, {e.batch, steps, e.n});
      auto dot = [&](Value from, int64_t length, Value start) {
        return carry(k, length, start, [&](Value i, Value before) -> Value {
          Value step = from ? k.add(from, i) : i;
          Value x = k.make<LLVM::LoadOp>(sumType, lhsAt(k.add(row, step)));
          Value y = k.make<LLVM::LoadOp>(sumType, rhsAt(k.add(column, k.mul(step, e.n))));
          return isInteger ? k.add(before, k.mul(x, y)) : Value(k.make<math::FmaOp>(x, y, before));
        });
      };
      if (!scales)
        return k.set(sum, slot, dot(Value(), steps, k.get(sum, slot)));
      Value scaleRow = k.elementAt({at[0], at[1], k.int32(0)}, {e.batch, e.m, some});
      Value scaleColumn = k.elementAt({at[0], k.int32(0), at[2]}, {e.batch, some, e.n});
      Value total = carry(k, some, k.get(sum, slot), [&](Value block, Value before) -> Value {
        Value own = dot(k.mul(block, group), group, k.real(k.f32, 0));
        Value x = k.make<LLVM::LoadOp>(k.f32, lhsScaleAt(k.add(scaleRow, block)));
        Value y = k.make<LLVM::LoadOp>(k.f32, rhsScaleAt(k.add(scaleColumn, k.mul(block, e.n))));
        return k.make<arith::AddFOp>(before, scaledSum(k, own, x, y));
      });
      k.set(sum, slot, total);
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

LogicalResult scaled(Kernel &k, Operation *op) {
  auto mma = cast<MmaFScaledOp>(op);
  auto number = [&](Value operand) {
    return [&k, &tile = k.tile(operand)](const Slot &slot) {
      return widened(k, tile.element, k.get(tile, slot));
    };
  };
  int64_t elements = shapeOf(mma.getLhs().getType()).back(),
          blocks = shapeOf(mma.getLhsScale().getType()).back();
  auto lhsScale = number(mma.getLhsScale()), rhsScale = number(mma.getRhsScale());
  Scales scales{elements / blocks, lhsScale, rhsScale};
  return multiply(k, op, k.f32, number(mma.getLhs()), number(mma.getRhs()), &scales);
}

constexpr Row rows[] = {
    {"mmaf", nullptr, floats},
    {"mmai", nullptr, integers},
    {"mmaf_scaled", nullptr, scaled},
};

} // namespace

ArrayRef<Row> productRows() { return rows; }

} // namespace tessera::tile_lower
