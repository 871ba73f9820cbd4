// Small: a list that needs no heap while it is short, for modes of layouts of usual size during an
// operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench/layout.cpp has the reason: allocations were more than half of the time of a composition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tessera::layout {

template <class T, size_t N = 8> class Small {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  Small() = default;
  Small(const Small &other) : Small() { append(other.begin(), other.end()); }
  Small(Small &&other) noexcept : used(other.used), capacity(other.capacity) {
    if (other.first != other.own())
      first = std::exchange(other.first, other.own());
    else
      std::uninitialized_copy(other.begin(), other.end(), first);
    other.used = 0;
    other.capacity = N;
  }
  Small &operator=(Small &&other) noexcept {
    if (this == &other)
      return *this;
    this->~Small();
    return *new (this) Small(std::move(other));
  }
  Small &operator=(const Small &other) { return *this = Small(other); } // not noexcept: see Trees
  ~Small() {
    if (first != own())
      ::operator delete(first);
  }

  size_t size() const { return used; }
  bool empty() const { return used == 0; }
  T *data() { return first; }
  const T *data() const { return first; }
  T *begin() { return data(); }
  T *end() { return data() + used; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + used; }
  T &operator[](size_t i) { return data()[i]; }
  const T &operator[](size_t i) const { return data()[i]; }
  T &back() { return data()[used - 1]; }
  const T &back() const { return data()[used - 1]; }

  void push_back(const T &value) { emplace_back(value); }
  /// Built in place: copying what has just been written waits for the writes.
  template <class... Parts> T &emplace_back(const Parts &...parts) {
    if (used == capacity)
      grow();
    return *new (data() + used++) T{parts...};
  }
  template <class It> void append(It from, It to) {
    for (; from != to; ++from)
      push_back(*from);
  }

private:
  T *own() { return reinterpret_cast<T *>(inlined); }
  [[gnu::noinline]] void grow() {
    T *larger = static_cast<T *>(::operator new(2 * capacity * sizeof(T)));
    std::uninitialized_copy(begin(), end(), larger);
    if (first != own())
      ::operator delete(first);
    first = larger;
    capacity *= 2;
  }

  T *first = own(); // or on the heap
  uint32_t used = 0, capacity = N;
  alignas(T) std::byte inlined[N * sizeof(T)];
};

} // namespace tessera::layout
