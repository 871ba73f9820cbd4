// Scans along a dimension, with a region of the program as combiner.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where there is a row for each thread, or no plan, and all of it fits in shared memory, a thread
// goes along a row. Else the tile comes in pieces that fit, whose rows are shared by threads: each
// scans a block of a row, combines what all before it have come to, and adds that to its own.
#include "tessera/tile_lower/Combine.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// Each thread goes along rows (o, i) of all operands, which lie one after the other in shared
/// memory. Results take the places of the operands. The order is that of tile_eval, so that sums of
/// floating-point numbers have the same bits.
LogicalResult scanRows(Kernel &k, ScanOp op, const Split &split, ArrayRef<int64_t> offsets,
                       ArrayRef<Value> identities) {
  SmallVector<ThreadTile> tiles;
  for (Value operand : op->getOperands())
    tiles.push_back(k.tile(operand));
  int64_t count = tiles[0].count, rows = split.outer * split.inner;
  auto address = [&](size_t i, Value index) {
    Type element = tiles[i].element;
    return k.shared(element, index, count * memoryBytes(element), offsets[i]);
  };
  k.barrier();
  k.when(k.isOwner(count), [&] {
    k.forSlots(count, [&](const Slot &slot) {
      for (size_t i = 0; i < tiles.size(); ++i)
        k.storeAt(tiles[i].element, address(i, slot.element), k.get(tiles[i], slot));
    });
  });
  k.barrier();
  bool isGood = true;
  auto goAlong = [&](Value row) {
    Value first =
        k.add(k.mul(k.udiv(row, split.inner), split.along * split.inner), k.urem(row, split.inner));
    SmallVector<Type> types = {k.i32};
    SmallVector<Value> start = {k.int32(0)};
    for (Value identity : identities) {
      types.push_back(identity.getType());
      start.push_back(identity);
    }
    Block *head = k.newBlock(types), *inside = k.newBlock(), *after = k.newBlock();
    k.branch(head, start);
    k.goTo(head);
    Value n = head->getArgument(0);
    k.branchIf(k.below(n, split.along), inside, after);
    k.goTo(inside);
    Value at = op.getReverse() ? k.sub(k.int32(split.along - 1), n) : n;
    Value index = k.add(first, k.mul(at, split.inner));
    SmallVector<Value> current, accumulated;
    for (size_t i = 0; i < tiles.size(); ++i) {
      current.push_back(k.loadAt(tiles[i].element, address(i, index)));
      accumulated.push_back(head->getArgument(unsigned(i + 1)));
    }
    SmallVector<Value> next = combined(k, op.getBody(), paired(current, accumulated));
    isGood &= !next.empty();
    if (!isGood)
      next = accumulated;
    for (size_t i = 0; i < tiles.size(); ++i)
      k.storeAt(tiles[i].element, address(i, index), next[i]);
    SmallVector<Value> passed = {k.add(n, 1)};
    passed.append(next);
    k.branch(head, passed);
    k.goTo(after);
  };
  k.when(k.isOwner(rows), [&] {
    if (rows <= k.threads)
      goAlong(k.thread);
    else
      k.repeat(rows / k.threads, [&](Value i) { goAlong(k.add(k.mul(i, k.threads), k.thread)); });
  });
  k.barrier();
  for (size_t i = 0; i < tiles.size(); ++i) {
    ThreadTile out = k.newTile(tiles[i].element, count);
    k.forSlots(count, [&](const Slot &slot) {
      k.set(out, slot, k.loadAt(out.element, address(i, slot.element)));
    });
    k.define(op->getResult(unsigned(i)), std::move(out));
  }
  return success(isGood);
}

class PieceScan {
public:
  PieceScan(Kernel &k, ScanOp op, const Split &split, ArrayRef<Value> identities)
      : k(k), op(op), split(split), identities(identities), rows(split.outer * split.inner) {
    for (Value operand : op->getOperands())
      tiles.push_back(k.tile(operand));
    // The largest piece that fits: whole rows, or a part of one.
    int64_t count = tiles[0].count;
    while (count > 1 && !fits(count))
      count /= 2;
    along = std::min(split.along, count);
    rowsAtOnce = std::max<int64_t>(count / along, 1);
    (void)fits(along * rowsAtOnce);
    blocks = std::max<int64_t>(std::min(k.threads / rowsAtOnce, along / leastBlock), 1);
  }

