// Shadow: what the sanitizer stores for each word of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four marks for each word of 4 bytes, as in ThreadSanitizer (Serebryany and Iskhodzhanov, WBIA
// 2009): accesses that no later one has replaced. If there are more, a read is dropped, so a race
// may be missed.
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

/// An access to some bytes of a word, by lanes of an agent at its clock.
struct Mark {
  uint32_t agent = 0, clock = 0; // clock 0: none
  Mask lanes = 0;
  uint32_t line : 22 = 0, access : 6 = 0, bytes : 4 = 0;

  Access how() const { return Access(access); }
};
/// A plain read of what compare-and-swaps change is how the CUDA C++ Programming Guide begins their
/// loops: a stale value does no harm there.
inline bool isFirstLook(const Mark &a, const Mark &b) {
  return (a.how() == Access::Read && b.how() == Access::Cas) ||
         (a.how() == Access::Cas && b.how() == Access::Read);
}

struct alignas(64) Cell { // a line of the host's cache
  static constexpr uint32_t bytes = 4;
  Mark marks[4];
};

/// The shadow of a block's shared memory, or of its tensor memory. The latter has cells instead of
/// bytes: a word of the shadow is four lanes of a column, and the words of a column are
/// consecutive.
class SharedShadow {
public:
  explicit SharedShadow(size_t bytes)
      : cells(bytes / Cell::bytes + 1), written(bytes), barriers(bytes / 8 + 1) {}

  std::vector<Cell> cells;
  Written written;
  std::vector<bool> barriers; // by 8 bytes: whether an mbarrier is there
  bool hasBarriers = false;   // whether there was any
  std::map<std::pair<uint32_t, int>, Mark>
      visits;               // the last one of each agent and lane of another block
  std::vector<Mark> copies; // reads by copies to other blocks, except for some that have ended
  /// By 8 bytes: what threads did last with the mbarrier there, by warp of the cluster.
  std::unordered_map<uint32_t, std::vector<Mark>> uses;
};

/// The shadow of global memory: pages that are created when they are touched, and the clocks
/// released at addresses.
class GlobalShadow {
public:
  static constexpr uint64_t pageBytes = 4096;
  struct Page {
    std::mutex mutex;
    Cell cells[pageBytes / Cell::bytes];
  };
  Page &page(uint64_t address);
  /// f(number, cells) for each page, by number. When no launch runs.
  template <class F> void forEachPage(F &&f) const {
    std::map<uint64_t, const Page *> sorted;
    for (const auto &[number, page] : pages)
      sorted.emplace(number, page.get());
    for (auto [number, page] : sorted)
      f(number, page->cells);
  }
  /// Forgets all accesses to whole words of these bytes.
  void forget(uint64_t address, uint64_t bytes);

  /// The clocks released at an address: by scope, and by the number of the block or cluster, or 0.
  using Releases = std::map<std::pair<Scope, uint64_t>, Clocks>;
  std::mutex mutex; // protects what follows
  std::unordered_map<const std::byte *, Releases> releases;
  std::atomic<bool> hasReleases = false;

private:
  std::mutex pagesMutex;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
};

} // namespace tessera::sanitize
