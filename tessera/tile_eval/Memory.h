// Memory: the memory that a tile program may access: arrays of the host, and its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are those of the host, so that a pointer means the same inside and outside. Only ranges
// that were added or allocated may be accessed. If `Accesses` are checked, each element remembers
// its last writer and its last reader, and an access that no token orders after the other one is a
// race. Races with an earlier reader than the last are not detected, nor races of elements that
// overlap but begin at different addresses.
#pragma once

#include "tessera/tile_eval/Errors.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tessera::tile_eval {

/// An access: the tile block and the op.
struct AccessId {
  uint32_t block = 0;       // its number in the grid, from 1; 0: nobody
  uint32_t access : 31 = 0; // the number of the op among those of its block that touch memory
  uint32_t isAtomic : 1 = 0;

  bool operator==(const AccessId &) const = default;
};

class Memory {
public:
  /// Adds bytes of the host that programs may access; they must live as long as this. A range that
  /// overlaps another one is joined with it.
  void add(void *data, size_t bytes);
  /// Zeroed bytes at a multiple of 256; nothing if the host has none left.
  std::optional<uint64_t> allocate(size_t bytes);
  /// Removes a range, however it was made, and forgets its accesses.
  void remove(uint64_t address);

  /// Whether all these bytes may be accessed.
  bool contains(uint64_t address, size_t bytes) const {
    if (address >= last.begin && address <= last.end && bytes <= last.end - address)
      return true;
    return find(address, bytes);
  }

  /// The last accesses of the element at an address.
  struct Touch {
    AccessId write, read;
  };
  Touch &touch(uint64_t address) {
    if (address / pageBytes != page || !touches) {
      auto at = pages.find(address / pageBytes);
      if (at == pages.end())
        at = pages.emplace(address / pageBytes, std::make_unique<Page>()).first;
      page = at->first;
      touches = at->second.get();
    }
    return (*touches)[address % pageBytes];
  }
  void forgetTouches() {
    pages.clear();
    touches = nullptr;
  }

private:
  bool find(uint64_t address, size_t bytes) const;

  struct Range {
    uint64_t begin = 1, end = 0;
  };
  std::map<uint64_t, uint64_t> ranges; // begin to end
  mutable Range last;                  // the last one that was looked up
  std::map<uint64_t, std::unique_ptr<std::byte[]>> owned;
  static constexpr uint64_t pageBytes = 1024;
  using Page = std::array<Touch, pageBytes>;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  Page *touches = nullptr; // those of `page`
  uint64_t page = 0;
};

} // namespace tessera::tile_eval