  LogicalResult run() {
    segments = split.along / along;
    int64_t pieces = rows / rowsAtOnce * segments;
    for (const ThreadTile &tile : tiles)
      results.push_back(k.newTile(tile.element, tile.count));
    if (pieces == 1) {
      scanPiece(k.int32(0));
    } else {
      // The loop carries all registers of the results: each piece replaces some of them.
      SmallVector<Type> types = {k.i32};
      SmallVector<Value> start = {k.int32(0)};
      for (size_t i = 0; i < tiles.size(); ++i)
        for (size_t r = 0; r < results[i].registers.size(); ++r) {
          start.push_back(zeroOf(tiles[i].element));
          types.push_back(start.back().getType());
        }
      Block *head = k.newBlock(types), *inside = k.newBlock(), *after = k.newBlock();
      k.branch(head, start);
      k.goTo(head);
      Value piece = head->getArgument(0);
      unsigned next = 1;
      for (ThreadTile &result : results)
        for (Value &value : result.registers)
          value = head->getArgument(next++);
      std::vector<ThreadTile> whole = results;
      k.branchIf(k.below(piece, pieces), inside, after);
      k.goTo(inside);
      scanPiece(piece);
      SmallVector<Value> passed = {k.add(piece, 1)};
      for (const ThreadTile &result : results)
        passed.append(result.registers);
      k.branch(head, passed);
      k.goTo(after);
      results = std::move(whole);
    }
    for (auto [result, tile] : llvm::zip(op->getResults(), results))
      k.define(result, tile);
    return success(isGood);
  }

private:
  static constexpr int64_t leastBlock = 4; // elements that a thread scans at least
  static constexpr int64_t banks = 32;

  /// An unused element after every 32, so that threads at the same place of their blocks use
  /// different banks.
  static int64_t padded(int64_t index) { return index + index / banks; }
  Value padded(Value index) { return k.add(index, k.udiv(index, banks)); }

  /// Whether so many elements of all operands fit in shared memory, with one that a row carries
  /// from one piece to the next; lays them out.
  bool fits(int64_t count) {
    offsets.clear();
    bytes = 0;
    capacity = padded(count);
    for (const ThreadTile &tile : tiles) {
      offsets.push_back(bytes);
      bytes += ((capacity + 1) * memoryBytes(tile.element) + 15) / 16 * 16;
    }
    return bytes <= k.scratch;
  }
  Value zeroOf(Type element) {
    Type held = heldType(element);
    return k.bitcast(k.integer(k.intOf(Code::bitsOf(held)), 0), held);
  }

  Value address(size_t i, Value index) {
    return k.shared(tiles[i].element, index, bytes - offsets[i], offsets[i]);
  }
  SmallVector<Value> loaded(Value index) {
    SmallVector<Value> out;
    for (size_t i = 0; i < tiles.size(); ++i)
      out.push_back(k.loadAt(tiles[i].element, address(i, index)));
    return out;
  }
  void store(Value index, ValueRange values) {
    for (size_t i = 0; i < tiles.size(); ++i)
      k.storeAt(tiles[i].element, address(i, index), values[i]);
  }

  /// Where an element is: in which piece, and where in that.
  struct Place {
    Value isHere, index;
  };
  Place placeOf(Value element, Value piece) {
    Value inner = k.urem(element, split.inner), rest = k.udiv(element, split.inner);
    Value n = k.urem(rest, split.along);
    if (op.getReverse())
      n = k.sub(k.int32(split.along - 1), n);
    Value row = k.add(k.mul(k.udiv(rest, split.along), split.inner), inner);
    Value there = k.add(k.mul(k.udiv(row, rowsAtOnce), segments), k.udiv(n, along));
    Value index = k.add(k.mul(k.urem(row, rowsAtOnce), along), k.urem(n, along));
    bool isOne = along * rowsAtOnce == tiles[0].count;
    return {isOne ? Value() : k.equal(there, piece), padded(index)};
  }

