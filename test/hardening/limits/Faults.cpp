// operator new that fails when it is told to, and calloc and pthread_create likewise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Faults.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <dlfcn.h>
#include <new>
#include <pthread.h>

namespace {
std::atomic<long> allocationsLeft = 0, threadsLeft = 0;
std::atomic<bool> failed = false;
thread_local bool beginsThread = false;

/// Counts down to the one that fails.
bool isDue(std::atomic<long> &left) { return left.load() > 0 && left.fetch_sub(1) == 1; }

void *allocate(std::size_t size, std::size_t align) {
  if (isDue(allocationsLeft)) {
    failed = true;
    throw std::bad_alloc();
  }
  void *memory = align > alignof(std::max_align_t)
                     ? std::aligned_alloc(align, (size + align - 1) / align * align)
                     : std::malloc(size ? size : 1);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
} // namespace

void tessera::test::failAllocation(long n) {
  failed = false;
  allocationsLeft = n;
}
bool tessera::test::allocationFailed() { return failed; }
long tessera::test::allocationsLeftOver() { return allocationsLeft; }
void tessera::test::failThread(long n) { threadsLeft = n; }

void *operator new(std::size_t size) { return allocate(size, 1); }
void *operator new[](std::size_t size) { return allocate(size, 1); }
// The library's would do, but not the address sanitizer's.
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  try {
    return allocate(size, 1);
  } catch (...) {
    return nullptr;
  }
}
void *operator new[](std::size_t size, const std::nothrow_t &none) noexcept {
  return operator new(size, none);
}
void *operator new(std::size_t size, std::align_val_t align) {
  return allocate(size, std::size_t(align));
}
void *operator new[](std::size_t size, std::align_val_t align) {
  return allocate(size, std::size_t(align));
}
void *operator new(std::size_t size, std::align_val_t align, const std::nothrow_t &) noexcept {
  try {
    return allocate(size, std::size_t(align));
  } catch (...) {
    return nullptr;
  }
}
void *operator new[](std::size_t size, std::align_val_t align,
                     const std::nothrow_t &none) noexcept {
  return operator new(size, align, none);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESSERA_SANITIZED // which has to see each thread begin, as it sees each one joined
extern "C" int __interceptor_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                            void *);
#endif
#endif

#if defined(TESSERA_FAIL_CALLOC) && defined(__GLIBC__) && !defined(TESSERA_SANITIZED)
// What glibc itself asks for: a thread_local with a destructor, a key's values. Not a thread, whose
// refusal is another error (failThread).
extern "C" void *__libc_calloc(std::size_t, std::size_t);
extern "C" void *calloc(std::size_t count, std::size_t size) {
  if (!beginsThread && isDue(allocationsLeft)) {
    failed = true;
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_calloc(count, size);
}
#endif

extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                              void *(*run)(void *), void *argument) {
  if (isDue(threadsLeft))
    return EAGAIN;
#ifdef TESSERA_SANITIZED
  auto *real = __interceptor_pthread_create;
#else
  static auto *real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
#endif
  beginsThread = true;
  int code = real(thread, attributes, run, argument);
  beginsThread = false;
  return code;
}
