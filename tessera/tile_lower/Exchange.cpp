// Tiles from one layout to another: within threads, or through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Tiles.h"

using namespace mlir;

namespace tessera::tile_lower {

//===--- Who holds what

Value Tiles::threadPart(const BitLayout &layout) {
  Value out = int32(0);
  for (size_t i = 0; i < layout.threads.size();) {
    size_t end = i + 1;
    int8_t bit = layout.threads[i];
    if (bit != noBit) {
      // A run of bits goes in one piece.
      while (end < layout.threads.size() && layout.threads[end] == bit + int8_t(end - i))
        ++end;
      Value piece = andi(i ? shr(thread, int64_t(i)) : thread, (int64_t(1) << (end - i)) - 1);
      out = ori(out, bit ? shl(piece, int64_t(bit)) : piece);
    }
    i = end;
  }
  return out;
}

SmallVector<Value> Tiles::elementsOf(const BitLayout &layout) {
  Value mine = threadPart(layout);
  SmallVector<Value> out;
  for (int64_t r = 0; r < layout.registerCount(); ++r)
    out.push_back(r ? ori(mine, layout.registerPart(r)) : mine);
  return out;
}

Value Tiles::isOwner(const BitLayout &layout) {
  int64_t replicas = layout.replicas();
  return replicas ? equal(andi(thread, replicas), 0) : Value();
}

namespace {

/// Moves a tile from one layout to another through shared memory, `chunk` elements at a time.
class Exchange {
public:
  Exchange(Tiles &k, const ThreadTile &from, const BitLayout &to, bool toArray)
      : k(k), from(from), writer(from.array ? k.simpleLayout(from.count) : from.layout), reader(to),
        bytes(memoryBytes(from.element)), chunk(std::min(from.count, k.scratch / bytes)),
        chunkBits(log2Of(chunk)), base(k.sharedTop) {
    auto vectorOf = [&](const BitLayout &layout, bool isArray) {
      constexpr int64_t widest = 16;
      int bits = isArray ? 0 : layout.vectorBits(bitsUpTo(chunkBits));
      return std::min(bits, log2Of(widest / bytes));
    };
    writeBits = vectorOf(writer, bool(from.array));
    readBits = vectorOf(reader, toArray);
    swizzle = swizzleFor(writer, writeBits, reader, readBits, int(bytes));
    k.useShared(chunk * bytes);
  }

  ThreadTile run(ThreadTile out) {
    for (int64_t c = 0; c < from.count / chunk; ++c) {
      k.barrier();
      if (from.array)
        forArray(c, [&](const Slot &slot, Value address) {
          k.storeAt(from.element, address, k.get(from, slot));
        });
      else
        k.when(k.isOwner(writer), [&] {
          forGroups(writer, writeBits, c, [&](const Group &group, Value isHere) {
            k.when(isHere, [&] {
              for (const Vector &vector : group.vectors)
                k.storeVector(
                    from.element, addressOf(group, vector),
                    ArrayRef(from.registers).slice(size_t(vector.first), size_t(1) << writeBits));
            });
          });
        });
      k.barrier();
      if (out.array)
        forArray(c, [&](const Slot &slot, Value address) {
          k.set(out, slot, k.loadAt(from.element, address));
        });
      else
        forGroups(reader, readBits, c, [&](const Group &group, Value isHere) {
          for (const Vector &vector : group.vectors) {
            SmallVector<Value> values =
                k.loadVector(from.element, addressOf(group, vector), int64_t(1) << readBits);
            for (auto [i, value] : llvm::enumerate(values)) {
              Value &held = out.registers[size_t(vector.first) + i];
              held = isHere && held ? k.select(isHere, value, held) : value;
            }
          }
        });
    }
    return out;
  }

private:
  /// Registers from `first` on, and where they lie from the thread's first place on (bytes).
  struct Vector {
    int64_t first, offset;
  };
  /// Vectors of a chunk that a thread has if the high bits of its elements are `wanted`.
  struct Group {
    int64_t wanted;
    Value place; // the thread's first place
    SmallVector<Vector> vectors;
  };

