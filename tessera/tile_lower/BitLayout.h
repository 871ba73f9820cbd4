// BitLayout: which element of a tile each thread holds in each of its registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles have 2^n elements, blocks 2^t threads, and a thread 2^r registers of a tile. Elements are
// counted in row-major order. A bit of the number of a thread or a register is one bit of the
// number of the element, or none: then the element is the same for both. This is a CuTe layout
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
  BitList threads; // of each bit of a thread's number, lowest first: a bit of the element, or noBit
  BitList registers; // likewise; no noBit

  int64_t registerCount() const { return int64_t(1) << registers.size(); }
  /// The bits of the element that a register's number gives.
  int64_t registerPart(int64_t number) const { return partOf(registers, number); }
  int64_t threadPart(int64_t thread) const { return partOf(threads, thread); }
  /// The register whose part has these bits; bits that no register gives are left out.
  int64_t registerOf(int64_t part) const;
  /// Bits of threads that hold what others hold too.
  int64_t replicas() const;

  /// How many of the lowest bits of `order` are those of the first registers.
  int vectorBits(llvm::ArrayRef<int8_t> order) const;

  friend bool operator==(const BitLayout &a, const BitLayout &b) {
    return a.threads == b.threads && a.registers == b.registers;
  }

private:
  static int64_t partOf(llvm::ArrayRef<int8_t> bits, int64_t number);
};

/// Elements go to the 2^vectorBits first registers, then to threads, then to more registers, in
/// the order of `order`, which has each bit of the element once.
BitLayout blocked(llvm::ArrayRef<int8_t> order, int threadBits, int vectorBits = 0);
/// Of a tile without the bits of `removed`, such as those of a dimension that was reduced: threads
/// that differed in them hold the same.
BitLayout without(const BitLayout &layout, int64_t removed);
/// The tile of which bit i is bit map[i] of another.
BitLayout renamed(const BitLayout &layout, llvm::ArrayRef<int8_t> map);

/// Whether each thread has all elements that it holds in `to` among those that it holds in `from`.
bool staysInThreads(const BitLayout &from, const BitLayout &to);

/// The leaves of a layout as bits: extents and strides are powers of two, or strides 0.
BitList bitsOf(const layout::Layout &layout);

/// The mode of a layout that steps by these strides, one for each bit, in units of `unit`: runs of
/// strides that double, or are all 0, are one leaf.
layout::Layout modeOf(llvm::ArrayRef<int64_t> strides, int64_t unit = 1);
/// (thread, register) -> element of a tile of rows of 2^columnBits elements, with the column
/// fastest in the layout's own count: what `render` draws.
layout::Layout threadValues(const BitLayout &layout, int columnBits);

/// How often the 32 lanes of a warp have to wait for each other when each accesses `bytes` bytes
/// at `address(lane)` in shared memory, which has 32 banks of 4 bytes: 1 without conflicts.
int waysOf(llvm::ArrayRef<int64_t> addresses, int bytes);

/// The swizzle of byte addresses with which two layouts meet in shared memory with the fewest
/// conflicts, one writing vectors of 2^writeBits elements, the other reading 2^readBits.
layout::Swizzle swizzleFor(const BitLayout &writer, int writeBits, const BitLayout &reader,
                           int readBits, int elementBytes);

} // namespace tessera::tile_lower
