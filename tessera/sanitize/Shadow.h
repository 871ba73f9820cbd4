// Shadow: what the sanitizer remembers of each word of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four marks a word of 4 bytes, as ThreadSanitizer keeps them (Serebryany and Iskhodzhanov, WBIA
// 2009): accesses that nothing has replaced yet. Where there are more, a read is forgotten, so a
// race may be missed.
#pragma once

#include "tessera/sanitize/Clocks.h"
#include "tessera/sanitize/Written.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tessera::sanitize {

using sim::Access;
using sim::Scope;

/// An access of some bytes of a word: by lanes of an agent, at its clock.
struct Mark {
  uint32_t agent = 0, clock = 0; // clock 0: none
  Mask lanes = 0;
  uint32_t line : 22 = 0, access : 6 = 0, bytes : 4 = 0;

  Access how() const { return Access(access); }
};
struct alignas(64) Cell { // a line of the host's cache
  static constexpr uint32_t bytes = 4;
  Mark marks[4];
};

/// Of the shared memory of a block, and of its tensor memory, whose cells are not bytes: a word of
/// the shadow is four lanes of a column, and those of a column follow each other.
class SharedShadow {
public:
  explicit SharedShadow(size_t bytes)
      : cells(bytes / Cell::bytes + 1), written(bytes), barriers(bytes / 8 + 1) {}

  std::vector<Cell> cells;
  Written written;
  std::vector<bool> barriers; // by 8 bytes: an mbarrier lives there
  bool hasBarriers = false;   // whether there has been one
  std::map<std::pair<uint32_t, int>, Mark>
      visits; // the last one of each agent and lane of another block
};

/// Of global memory: pages that appear when they are touched, and what releases have left at
/// addresses.
class GlobalShadow {
public:
  static constexpr uint64_t pageBytes = 4096;
  struct Page {
    std::mutex mutex;
    Cell cells[pageBytes / Cell::bytes];
  };
  Page &page(uint64_t address);
  /// What was done with whole words of these bytes.
  void forget(uint64_t address, uint64_t bytes);

  /// What was released at an address: by scope, and the number of the block or of the cluster, or
  /// 0.
  using Releases = std::map<std::pair<Scope, uint64_t>, Clocks>;
  std::mutex mutex; // of what follows
  std::unordered_map<const std::byte *, Releases> releases;
  std::atomic<bool> hasReleases = false;

private:
  std::mutex pagesMutex;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
};

} // namespace tessera::sanitize
