// TensorMemory: a block's tensor memory (tcgen05): 128 lanes of 512 columns of 32 bits, allocated
// by columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Threads.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tessera::sim {

/// An address: the lane in the upper half, the column in the lower half. PTX ISA 9.7.16.1.
struct TensorAddress {
  uint32_t lane = 0, column = 0;

  static TensorAddress of(uint32_t word) { return {word >> 16, word & 0xffff}; }
  uint32_t word() const { return lane << 16 | column; }
};

/// Cells that an instruction uses, for observers.
class TensorCells {
public:
  static constexpr uint32_t lanes = atom::Threads::tensorLanes,
                            columns = atom::Threads::tensorColumns;

  void add(TensorAddress at) {
    words[at.column * perColumn + at.lane / 64] |= uint64_t(1) << at.lane % 64;
    first = std::min(first, at.column);
    end = std::max(end, at.column + 1);
  }
  bool has(TensorAddress at) const {
    return words[at.column * perColumn + at.lane / 64] >> at.lane % 64 & 1;
  }
  void clear() {
    std::fill(words.begin() + std::min(first, end) * perColumn, words.begin() + end * perColumn, 0);
    first = columns, end = 0;
  }
  /// Calls f(address, lanes) for runs of adjacent lanes, as long as it returns true; returns
  /// whether it always did.
  template <class F> bool runs(F f) const {
    for (uint32_t column = first; column < end; ++column)
      for (uint32_t lane = 0, next; lane < lanes; lane = next) {
        bool used = has({lane, column});
        for (next = lane + 1; next < lanes && has({next, column}) == used;)
          ++next;
        if (used && !f(TensorAddress{lane, column}, next - lane))
          return false;
      }
    return true;
  }

private:
  static constexpr uint32_t perColumn = lanes / 64;
  std::array<uint64_t, columns * perColumn> words{};
  uint32_t first = columns, end = 0; // of the columns
};

class TensorMemory {
public:
  static constexpr uint32_t lanes = TensorCells::lanes, columns = TensorCells::columns,
                            leastColumns = 32;

  /// Whether a number of columns can be asked for: a power of two from 32 to 512.
  static bool isAmount(uint32_t count) {
    return count >= leastColumns && count <= columns && !(count & (count - 1));
  }
  /// The first column, or nothing if there are not so many adjacent free columns now.
  std::optional<uint32_t> allocate(uint32_t count);
  /// Frees an allocation of `count` columns; false if there is none at `column`.
  bool free(uint32_t column, uint32_t count);
  bool isAllocated(uint32_t column) const { return column < columns && owner[column]; }
  uint32_t allocated() const;

  /// A cell, which must be within allocated columns.
  uint32_t &at(uint32_t lane, uint32_t column) { return cells[size_t(lane) * columns + column]; }

  bool relinquished = false; // no more allocations

private:
  std::vector<uint32_t> cells = std::vector<uint32_t>(size_t(lanes) * columns);
  uint16_t owner[columns] = {}; // first column + 1 of the allocation that a column belongs to
};

} // namespace tessera::sim
