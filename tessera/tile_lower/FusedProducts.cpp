// Products without an instruction of tensor cores: fused multiply-adds, from shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both operands are written to shared memory as numbers of the type that is summed in, rows (or
// columns) first, as many steps of K at a time as there is room for. A thread reads, for each step,
// the rows and columns of its part of the result, and multiplies each row with each column: of a
// part of 4 x 8, 12 numbers for 32 products. Sums are made in the order of K, and the accumulator
// comes last, as at level 0 (Products.cpp): results are the same bit by bit.
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/Planned.h"
#include "tessera/tile_lower/ProductLayouts.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

constexpr int64_t widestBytes = 16;

/// The numbers of bits that extents have.
struct Bits {
  explicit Bits(const Extents &e)
      : m(log2Of(e.m)), n(log2Of(e.n)), k(log2Of(e.k)), batch(log2Of(e.batch)) {}
  int m, n, k, batch;
};

/// An operand on its way through shared memory, where a row lies along M or N.
class Side {
public:
  /// `of` is the operand in registers, `steps` the bits of K that are there at a time, `base` where
  /// it begins.
  Side(Kernel &k, ThreadTile of, const BitLayout &result, Type sumType, const Bits &bits,
       bool isLhs, int steps, int64_t base)
      : k(k), tile(std::move(of)), sumType(sumType), bytes(memoryBytes(sumType)),
        ofRow(isLhs ? bits.m : bits.n), base(base) {
    // What each bit of an element is: of its row, of K or of the batch.
    int firstK = isLhs ? 0 : bits.n, firstRow = isLhs ? bits.k : 0;
    BitList positions(size_t(bits.k + ofRow + bits.batch), noBit);
    for (int i = 0; i < ofRow; ++i)
      positions[size_t(firstRow + i)] = int8_t(i);
    for (int i = 0; i < steps; ++i)
      positions[size_t(firstK + i)] = int8_t(ofRow + i);
    for (int i = 0; i < bits.batch; ++i)
      positions[size_t(bits.k + ofRow + i)] = int8_t(ofRow + steps + i);
    laterK = ((int64_t(1) << bits.k) - (int64_t(1) << steps)) << firstK;
    laterAt = firstK + steps;
    // What each bit of the result is here.
    auto ofResult = [&](int8_t bit) {
      bool isBatch = bit >= bits.n + bits.m, isColumn = bit < bits.n;
      return bit == noBit        ? noBit
             : isBatch           ? int8_t(bit - bits.n - bits.m + ofRow + steps)
             : isColumn != isLhs ? int8_t(isLhs ? bit - bits.n : bit)
                                 : noBit;
    };
    BitList rows;
    for (int8_t bit : result.threads)
      reader.threads.push_back(ofResult(bit));
    for (int8_t bit : result.registers)
      if (int8_t here = ofResult(bit); here != noBit)
        rows.push_back(here);
    llvm::sort(rows);
    reader.registers = rows;
    for (int64_t r = 0; r < result.registerCount(); ++r) {
      int64_t part = 0;
      for (auto [i, bit] : llvm::enumerate(result.registers))
        if (int8_t here = ofResult(bit); here != noBit && (r >> i & 1))
          part |= int64_t(1) << here;
      numbers.push_back(size_t(reader.registerOf(part)));
    }
    int count = ofRow + steps + bits.batch;
    vectorBits = std::min(reader.vectorBits(bitsUpTo(ofRow)), log2Of(widestBytes / bytes));
    layout::Swizzle swizzle;
    if (!isSame()) {
      BitLayout writer = renamed(tile.layout, positions);
      swizzle = swizzleFor(writer, 0, reader, vectorBits, int(bytes));
    }
    for (int i = 0; i < count; ++i)
      places.push_back(swizzle(bytes << i));
    for (int8_t position : positions)
      writtenTo.push_back(position == noBit ? 0 : places[size_t(position)]);
    k.useShared(base - k.sharedTop + (bytes << count));
  }

