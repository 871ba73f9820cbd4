// B of a warpgroup's product, written to shared memory again in the form that hardware reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread writes vectors of 16 bytes that lie along N or along K in the new place. Bytes that
// lay along N are read in words, and `prmt` transposes the words of four rows of K; lanes then
// differ in N and in K, so that neither reads nor writes have bank conflicts (Plan::spread).
// Everything else is read in vectors where it lies along the same dimension, else element by
// element; then the ops between the load and the product are applied.
#include "tessera/tile_lower/Facts.h"
#include "tessera/tile_lower/Planned.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

constexpr int64_t vectorBytes = 16, wordBytes = 4;

class Writer {
public:
  Writer(Kernel &k, const Product &product, Operation *op, Value to)
      : k(k), remade(*product.remade), from(*k.plan->sourceOf(op->getOperand(1))), to(to),
        base(k.staged.find(from.staging->load)->second.base),
        source(elementOf(from.staging->tile())), element(elementOf(op->getOperand(1).getType())),
        n(log2Of(product.extents.n)), depth(log2Of(product.extents.k)),
        batch(log2Of(product.extents.batch)) {
    fromBytes = memoryBytes(source);
    toBytes = memoryBytes(element);
    vectorBits = log2Of(vectorBytes / toBytes);
    isTurned = toBytes == 1 && from.elementwise.empty() && from.plain[0] == 1 && n >= wordBits;
    arrange();
  }

  void write() {
    read = k.combination(k.thread, masksOf(from.places));
    written = k.combination(k.thread, masksOf(remade.places));
    k.when(k.isOwner(layout), [&] {
      int64_t each = int64_t(1) << (vectorBits + (isTurned ? wordBits : 0));
      for (int64_t r = 0; r < layout.registerCount(); r += each)
        isTurned ? turn(r) : copy(r);
    });
  }

private:
  static constexpr int wordBits = 2; // of bytes in a word

  /// First registers: a vector of the new place, then, where bytes are turned, the bytes of a word
  /// along N.
  void arrange() {
    int along = remade.isAlongK ? n : 0, across = remade.isAlongK ? 0 : n;
    int alongEnd = along + (remade.isAlongK ? depth : n);
    int acrossEnd = across + (remade.isAlongK ? n : depth);
    for (int bit = 0; bit < vectorBits; ++bit)
      layout.registers.push_back(int8_t(along++));
    for (int bit = 0; isTurned && bit < wordBits; ++bit)
      layout.registers.push_back(int8_t(across++));
    BitList rest;
    auto take = [&](int &bit, int end, int count) {
      for (; count > 0 && bit < end; --count)
        rest.push_back(int8_t(bit++));
    };
    if (isTurned) {
      take(across, acrossEnd, 1);
      take(along, alongEnd, 2);
    }
    // Consecutive threads write consecutive rows: one vector of each along K, else whole rows.
    if (!remade.isAlongK)
      take(along, alongEnd, n);
    take(across, acrossEnd, depth + n);
    take(along, alongEnd, depth + n);
    int batches = n + depth;
    take(batches, n + depth + batch, batch);
    for (int8_t bit : rest)
      (layout.threads.size() < size_t(log2Of(k.threads)) ? layout.threads : layout.registers)
          .push_back(bit);
    layout.threads.resize(size_t(log2Of(k.threads)), noBit);
  }

  SmallVector<int64_t> masksOf(ArrayRef<int64_t> places) const {
    SmallVector<int64_t> out;
    for (int8_t bit : layout.threads)
      out.push_back(bit == noBit ? 0 : places[size_t(bit)]);
    return out;
  }
  Value at(Value start, Value mine, ArrayRef<int64_t> places, int64_t r) {
    int64_t offset = placeOf(places, layout.registerPart(r));
    return k.sharedBytesAt(k.add(start, offset ? k.xori(mine, offset) : mine));
  }
  Value readAt(int64_t r) { return at(base, read, from.places, r); }
  Value writtenAt(int64_t r) { return at(to, written, remade.places, r); }

  void copy(int64_t r) {
    int64_t count = int64_t(1) << vectorBits;
    size_t first = remade.isAlongK ? size_t(n) : 0;
    // How many elements follow each other where they were loaded.
    int64_t run = 1;
    for (int bit = 0; bit < vectorBits && run * fromBytes < vectorBytes &&
                      from.places[first + size_t(bit)] == run * fromBytes;
         ++bit)
      run *= 2;
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; i += run)
      for (Value value : k.loadVector(source, readAt(r + i), run)) {
        for (Operation *op : from.elementwise)
          value = rowOf(op)->element(k, op, {value});
        values.push_back(value);
      }
    k.storeVector(element, writtenAt(r), values);
  }

  Value permuted(Value low, Value high, int64_t selector) {
    return k.ptx(cat("prmt.b32 $0, $1, $2, ", selector, ";"), "=r,r,r", k.i32, {low, high});
  }
  /// 16 rows of K, of four bytes along N each.
  void turn(int64_t r) {
    SmallVector<SmallVector<Value, 4>, 4> columns(wordBytes);
    for (int64_t row = 0; row < vectorBytes; row += wordBytes) {
      std::array<Value, wordBytes> words;
      for (int64_t i = 0; i < wordBytes; ++i)
        words[size_t(i)] = k.loadAt(k.i32, readAt(r + row + i));
      // Bytes 0 and 1, then 2 and 3, of two rows each; then pairs of these.
      Value low01 = permuted(words[0], words[1], 0x5140);
      Value high01 = permuted(words[0], words[1], 0x7362);
      Value low23 = permuted(words[2], words[3], 0x5140);
      Value high23 = permuted(words[2], words[3], 0x7362);
      columns[0].push_back(permuted(low01, low23, 0x5410));
      columns[1].push_back(permuted(low01, low23, 0x7632));
      columns[2].push_back(permuted(high01, high23, 0x5410));
      columns[3].push_back(permuted(high01, high23, 0x7632));
    }
    for (int64_t column = 0; column < wordBytes; ++column)
      k.storeVector(k.i32, writtenAt(r + (column << vectorBits)), columns[size_t(column)]);
  }

  Kernel &k;
  const Remade &remade;
  const Source &from;
  Value to, base;
  Type source, element;
  int n, depth, batch; // bits
  int64_t fromBytes, toBytes;
  int vectorBits; // of elements in 16 bytes
  bool isTurned;
  BitLayout layout; // the part of the operand that each thread writes
  Value read, written;
};

} // namespace

Value remade(Kernel &k, const Product &product, Operation *op) {
  auto ofLoop = k.remaking.find(op);
  bool isOfLoop = ofLoop != k.remaking.end();
  Value to = k.int32(isOfLoop ? ofLoop->second : k.takeShared(product.remade->bytes));
  if (!isOfLoop)
    k.barrier(); // others may still read what was there
  Writer(k, product, op, to).write();
  showStaged(k);
  return to;
}

} // namespace tessera::tile_lower
