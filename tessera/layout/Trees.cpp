// Memory for the modes of tuples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result of two modes has two blocks. The heap takes about 400 instructions to make and free
// them, as many as a complement takes in all, so a thread keeps short blocks that it freed.
#include "tessera/layout/Tree.h"

#include "tessera/base/PerThread.h"

#include <algorithm>

namespace tessera::layout {

constinit Trees::Block Trees::none = {0, 0};

namespace {
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool keepsBlocks = false; // it must see who uses what was freed
#else
constexpr bool keepsBlocks = true;
#endif

constexpr size_t longest = 8; // modes of a block that is kept
constexpr uint32_t most = 64; // blocks of one length

/// Blocks of one length; `room` for so many more.
struct List {
  struct Block {
    Block *next;
  };
  Block *first;
  uint32_t room;
};
/// A thread keeps no block before it is known to free them at its end, and none that is given back
/// after that.
struct Kept {
  std::array<List, longest + 1> lists;
  bool begun;

  void begin();
  void end() {
    for (List &list : lists) {
      list.room = 0;
      while (List::Block *block =
                 std::exchange(list.first, list.first ? list.first->next : nullptr))
        ::operator delete(block);
    }
  }
};
constinit thread_local Kept kept = {};

void Kept::begin() {
  begun = true; // also where that fails: such a thread keeps nothing
  static constinit ThreadEnd atEnd([](void *of) { static_cast<Kept *>(of)->end(); });
  if (!atEnd.set(this))
    return;
  for (size_t modes = 1; modes <= longest; ++modes)
    lists[modes].room = most;
}

[[gnu::noinline]] void toHeap(void *block, size_t modes) {
  if (keepsBlocks && !kept.begun)
    kept.begin(); // for the next one
  if (modes)      // else it is the block of all empty lists
    ::operator delete(block);
}

void *take(size_t modes) {
  if (modes <= longest)
    if (List &list = kept.lists[modes]; list.first) {
      ++list.room;
      return std::exchange(list.first, list.first->next);
    }
  return ::operator new(sizeof(uint64_t) + modes * sizeof(Tree));
}
void give(void *block, size_t modes) {
  if (modes > longest || kept.lists[modes].room == 0)
    return toHeap(block, modes);
  List &list = kept.lists[modes];
  --list.room;
  list.first = new (block) List::Block{list.first};
}
} // namespace

Trees::Block *Trees::blockOf(size_t capacity) {
  static_assert(sizeof(Block) == sizeof(uint64_t) && alignof(Tree) <= alignof(uint64_t));
  return new (take(capacity)) Block{0, uint32_t(capacity)};
}

void Trees::release(Block *block) {
  std::destroy_n(block->modes(), block->used);
  give(block, block->capacity);
}

void Trees::reserve(size_t capacity) {
  if (capacity <= (block ? block->capacity : 0))
    return;
  Block *larger = blockOf(capacity);
  if (block) {
    std::uninitialized_move_n(block->modes(), block->used, larger->modes());
    larger->used = block->used;
    release(block);
  }
  block = larger;
}

Tree *Trees::place() {
  if (const size_t used = size(); !block || used == block->capacity)
    reserve(used ? 2 * used : 2);
  return block->modes() + block->used++;
}

void Trees::copy(const Trees &other) {
  try {
    fill(other.size(), [&](size_t i) -> const Tree & { return other[i]; });
  } catch (...) { // here, as callers may be compiled without exceptions
    if (block)
      release(std::exchange(block, nullptr));
    throw;
  }
}

Trees::Trees(std::vector<Tree> &&list) : Trees() {
  reserve(list.size());
  append(std::move_iterator(list.begin()), std::move_iterator(list.end()));
}

Trees::operator std::vector<Tree>() const { return {begin(), end()}; }

bool operator==(const Trees &a, const Trees &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

} // namespace tessera::layout
