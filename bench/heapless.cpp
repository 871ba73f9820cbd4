// What the heap costs: preloaded, memory is taken from lists of blocks that were freed before, without looking for a place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   LD_PRELOAD=build/lib/bench/libtessera-heapless.so build/lib/bin/tessera-layout-bench
//
// An upper bound of what results with inline storage could save, as these would be larger to move. For one thread.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
struct Block {
  Block *next;
};
constexpr size_t unit = 64;
std::array<Block *, 65> freed = {}; // by size in units; larger ones go to the heap

size_t units(size_t bytes) { return (bytes + unit - 1) / unit; }
} // namespace

void *operator new(size_t bytes) {
  const size_t size = units(bytes);
  if (size >= freed.size() || !freed[size])
    return std::malloc(size * unit);
  Block *block = freed[size];
  freed[size] = block->next;
  return block;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t bytes) noexcept {
  const size_t size = units(bytes);
  if (!memory || size >= freed.size())
    return std::free(memory);
  Block *block = static_cast<Block *>(memory);
  block->next = freed[size];
  freed[size] = block;
}
