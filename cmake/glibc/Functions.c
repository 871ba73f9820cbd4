/* Functions that an older glibc lacks: linked into each program, and seen by none else. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Who calls them: our code through this machine's headers, and the archives of libstdc++, libgcc
 * and LLVM, which were compiled against them. Each has what the newer function promises, made of
 * functions that glibc 2.28 has; where the glibc that runs the program has the newer one and it
 * does more, that is called. cmake/OldGlibc.cmake compiles and links this.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
#error "the names and numbers below are those of x86-64"
#endif

/* Before 2.33, stat and its like were inline, and called these with the version of the structure.
 */
enum {
  StatVersion = 1,
  MknodVersion = 0
};
int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __xmknod(int, const char *, mode_t, dev_t *);

int stat(const char *path, struct stat *out) { return __xstat(StatVersion, path, out); }
int lstat(const char *path, struct stat *out) { return __lxstat(StatVersion, path, out); }
int fstat(int file, struct stat *out) { return __fxstat(StatVersion, file, out); }
int fstatat(int folder, const char *path, struct stat *out, int flags) {
  return __fxstatat(StatVersion, folder, path, out, flags);
}
int mknod(const char *path, mode_t mode, dev_t device) {
  return __xmknod(MknodVersion, path, mode, &device);
}

/* struct stat64 is the same on x86-64. */
_Static_assert(sizeof(struct stat64) == sizeof(struct stat), "two structures");
int stat64(const char *path, struct stat64 *out) { return stat(path, (struct stat *)out); }
int lstat64(const char *path, struct stat64 *out) { return lstat(path, (struct stat *)out); }
int fstat64(int file, struct stat64 *out) { return fstat(file, (struct stat *)out); }
int fstatat64(int folder, const char *path, struct stat64 *out, int flags) {
  return fstatat(folder, path, (struct stat *)out, flags);
}

/* 2.32: whether libstdc++ may count references without atomic instructions. Never is right. */
char __libc_single_threaded = 0;

/* 2.33. Before, numbers have 32 bits, and those of more than 4 GiB are cut. */
struct mallinfo2 mallinfo2(void) {
  struct mallinfo2 (*newer)(void) = (struct mallinfo2 (*)(void))dlsym(RTLD_DEFAULT, "mallinfo2");
  if (newer)
    return newer();
  const struct mallinfo old = mallinfo();
  return (struct mallinfo2){
      (unsigned)old.arena,    (unsigned)old.ordblks,  (unsigned)old.smblks,  (unsigned)old.hblks,
      (unsigned)old.hblkhd,   (unsigned)old.usmblks,  (unsigned)old.fsmblks, (unsigned)old.uordblks,
      (unsigned)old.fordblks, (unsigned)old.keepcost,
  };
}

/* 2.36, for std::random_device. */
uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0)
    abort(); /* as arc4random does where the kernel has no random numbers */
  return number;
}

/* 2.30, for waits of std::condition_variable on the steady clock. Without it, the time that is left
 * is waited for on the system's clock: where somebody sets that, the wait is longer or shorter, as
 * it was with libstdc++ of the time. */
static int clockWait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                     const struct timespec *until) {
  enum {
    second = 1000000000
  };
  struct timespec end = *until, now, system;
  if (clock != CLOCK_REALTIME) {
    if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &system) != 0)
      return EINVAL;
    end.tv_sec += system.tv_sec - now.tv_sec;
    end.tv_nsec += system.tv_nsec - now.tv_nsec;
    if (end.tv_nsec >= second) {
      end.tv_nsec -= second;
      ++end.tv_sec;
    } else if (end.tv_nsec < 0) {
      end.tv_nsec += second;
      --end.tv_sec;
    }
    if (end.tv_sec < 0)
      return ETIMEDOUT;
  }
  return pthread_cond_timedwait(condition, mutex, &end);
}

typedef int ClockWait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
  static ClockWait *known; /* written with one value only */
  ClockWait *wait = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!wait) {
    wait = (ClockWait *)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
    if (!wait)
      wait = clockWait;
    __atomic_store_n(&known, wait, __ATOMIC_RELAXED);
  }
  return wait(condition, mutex, clock, until);
}

/* 2.35: where the unwinding information of an address is. libgcc asks it for each frame of an
 * exception. */
struct dl_find_object;
typedef int FindObject(void *, struct dl_find_object *);

struct Search {
  uintptr_t address;
  struct dl_find_object *out;
};

static int lookInto(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct Search *search = data;
  uintptr_t first = UINTPTR_MAX, end = 0;
  const ElfW(Phdr) *table = 0;
  int holds = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) {
      table = part;
    } else if (part->p_type == PT_LOAD) {
      if (begin < first)
        first = begin;
      if (begin + part->p_memsz > end)
        end = begin + part->p_memsz;
      holds |= search->address >= begin && search->address < begin + part->p_memsz;
    }
  }
  if (!holds)
    return 0;
  search->out->dlfo_flags = 0;
  search->out->dlfo_map_start = (void *)first;
  search->out->dlfo_map_end = (void *)end;
  search->out->dlfo_link_map = 0; /* libgcc does not read it */
  search->out->dlfo_eh_frame = table ? (void *)(object->dlpi_addr + table->p_vaddr) : 0;
  return table ? 1 : -1;
}

static int findObject(void *address, struct dl_find_object *out) {
  struct Search search = {(uintptr_t)address, out};
  return dl_iterate_phdr(lookInto, &search) == 1 ? 0 : -1;
}

int _dl_find_object(void *address, struct dl_find_object *out) {
  static FindObject *known;
  FindObject *find = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!find) {
    find = (FindObject *)dlsym(RTLD_DEFAULT, "_dl_find_object");
    if (!find)
      find = findObject;
    __atomic_store_n(&known, find, __ATOMIC_RELAXED);
  }
  return find(address, out);
}