  /// Writes a part of K: its numbers from `part` times the steps on.
  void write(int64_t part, llvm::function_ref<Value(Value)> numberOf) {
    if (isSame())
      return;
    auto masksOf = [&](ArrayRef<int64_t> of) {
      SmallVector<int64_t> out;
      for (int8_t bit : tile.layout.threads)
        out.push_back(bit == noBit ? 0 : of[size_t(bit)]);
      return out;
    };
    Value mine = k.combination(k.thread, masksOf(writtenTo));
    // Bits of K beyond the steps that a thread's number and a register's set.
    int64_t ofThreads = 0;
    for (int8_t bit : tile.layout.threads)
      ofThreads |= bit == noBit ? 0 : (int64_t(1) << bit) & laterK;
    Value later = ofThreads ? k.andi(k.threadPart(tile.layout), laterK) : Value();
    int64_t wanted = part << laterAt;
    k.when(k.isOwner(tile.layout), [&] {
      for (int64_t r = 0; r < tile.layout.registerCount(); ++r) {
        int64_t element = tile.layout.registerPart(r), missing = wanted ^ (element & laterK);
        if (missing & ~ofThreads)
          continue;
        k.when(later ? k.equal(later, missing) : Value(), [&] {
          k.storeVector(sumType, addressOf(mine, placeOf(writtenTo, element)),
                        {numberOf(tile.registers[size_t(r)])});
        });
      }
    });
  }

  /// Before numbers of several steps are read.
  void begin(Value firstStep, llvm::function_ref<Value(Value)> numberOf) {
    if (isSame()) {
      same = numberOf(tile.registers[0]);
      return;
    }
    SmallVector<int64_t> masks;
    for (int8_t bit : reader.threads)
      masks.push_back(bit == noBit ? 0 : places[size_t(bit)]);
    readFrom = k.combination(k.thread, masks);
    if (firstStep)
      readFrom =
          k.xori(readFrom, k.combination(firstStep, ArrayRef(places).drop_front(size_t(ofRow))));
  }
  /// The thread's rows at a step, in the order of the reader's registers.
  SmallVector<Value> at(int64_t step) {
    if (isSame())
      return {same};
    SmallVector<Value> out;
    int64_t along = placeOf(ArrayRef(places).drop_front(size_t(ofRow)), step);
    for (int64_t r = 0; r < reader.registerCount(); r += int64_t(1) << vectorBits)
      out.append(k.loadVector(sumType,
                              addressOf(readFrom, along ^ placeOf(places, reader.registerPart(r))),
                              int64_t(1) << vectorBits));
    return out;
  }
  /// Which of them a register of the result multiplies.
  size_t numberFor(size_t r) const { return isSame() ? 0 : numbers[r]; }
  /// Whether all elements are one number.
  bool isSame() const { return tile.isUniform || tile.isScalar(); }

private:
  Value addressOf(Value place, int64_t offset) {
    return k.sharedBytesAt(k.add(offset ? k.xori(place, offset) : place, base));
  }

  Kernel &k;
  const ThreadTile tile;
  Type sumType;
  int64_t bytes;
  int ofRow, laterAt = 0, vectorBits = 0;
  int64_t base, laterK = 0;
  BitLayout reader;
  SmallVector<int64_t> places, writtenTo; // by bit of the position, and of the operand's element
  SmallVector<size_t> numbers;
  Value readFrom, same;
};

} // namespace

BitLayout layoutOfFused(const Extents &e, int threadBits) {
  constexpr int vector = 2, columnsOfWarp = 3, rowsOfWarp = 2;
  Bits bits(e);
  BitLayout out;
  int column = 0, row = 0, batch = 0;
  auto take = [](BitList &to, int &next, int end, int first, int count) {
    for (; count > 0 && next < end; --count)
      to.push_back(int8_t(first + next++));
  };
  auto columns = [&](BitList &to, int count) { take(to, column, bits.n, 0, count); };
  auto rows = [&](BitList &to, int count) { take(to, row, bits.m, bits.n, count); };
  int spare = std::max(0, bits.m + bits.n + bits.batch - threadBits); // bits in registers
  columns(out.registers, std::min(vector, (spare + 1) / 2));
  rows(out.registers, std::min(vector, spare - column));
  columns(out.threads, columnsOfWarp);
  rows(out.threads, rowsOfWarp);
  take(out.threads, batch, bits.batch, bits.n + bits.m, threadBits - int(out.threads.size()));
  // Parts of about as many rows as columns need the fewest numbers.
  while (int(out.threads.size()) < threadBits && (column < bits.n || row < bits.m))
    bits.n - column >= bits.m - row ? columns(out.threads, 1) : rows(out.threads, 1);
  out.threads.resize(size_t(threadBits), noBit);
  columns(out.registers, bits.n);
  rows(out.registers, bits.m);
  take(out.registers, batch, bits.batch, bits.n + bits.m, bits.batch);
  return out;
}

