// A child with limits, a pipe to it, and a filter of its system calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/OwnProcess.h"

#include "llvm/ADT/ScopeExit.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESSERA_SANITIZED 1
#endif
#endif

namespace tessera::import {

namespace {

constexpr char textKind = 'T', reasonKind = 'R', end = '.';

//===--- The child

void setLimit(decltype(RLIMIT_CPU) which, uint64_t most) {
  rlimit limit;
  if (getrlimit(which, &limit) != 0)
    return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, most);
  limit.rlim_max = limit.rlim_cur;
  (void)setrlimit(which, &limit);
}

#ifndef TESSERA_SANITIZED // whose shadow is most of the address space
/// The bytes of address space that are in use; 0 where that cannot be asked.
uint64_t addressSpace() {
  unsigned long long pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return uint64_t(pages) * uint64_t(sysconf(_SC_PAGESIZE));
}
#endif

/// From here on the process may compute, read and write what is open, and end.
void closeDoors() {
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) &&                         \
    !defined(TESSERA_SANITIZED)
#ifdef __x86_64__
  constexpr uint32_t machine = AUDIT_ARCH_X86_64;
#else
  constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
#endif
  constexpr uint32_t allowed[] = {
      SYS_read,         SYS_write,         SYS_close,          SYS_brk,       SYS_mmap,
      SYS_munmap,       SYS_mremap,        SYS_madvise,        SYS_mprotect,  SYS_futex,
      SYS_rt_sigreturn, SYS_clock_gettime, SYS_sched_yield,    SYS_getrandom, SYS_exit,
      SYS_exit_group,   SYS_rt_sigaction,  SYS_rt_sigprocmask, SYS_gettid,    SYS_getpid,
      SYS_tgkill,       SYS_fstat,         SYS_lseek};
  sock_filter program[3 + 2 * std::size(allowed) + 2];
  size_t size = 0;
  auto add = [&](sock_filter one) { program[size++] = one; };
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (uint32_t call : allowed) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  sock_fprog filter = {static_cast<unsigned short>(size), program};
  // A kernel without it leaves the limits.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#endif
}

/// False if the reader has closed the pipe.
bool writeAll(int to, const char *text, size_t size) {
  while (size) {
    ssize_t written = ::write(to, text, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    text += written;
    size -= size_t(written);
  }
  return true;
}

[[noreturn]] void runChild(int to, llvm::function_ref<Result<std::string>()> work,
                           const ProcessLimits &limits) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP, SIGTERM, SIGINT, SIGHUP,
                     SIGQUIT, SIGALRM, SIGPIPE, SIGXCPU})
    std::signal(signal, SIG_DFL);
  setLimit(RLIMIT_CORE, 0);
  setLimit(RLIMIT_CPU, uint64_t(std::ceil(limits.seconds)));
#ifndef TESSERA_SANITIZED
  if (uint64_t used = addressSpace())
    setLimit(RLIMIT_AS, used + limits.memoryBytes);
#endif
  if (int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC); nothing >= 0)
    for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      if (stream != to)
        ::dup2(nothing, stream);
  closeDoors();
  Result<std::string> done = work();
  const std::string &text = done ? *done : done.reason().text;
  writeAll(to, done ? &textKind : &reasonKind, 1) && writeAll(to, text.data(), text.size()) &&
      writeAll(to, &end, 1);
  ::_exit(0);
}

//===--- The parent

/// All that comes before the stream ends; a reason where it takes too long or is too much.
Result<std::string> readAll(int from, const ProcessLimits &limits) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point last =
      Clock::now() + std::chrono::milliseconds(int64_t(limits.seconds * 3000));
  std::string text;
  char piece[1 << 16];
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(last - Clock::now()).count();
    if (left <= 0)
      return Reason{"TooLong", cat("is not read within ", int64_t(limits.seconds), " s")};
    pollfd ready = {from, POLLIN, 0};
    if (int got = ::poll(&ready, 1, int(std::min<int64_t>(left, 1000)));
        got == 0 || (got < 0 && errno == EINTR))
      continue;
    ssize_t size = ::read(from, piece, sizeof(piece));
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return text;
    if (text.size() + size_t(size) > limits.textBytes + 2)
      return Reason{"TooLarge", cat("is more than ", limits.textBytes, " bytes as text")};
    text.append(piece, size_t(size));
  }
}

Reason endOf(int status) {
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return {"TooLong", "takes more time or memory to read than it may"};
  if (WIFSIGNALED(status))
    return {"Crashed", cat("makes MLIR's reader crash (signal ", WTERMSIG(status), ")")};
  return {"Crashed", "makes MLIR's reader end the process"};
}

} // namespace

Result<std::string> inOwnProcess(llvm::function_ref<Result<std::string>()> work,
                                 const ProcessLimits &limits) {
  int ends[2];
  if (::pipe(ends) != 0)
    return Reason{"NoProcess",
                  cat("cannot be read, as the system has no pipe for it: ", std::strerror(errno))};
  for (int one : ends)
    ::fcntl(one, F_SETFD, FD_CLOEXEC);
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    runChild(ends[1], work, limits);
  }
  int why = errno;
  ::close(ends[1]);
  llvm::scope_exit closed([&] { ::close(ends[0]); });
  if (child < 0)
    return Reason{"NoProcess",
                  cat("cannot be read, as the system has no process for it: ", std::strerror(why))};
  Result<std::string> read = readAll(ends[0], limits);
  if (!read)
    ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!read)
    return read;
  if (read->size() < 2 || read->back() != end)
    return endOf(status);
  bool isText = read->front() == textKind;
  std::string text = read->substr(1, read->size() - 2);
  return isText ? Result<std::string>(std::move(text))
                : Result<std::string>(Reason{"Refused", text});
}

} // namespace tessera::import
