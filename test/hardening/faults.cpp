// A library to preload: counts calls of the system, and makes one of them fail once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LD_PRELOAD=libfaults.so with
//   TESSERA_FAULT=CALL:N:ERRNO  the N-th call (from 1) of CALL fails with the number ERRNO;
//   TESSERA_FAULT_COUNTS=FILE   adds a line "CALL COUNT" for each to FILE when the process ends;
//   TESSERA_FAULT_MAPPED=FILE   adds the name of each file that is mapped.
// Calls are those of a program and its libraries; what libc does inside itself is not seen. Of the
// children only their start is: LD_PRELOAD is removed from the environment.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

enum Call : int {
  Write,
  Pwrite,
  Rename,
  Fork,
  Map,
  Open,
  Sync,
  calls
};
constexpr const char *names[calls] = {"write", "pwrite", "rename", "fork", "mmap", "open", "fsync"};

std::atomic<long> counts[calls];
int failing = -1, failure = 0;
long failingAt = 0;
char countsFile[4096], mappedFile[4096];

void copy(char *to, const char *from) {
  if (from)
    std::snprintf(to, 4096, "%s", from);
}

__attribute__((constructor)) void readEnvironment() {
  copy(countsFile, std::getenv("TESSERA_FAULT_COUNTS"));
  copy(mappedFile, std::getenv("TESSERA_FAULT_MAPPED"));
  char name[16];
  if (const char *fault = std::getenv("TESSERA_FAULT"))
    if (std::sscanf(fault, "%15[a-z]:%ld:%d", name, &failingAt, &failure) == 3)
      for (int i = 0; i < calls; ++i)
        if (std::strcmp(name, names[i]) == 0)
          failing = i;
  unsetenv("LD_PRELOAD");
}

void append(const char *file, const char *text) {
  long to = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (to < 0)
    return;
  syscall(SYS_write, to, text, std::strlen(text));
  syscall(SYS_close, to);
}

__attribute__((destructor)) void tellCounts() {
  if (!*countsFile)
    return;
  char text[256] = "";
  for (int i = 0; i < calls; ++i)
    std::snprintf(text + std::strlen(text), 32, "%s %ld\n", names[i], counts[i].load());
  append(countsFile, text);
}

/// Whether this call is the one.
bool fails(Call call) {
  if (++counts[call] != failingAt || failing != call)
    return false;
  errno = failure;
  return true;
}

template <class F> F next(const char *name) { return reinterpret_cast<F>(dlsym(RTLD_NEXT, name)); }
#define NEXT(name) next<decltype(&::name)>(#name)

mode_t modeOf(int flags, va_list list) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}
#define MODE()                                                                                     \
  va_list list;                                                                                    \
  va_start(list, flags);                                                                           \
  mode_t mode = modeOf(flags, list);                                                               \
  va_end(list)

void *map(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(Map))
    return MAP_FAILED;
  if (*mappedFile && file >= 0) {
    char link[64], name[4096];
    std::snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, name, sizeof(name) - 2);
    if (length > 0) {
      name[length] = '\n';
      name[length + 1] = '\0';
      append(mappedFile, name);
    }
  }
  return NEXT(mmap)(at, size, protection, flags, file, offset);
}

} // namespace

extern "C" {

ssize_t write(int file, const void *bytes, size_t size) {
  return fails(Write) ? -1 : NEXT(write)(file, bytes, size);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
  return fails(Pwrite) ? -1 : NEXT(pwrite)(file, bytes, size, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
  return fails(Pwrite) ? -1 : NEXT(pwrite64)(file, bytes, size, at);
}
int rename(const char *from, const char *to) noexcept {
  return fails(Rename) ? -1 : NEXT(rename)(from, to);
}
int renameat(int a, const char *from, int b, const char *to) noexcept {
  return fails(Rename) ? -1 : NEXT(renameat)(a, from, b, to);
}
int fsync(int file) { return fails(Sync) ? -1 : NEXT(fsync)(file); }

pid_t fork() noexcept { return fails(Fork) ? -1 : NEXT(fork)(); }
/// The child of a real vfork would return into this frame.
pid_t vfork() noexcept { return fails(Fork) ? -1 : NEXT(fork)(); }
int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *words, char *const *environment) {
  return fails(Fork) ? errno
                     : NEXT(posix_spawn)(child, path, actions, attributes, words, environment);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return map(at, size, protection, flags, file, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  return map(at, size, protection, flags, file, offset);
}

int open(const char *path, int flags, ...) {
  MODE();
  return fails(Open) ? -1 : NEXT(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE();
  return fails(Open) ? -1 : NEXT(open64)(path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
  MODE();
  return fails(Open) ? -1 : NEXT(openat)(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  MODE();
  return fails(Open) ? -1 : NEXT(openat64)(at, path, flags, mode);
}

} // extern "C"