  Value addressOf(const Group &group, const Vector &vector) {
    return addressOf(vector.offset ? k.xori(group.place, vector.offset) : group.place);
  }
  Value addressOf(Value place) { return k.sharedBytesAt(k.add(place, base)); }
  Value swizzled(Value place) {
    if (swizzle.isIdentity())
      return place;
    Value source = k.andi(place, int64_t(swizzle.sourceMask()));
    return k.xori(place, k.shr(source, int64_t(swizzle.shift)));
  }
  /// Slots of an array that belong to a chunk.
  void forArray(int64_t c, llvm::function_ref<void(const Slot &, Value)> body) {
    int64_t slots = chunk / k.threads;
    k.repeat(slots, [&](Value i) {
      Value element = k.add(k.mul(i, k.threads), k.thread);
      body({k.add(i, c * slots)}, addressOf(swizzled(k.mul(element, bytes))));
    });
  }
  /// The vectors of a chunk, grouped by condition; `isHere` is null if they are certainly in it.
  void forGroups(const BitLayout &layout, int vectorBits, int64_t c,
                 llvm::function_ref<void(const Group &, Value)> body) {
    int64_t inside = chunk - 1, threadBits = 0;
    for (int8_t bit : layout.threads)
      if (bit != noBit)
        threadBits |= int64_t(1) << bit;
    Value mine = k.threadPart(layout);
    Value place = swizzled(k.mul(k.andi(mine, inside), bytes));
    Value high = k.shr(mine, chunkBits);
    SmallVector<Group> groups;
    for (int64_t r = 0; r < layout.registerCount(); r += int64_t(1) << vectorBits) {
      int64_t part = layout.registerPart(r), wanted = c ^ part >> chunkBits;
      // Bits of the chunk's number that no thread's number sets have to match already.
      if (wanted & ~(threadBits >> chunkBits))
        continue;
      auto *group = llvm::find_if(groups, [&](const Group &g) { return g.wanted == wanted; });
      if (group == groups.end())
        group = &groups.emplace_back(Group{wanted, place, {}});
      group->vectors.push_back({r, swizzle((part & inside) * bytes)});
    }
    for (const Group &group : groups)
      body(group, threadBits >> chunkBits ? k.equal(high, group.wanted) : Value());
  }

  Tiles &k;
  const ThreadTile from;
  BitLayout writer, reader;
  int64_t bytes, chunk;
  int chunkBits;
  int64_t base;
  int writeBits, readBits;
  layout::Swizzle swizzle;
};

/// Each register of `to` from those of `from`, of which some are chosen by bits of the thread's
/// number that `from` does not need.
ThreadTile chosen(Tiles &k, const ThreadTile &from, const BitLayout &to) {
  SmallVector<size_t> choices; // bits of the thread
  for (size_t i = 0; i < to.threads.size(); ++i)
    if (to.threads[i] != from.layout.threads[i])
      choices.push_back(i);
  auto choose = [&](auto &self, int64_t part, size_t next) -> Value {
    if (next == choices.size())
      return from.registers[size_t(from.layout.registerOf(part))];
    size_t bit = choices[next];
    Value no = self(self, part, next + 1);
    Value yes = self(self, part | int64_t(1) << to.threads[bit], next + 1);
    return k.select(k.differ(k.andi(k.thread, int64_t(1) << bit), 0), yes, no);
  };
  ThreadTile out{.element = from.element, .count = from.count, .layout = to};
  for (int64_t r = 0; r < to.registerCount(); ++r)
    out.registers.push_back(choose(choose, to.registerPart(r), 0));
  return out;
}

} // namespace

//===--- Tiles

ThreadTile Tiles::inLayout(const ThreadTile &tile, const BitLayout &layout) {
  if (tile.isScalar() || tile.isUniform || (!tile.array && tile.layout == layout))
    return tile;
  if (!tile.array && staysInThreads(tile.layout, layout))
    return chosen(*this, tile, layout);
  ThreadTile out{.element = tile.element, .count = tile.count, .layout = layout};
  out.registers.resize(size_t(layout.registerCount()));
  return Exchange(*this, tile, layout, false).run(std::move(out));
}

ThreadTile Tiles::simple(const ThreadTile &tile) {
  if (tile.isScalar() || tile.isUniform || tile.array)
    return tile;
  BitLayout layout = simpleLayout(tile.count);
  if (isInRegisters(tile.count))
    return inLayout(tile, layout);
  return Exchange(*this, tile, layout, true).run(newTile(tile.element, tile.count));
}

} // namespace tessera::tile_lower
