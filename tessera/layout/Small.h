// A list that needs no heap while it is short: modes of layouts of usual size on their way through an operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench/layout.cpp has the reason: allocations were more than half of the time of a composition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace tessera::layout {

template <class T, size_t N = 8> class Small {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  Small() = default;
  Small(const Small &other) { append(other.begin(), other.end()); }
  Small(Small &&other) noexcept
      : used(other.used), capacity(other.capacity), heap(std::move(other.heap)) {
    if (!heap)
      std::uninitialized_copy(other.begin(), other.end(), data());
    other.used = 0;
    other.capacity = N;
  }
  Small &operator=(Small other) noexcept {
    this->~Small();
    return *new (this) Small(std::move(other));
  }

  size_t size() const { return used; }
  bool empty() const { return used == 0; }
  T *data() { return reinterpret_cast<T *>(heap ? heap.get() : inlined); }
  const T *data() const { return reinterpret_cast<const T *>(heap ? heap.get() : inlined); }
  T *begin() { return data(); }
  T *end() { return data() + used; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + used; }
  T &operator[](size_t i) { return data()[i]; }
  const T &operator[](size_t i) const { return data()[i]; }
  T &back() { return data()[used - 1]; }
  const T &back() const { return data()[used - 1]; }

  void push_back(const T &value) { emplace_back(value); }
  /// Made where it stays: copying what has just been written waits for the writes.
  template <class... Parts> T &emplace_back(const Parts &...parts) {
    if (used == capacity)
      grow();
    return *new (data() + used++) T{parts...};
  }
  /// Keeps the first `count` elements.
  void shrink(size_t count) { used = std::min(used, count); }
  template <class It> void append(It first, It last) {
    for (; first != last; ++first)
      push_back(*first);
  }

private:
  void grow() {
    std::unique_ptr<std::byte[]> larger(new std::byte[2 * capacity * sizeof(T)]);
    std::uninitialized_copy(begin(), end(), reinterpret_cast<T *>(larger.get()));
    heap = std::move(larger);
    capacity *= 2;
  }

  size_t used = 0, capacity = N;
  std::unique_ptr<std::byte[]> heap;
  alignas(T) std::byte inlined[N * sizeof(T)];
};

} // namespace tessera::layout
