// BitLayout: the elements of a tile that each thread holds in its registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles have 2^n elements, blocks 2^t threads, and a thread 2^r registers of a tile. Elements are
// counted in row-major order. A bit of the number of a thread or register stands for one bit of the
// element's number, or for none: then the element does not depend on it. This is a CuTe layout
// (thread, register) -> element whose extents are 2 and whose strides are powers of two or 0.
// docs/tile-layouts.md has the theory.
#pragma once

#include "tessera/layout/Layout.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tessera::tile_lower {

using BitList = llvm::SmallVector<int8_t, 8>;
constexpr int8_t noBit = -1;

/// Bits 0, 1, ... below `count`.
BitList bitsUpTo(int count);
/// The bits of a number, lowest first.
int log2Of(int64_t number);

struct BitLayout {
  BitList threads;   // by bit of a thread's number, lowest first: a bit of the element, or noBit
  BitList registers; // likewise; no noBit

  int64_t registerCount() const { return int64_t(1) << registers.size(); }
  /// The bits of the element's number that the register's number sets.
  int64_t registerPart(int64_t number) const { return partOf(registers, number); }
  int64_t threadPart(int64_t thread) const { return partOf(threads, thread); }
  /// The register that sets these bits of the element's number; bits that no register sets are
  /// ignored.
  int64_t registerOf(int64_t part) const;
  /// Bits of the thread's number that do not change the element: replicas.
  int64_t replicas() const;

  /// How many of the lowest bits in `order` are those of the first registers.
  int vectorBits(llvm::ArrayRef<int8_t> order) const;

  friend bool operator==(const BitLayout &a, const BitLayout &b) {
    return a.threads == b.threads && a.registers == b.registers;
  }

private:
  static int64_t partOf(llvm::ArrayRef<int8_t> bits, int64_t number);
};

/// Distributes elements in the order of `order`, which has each bit of the element once: first over
/// 2^vectorBits registers, then over threads, then over more registers.
BitLayout blocked(llvm::ArrayRef<int8_t> order, int threadBits, int vectorBits = 0);
/// The layout of a tile without the bits `removed`, such as a reduced dimension. Threads that
/// differed only in them hold the same elements.
BitLayout without(const BitLayout &layout, int64_t removed);
/// The layout of a tile whose bit i is bit map[i] of another tile.
BitLayout renamed(const BitLayout &layout, llvm::ArrayRef<int8_t> map);

/// Whether each thread finds all its elements of `to` among those that it holds in `from`.
bool staysInThreads(const BitLayout &from, const BitLayout &to);

/// The leaves of a layout as bits: extents and strides are powers of two, or strides 0.
BitList bitsOf(const layout::Layout &layout);

/// The mode of a layout with these strides, one for each bit, in units of `unit`. Runs of strides
/// that double, or are all 0, become one leaf.
layout::Layout modeOf(llvm::ArrayRef<int64_t> strides, int64_t unit = 1);
/// (thread, register) -> element of a tile with rows of 2^columnBits elements, where the layout
/// counts columns fastest: the form that `render` draws.
layout::Layout threadValues(const BitLayout &layout, int columnBits);

/// Number of passes in which the 32 lanes of a warp access `bytes` bytes each at these addresses in
/// shared memory, which has 32 banks of 4 bytes: 1 without conflicts.
int waysOf(llvm::ArrayRef<int64_t> addresses, int bytes);

/// The swizzle of byte addresses with the fewest bank conflicts when one layout writes vectors of
/// 2^writeBits elements to shared memory and another reads vectors of 2^readBits.
layout::Swizzle swizzleFor(const BitLayout &writer, int writeBits, const BitLayout &reader,
                           int readBits, int elementBytes);

} // namespace tessera::tile_lower