  /// acc = next(n, acc) for n = from, from + 1, ... below `until`.
  SmallVector<Value> fold(Value from, Value until, ArrayRef<Value> start,
                          llvm::function_ref<SmallVector<Value>(Value, ValueRange)> next) {
    SmallVector<Type> types = {k.i32};
    SmallVector<Value> passed = {from};
    for (Value value : start) {
      types.push_back(value.getType());
      passed.push_back(value);
    }
    Block *head = k.newBlock(types), *inside = k.newBlock(), *after = k.newBlock();
    k.branch(head, passed);
    k.goTo(head);
    Value n = head->getArgument(0);
    SmallVector<Value> all(head->args_begin() + 1, head->args_end());
    k.branchIf(k.below(n, until), inside, after);
    k.goTo(inside);
    passed = {k.add(n, 1)};
    passed.append(next(n, all));
    k.branch(head, passed);
    k.goTo(after);
    return all;
  }
  SmallVector<Value> combine(ArrayRef<Value> current, ValueRange accumulated) {
    SmallVector<Value> before(accumulated);
    SmallVector<Value> out = combined(k, op.getBody(), paired(current, before));
    isGood &= !out.empty();
    return out.empty() ? before : out;
  }
  SmallVector<Value> selected(Value which, ValueRange yes, ValueRange no) {
    SmallVector<Value> out;
    for (auto [y, n] : llvm::zip(yes, no))
      out.push_back(k.select(which, y, n));
    return out;
  }

  void scanPiece(Value piece) {
    int64_t count = tiles[0].count;
    k.barrier();
    k.when(k.isOwner(count), [&] {
      k.forSlots(count, [&](const Slot &slot) {
        Place place = placeOf(slot.element, piece);
        k.when(place.isHere, [&] {
          SmallVector<Value> values;
          for (const ThreadTile &tile : tiles)
            values.push_back(k.get(tile, slot));
          store(place.index, values);
        });
      });
    });
    k.barrier();
    if (blocks == 1)
      scanRows(piece);
    else
      scanBlocks(piece);
    k.barrier();
    k.forSlots(count, [&](const Slot &slot) {
      Place place = placeOf(slot.element, piece);
      for (size_t i = 0; i < tiles.size(); ++i) {
        auto read = [&] { return k.loadAt(tiles[i].element, address(i, place.index)); };
        if (results[i].array)
          k.when(place.isHere, [&] { k.set(results[i], slot, read()); });
        else if (place.isHere)
          k.set(results[i], slot, k.select(place.isHere, read(), k.get(results[i], slot)));
        else
          k.set(results[i], slot, read());
      }
    });
  }

  /// The initial value of a row in a piece: the identities, or the result of its part in an earlier
  /// piece. If a row is in several pieces, each piece has one row.
  SmallVector<Value> beginOf(Value piece) {
    if (segments == 1)
      return SmallVector<Value>(identities);
    Value isFirst = k.equal(k.urem(piece, segments), 0);
    return selected(isFirst, identities, loaded(k.int32(capacity)));
  }
  void carry(ArrayRef<Value> values) {
    if (segments > 1)
      store(k.int32(capacity), values);
  }
  Value indexOf(Value row, Value n) { return padded(k.add(k.mul(row, along), n)); }

  /// A thread for each row, or for several.
  void scanRows(Value piece) {
    auto goAlong = [&](Value row) {
      carry(fold(k.int32(0), k.int32(along), beginOf(piece), [&](Value n, ValueRange accumulated) {
        Value index = indexOf(row, n);
        SmallVector<Value> sum = combine(loaded(index), accumulated);
        store(index, sum);
        return sum;
      }));
    };
    if (rowsAtOnce > k.threads)
      return k.repeat(rowsAtOnce / k.threads,
                      [&](Value i) { goAlong(k.add(k.mul(i, k.threads), k.thread)); });
    k.when(rowsAtOnce < k.threads ? k.below(k.thread, rowsAtOnce) : Value(),
           [&] { goAlong(k.thread); });
  }

