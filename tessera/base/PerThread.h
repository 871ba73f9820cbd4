// PerThread: an object of each thread that asks for one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `thread_local` with a destructor does the same, but the C library registers the destructor when
// a thread first comes there, and ends the process where it has no memory for that
// (__cxa_thread_atexit_impl of glibc; the ABI of C++ has no way to refuse). So libraries that
// promise to survive that have none; the tests `exports-*` see to it.
//
// These are static and are never destroyed: threads that still run while the process ends may use
// them, and so may what is called then. A key of POSIX does not hold the library whose function it
// calls, so all that links the target tessera_base stays loaded until the process ends (-z
// nodelete).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <pthread.h>
#include <type_traits>

namespace tessera {

/// Calls a function with a pointer of each thread at the end of that thread; not for the thread
/// with which the process ends.
class ThreadEnd {
public:
  explicit constexpr ThreadEnd(void (*end)(void *)) noexcept : end(end) {}
  ThreadEnd(const ThreadEnd &) = delete;

  /// False where the system has no more for it: then nothing is called for this thread.
  bool set(void *pointer) noexcept {
    uintptr_t k = key.load(std::memory_order_acquire);
    return (k || (k = create())) && ::pthread_setspecific(pthread_key_t(k - 1), pointer) == 0;
  }
  /// Of this thread; null before set().
  void *get() const noexcept {
    uintptr_t k = key.load(std::memory_order_acquire);
    return k ? ::pthread_getspecific(pthread_key_t(k - 1)) : nullptr;
  }

private:
  static_assert(sizeof(pthread_key_t) <= sizeof(uintptr_t));
  /// Threads may come here at once: one of their keys is kept.
  uintptr_t create() noexcept {
    pthread_key_t made;
    if (::pthread_key_create(&made, end) != 0)
      return key.load(std::memory_order_acquire); // another thread may have had the last one
    uintptr_t before = 0, now = uintptr_t(made) + 1;
    if (key.compare_exchange_strong(before, now, std::memory_order_acq_rel))
      return now;
    ::pthread_key_delete(made);
    return before;
  }

  void (*end)(void *);
  std::atomic<uintptr_t> key = 0; // one more than POSIX's; 0: none yet
};

/// Objects that live until their threads end.
template <class T> class PerThread {
public:
  constexpr PerThread() noexcept = default;

  /// The object of this thread. Throws std::bad_alloc where there is no memory for it.
  T &get() {
    if (T *made = find())
      return *made;
    auto made = std::make_unique<T>();
    if (!atEnd.set(made.get()))
      throw std::bad_alloc();
    return *made.release();
  }
  /// Null where this thread has not asked for one.
  T *find() const noexcept { return static_cast<T *>(atEnd.get()); }

private:
  static void free(void *object) { delete static_cast<T *>(object); }

  ThreadEnd atEnd{free};
};
static_assert(std::is_trivially_destructible_v<PerThread<int>>);

} // namespace tessera