std::optional<LogicalResult> multiplyFused(Kernel &k, Operation *op) {
  const BitLayout *layout = k.plan->layoutOf(op->getResult(0));
  auto integers = dyn_cast<MmaIOp>(op);
  auto operand = [&](unsigned i) -> const ThreadTile & { return k.held(op->getOperand(i)); };
  if (!layout || operand(0).array || operand(1).array)
    return std::nullopt;
  Extents e = extentsOf(op->getOperand(0).getType(), op->getOperand(1).getType());
  Bits bits(e);
  Type sumType = integers ? k.i32 : operand(0).element.isF64() ? k.f64 : k.f32;
  int64_t bytes = memoryBytes(sumType), rowBytes = e.batch * (e.m + e.n) * bytes;
  int steps = bits.k;
  while (steps > 0 && rowBytes << steps > k.scratch)
    --steps;
  if (rowBytes << steps > k.scratch)
    return std::nullopt;
  auto numberOf = [&](unsigned i) {
    return [&, i](Value held) {
      auto sign = integers ? (i ? integers.getSignednessRhs() : integers.getSignednessLhs())
                           : Signedness::Signed;
      return integers ? k.resize(held, k.i32, sign == Signedness::Signed)
                      : widened(k, operand(i).element, held);
    };
  };
  int64_t base = k.sharedTop;
  Side lhs(k, operand(0), *layout, sumType, bits, true, steps, base);
  Side rhs(k, operand(1), *layout, sumType, bits, false, steps,
           base + ((e.batch * e.m * bytes) << steps));
  const ThreadTile acc = k.inLayout(op->getOperand(2), *layout);
  auto before = [&](size_t r) { return acc.registers[acc.isUniform || acc.isScalar() ? 0 : r]; };
  auto registers = size_t(layout->registerCount());
  bool startsWithAcc = sumType.isF64();
  SmallVector<Value> sums;
  for (size_t r = 0; r < registers; ++r)
    sums.push_back(startsWithAcc ? before(r) : integers ? k.int32(0) : k.real(sumType, 0));

  // Products in one piece of code: as many as a loop is worth.
  constexpr int64_t manyProducts = 512;
  int atOnce = 0;
  while (atOnce < steps && int64_t(registers) << (atOnce + 1) <= manyProducts)
    ++atOnce;
  auto multiply = [&](Value firstStep) {
    lhs.begin(firstStep, numberOf(0));
    rhs.begin(firstStep, numberOf(1));
    for (int64_t step = 0; step < int64_t(1) << atOnce; ++step) {
      SmallVector<Value> x = lhs.at(step), y = rhs.at(step);
      for (size_t r = 0; r < registers; ++r) {
        Value a = x[lhs.numberFor(r)], b = y[rhs.numberFor(r)];
        sums[r] =
            integers ? k.add(sums[r], k.mul(a, b)) : Value(k.make<math::FmaOp>(a, b, sums[r]));
      }
    }
  };
  for (int64_t part = 0; part < int64_t(1) << (bits.k - steps); ++part) {
    k.barrier();
    lhs.write(part, numberOf(0));
    rhs.write(part, numberOf(1));
    k.barrier();
    if (atOnce == steps) {
      multiply(Value());
      continue;
    }
    SmallVector<Type> types = {k.i32};
    types.append(registers, sumType);
    Block *head = k.newBlock(types), *after = k.newBlock();
    SmallVector<Value> passed = {k.int32(0)};
    passed.append(sums.begin(), sums.end());
    k.branch(head, passed);
    k.goTo(head);
    Value step = head->getArgument(0);
    for (size_t r = 0; r < registers; ++r)
      sums[r] = head->getArgument(unsigned(r + 1));
    multiply(step);
    Value next = k.add(step, int64_t(1) << atOnce);
    passed = {next};
    passed.append(sums.begin(), sums.end());
    k.make<cf::CondBranchOp>(k.below(next, int64_t(1) << steps), head, ValueRange(passed), after,
                             ValueRange());
    k.goTo(after);
  }

  Type element = elementOf(op->getResult(0).getType());
  ThreadTile out{
      .element = element, .count = countOf(op->getResult(0).getType()), .layout = *layout};
  for (size_t r = 0; r < registers; ++r) {
    Value total = sums[r];
    if (integers)
      total = k.add(total, before(r));
    else if (!startsWithAcc)
      total = narrowed(k,
                       k.ptx("add.rn.f32 $0, $1, $2;", "=f,f,f", k.f32,
                             {total, widened(k, acc.element, before(r))}),
                       element);
    out.registers.push_back(total);
  }
  k.define(op->getResult(0), std::move(out));
  return success();
}

} // namespace tessera::tile_lower
