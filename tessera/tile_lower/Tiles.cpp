// Tiles in registers and local memory, their slots, and moves through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Tiles.h"

using namespace mlir;

namespace tessera::tile_lower {

//===--- The simple layout

ThreadTile Tiles::newTile(Type element, int64_t count) {
  ThreadTile tile{.element = element, .count = count, .layout = simpleLayout(count)};
  int64_t slots = slotsOf(count);
  if (isInRegisters(count)) {
    tile.registers.resize(size_t(slots));
    return tile;
  }
  if (SmallVector<Value> &free = freeArrays[{memoryType(element), slots}]; !free.empty()) {
    tile.array = free.pop_back_val();
  } else {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    tile.array = make<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()),
                                      memoryType(element), int32(slots));
    localBytes += slots * memoryBytes(element);
  }
  arraysInUse.push_back(tile.array);
  return tile;
}
void Tiles::giveBack(size_t number) {
  Value array = arraysInUse[number];
  auto made = array.getDefiningOp<LLVM::AllocaOp>();
  arraysInUse.erase(arraysInUse.begin() + ptrdiff_t(number));
  freeArrays[{made.getElemType(), *getConstantIntValue(made.getArraySize())}].push_back(array);
}
Value Tiles::newVariable(Type type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return make<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()), type, int32(1));
}
ThreadTile Tiles::splat(Type element, int64_t count, Value value) {
  ThreadTile out = newTile(element, count);
  forSlots(count, [&](const Slot &slot) { set(out, slot, value); });
  return out;
}

void Tiles::forSlots(int64_t count, function_ref<void(const Slot &)> body) {
  int64_t slots = slotsOf(count);
  if (count < threads)
    return body({int32(0), 0, count == 1 ? int32(0) : andi(thread, count - 1)});
  auto elementOf = [&](Value index) { return add(mul(index, threads), thread); };
  if (!isInRegisters(count))
    return repeat(slots, [&](Value index) { body({index, 0, elementOf(index)}); });
  for (int64_t s = 0; s < slots; ++s)
    body({int32(s), s, s ? add(thread, s * threads) : thread});
}

static Value placeIn(Tiles &k, const ThreadTile &tile, Value index) {
  return k.make<LLVM::GEPOp>(tile.array.getType(), memoryType(tile.element), tile.array,
                             ValueRange(index));
}
Value Tiles::get(const ThreadTile &tile, const Slot &slot) {
  if (!tile.array)
    return tile.registers[tile.isScalar() || tile.isUniform ? 0 : size_t(slot.number)];
  return loadAt(tile.element, placeIn(*this, tile, slot.index));
}
void Tiles::set(ThreadTile &tile, const Slot &slot, Value value) {
  if (!tile.array)
    tile.registers[size_t(slot.number)] = value;
  else
    storeAt(tile.element, placeIn(*this, tile, slot.index), value);
}

Value Tiles::isOwner(int64_t count) { return count < threads ? below(thread, count) : Value(); }

//===--- Moves

SmallVector<ThreadTile> Tiles::moved(const ThreadTile &source, int64_t count,
                                     ArrayRef<function_ref<Value(const Slot &)>> places) {
  SmallVector<ThreadTile> results;
  if (source.isScalar() || source.isUniform) {
    for (size_t i = 0; i < places.size(); ++i)
      results.push_back(splat(source.element, count, source.registers[0]));
    return results;
  }
  for (size_t i = 0; i < places.size(); ++i)
    results.push_back(newTile(source.element, count));
  int64_t bytes = memoryBytes(source.element);
  int64_t chunk = std::min(source.count, scratch / bytes), chunks = source.count / chunk;
  auto address = [&](Value index) { return shared(source.element, index, chunk * bytes); };

  // Elements from `base` on go through shared memory; the first barrier waits for those who still
  // read what was there before.
  auto pass = [&](Value base, bool isFirst) {
    barrier();
    if (chunks == 1)
      when(isOwner(source.count), [&] {
        forSlots(source.count, [&](const Slot &slot) {
          storeAt(source.element, address(slot.element), get(source, slot));
        });
      });
    else // an array
      repeat(chunk / threads, [&](Value i) {
        Slot slot{add(udiv(base, threads), i)};
        storeAt(source.element, address(add(mul(i, threads), thread)), get(source, slot));
      });
    barrier();
    forSlots(count, [&](const Slot &slot) {
      for (size_t i = 0; i < places.size(); ++i) {
        Value index = places[i](slot);
        if (chunks == 1) {
          set(results[i], slot, loadAt(source.element, address(index)));
          continue;
        }
        Value relative = sub(index, base), isHere = below(relative, chunk);
        Value value = loadAt(source.element, address(select(isHere, relative, int32(0))));
        set(results[i], slot, isFirst ? value : select(isHere, value, get(results[i], slot)));
      }
    });
  };
  pass(int32(0), true);
  if (isInRegisters(count))
    for (int64_t c = 1; c < chunks; ++c)
      pass(int32(c * chunk), false);
  else if (chunks > 1)
    repeat(chunks - 1, [&](Value c) { pass(mul(add(c, 1), chunk), false); });
  return results;
}

//===--- Coordinates

SmallVector<Value> Tiles::coordinatesOf(Value element, ArrayRef<int64_t> shape) {
  SmallVector<Value> out(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    out[d] = shape[d] == 1 ? int32(0) : andi(udiv(element, stride), shape[d] - 1);
    stride *= shape[d];
  }
  return out;
}
Value Tiles::elementAt(ArrayRef<Value> coordinates, ArrayRef<int64_t> shape) {
  Value out = int32(0);
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1)
      out = add(out, mul(coordinates[d], stride));
    stride *= shape[d];
  }
  return out;
}

} // namespace tessera::tile_lower