  /// A thread for each block of a row. Blocks but the first begin with an element of their own, so
  /// that the identities are combined once.
  void scanBlocks(Value piece) {
    int64_t length = along / blocks;
    Value row = k.udiv(k.thread, blocks), block = k.urem(k.thread, blocks);
    Value first = k.mul(block, length), isFirst = k.equal(block, 0);
    int64_t workers = rowsAtOnce * blocks;
    Value works = workers < k.threads ? k.below(k.thread, workers) : Value();
    Value goesOn = k.negate(isFirst);
    if (works)
      goesOn = k.andi(goesOn, works);
    k.when(works, [&] {
      SmallVector<Value> start = selected(isFirst, beginOf(piece), loaded(indexOf(row, first)));
      fold(k.select(isFirst, k.int32(0), k.int32(1)), k.int32(length), start,
           [&](Value n, ValueRange accumulated) {
             Value index = indexOf(row, k.add(first, n));
             SmallVector<Value> sum = combine(loaded(index), accumulated);
             store(index, sum);
             return sum;
           });
    });
    k.barrier();
    // Combines the results of all blocks before this one. The barrier keeps the first block from
    // overwriting its result before others have read it.
    Block *all = k.newBlock(), *each = k.newBlock();
    SmallVector<Type> types;
    for (Value identity : identities)
      types.push_back(identity.getType());
    Block *known = k.newBlock(types);
    k.branchIf(goesOn, each, all);
    k.goTo(each);
    auto lastOf = [&](Value n) { return indexOf(row, k.add(k.mul(n, length), length - 1)); };
    SmallVector<Value> before =
        fold(k.int32(1), block, loaded(lastOf(k.int32(0))), [&](Value n, ValueRange accumulated) {
          return combine(loaded(lastOf(n)), accumulated);
        });
    k.branch(known, before);
    k.goTo(all);
    k.branch(known, SmallVector<Value>(identities));
    k.goTo(known);
    before.assign(known->args_begin(), known->args_end());
    k.barrier();
    k.when(goesOn, [&] {
      fold(k.int32(0), k.int32(length), before, [&](Value n, ValueRange accumulated) {
        Value index = indexOf(row, k.add(first, n));
        store(index, combine(loaded(index), accumulated));
        return SmallVector<Value>(accumulated);
      });
    });
    Value isLast = k.equal(block, blocks - 1);
    k.when(works ? k.andi(works, isLast) : isLast,
           [&] { carry(loaded(indexOf(row, k.int32(along - 1)))); });
  }

  Kernel &k;
  ScanOp op;
  Split split;
  SmallVector<Value> identities;
  std::vector<ThreadTile> tiles, results;
  int64_t rows;
  // For a piece: elements along, rows, and threads for each of these.
  int64_t along = 1, rowsAtOnce = 1, blocks = 1;
  int64_t segments = 1; // pieces of a row
  SmallVector<int64_t> offsets;
  int64_t bytes = 0, capacity = 0;
  bool isGood = true;
};

} // namespace

LogicalResult scan(Kernel &k, Operation *op) {
  auto scan = cast<ScanOp>(op);
  Split split = splitOf(shapeOf(op->getOperand(0).getType()), size_t(scan.getDim()));
  SmallVector<Value> identities = identitiesOf(k, op, scan.getIdentities());
  SmallVector<int64_t> offsets;
  int64_t bytes = 0;
  for (Value operand : op->getOperands()) {
    offsets.push_back(bytes);
    bytes += std::max<int64_t>(16, countOf(operand.getType()) *
                                       memoryBytes(elementOf(operand.getType())));
  }
  constexpr int64_t shortRow = 8;
  bool hasThreads = split.outer * split.inner >= k.threads || split.along <= shortRow;
  if (bytes <= k.scratch && (!k.plan || hasThreads))
    return scanRows(k, scan, split, offsets, identities);
  return PieceScan(k, scan, split, identities).run();
}

} // namespace tessera::tile_lower
