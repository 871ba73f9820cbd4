// Two tables without locks, and a signal handler that calls nothing but the system.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/Cleanup.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <iterator>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::files {

namespace {

constexpr int deepest = 32; // folders in folders; each takes a descriptor and 2 KiB of stack

struct PathSlot {
  std::atomic<bool> used;
  int at;
  char name[256]; // NAME_MAX and a zero
};
struct ChildSlot {
  std::atomic<bool> used;
  pid_t child;
};
// As many as a process has threads that compile; what finds no free slot stays after a signal.
PathSlot paths[128];
ChildSlot children[128];

/// How many `Making`s there are, and whether a handler runs.
std::atomic<int> making = 0;
std::atomic<bool> ending = false;

struct sigaction before[std::size(endingSignals)];

sigset_t endingSet() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : endingSignals)
    sigaddset(&set, signal);
  return set;
}

template <class Slot, size_t N> int take(Slot (&slots)[N]) {
  for (size_t i = 0; i < N; ++i)
    if (!slots[i].used.exchange(true))
      return int(i);
  return -1;
}

/// What getdents64 writes (man 2 getdents).
struct DirectoryEntry {
  uint64_t inode;
  int64_t next;
  uint16_t length;
  uint8_t type;
  char name[1];
};

bool removeTree(int at, const char *name, int depth);

/// What is in an open folder, and in its folders down to a depth that nothing of ours has.
void emptyFolder(int folder, int depth) {
  alignas(DirectoryEntry) char buffer[2048];
  // Again until nothing goes: removing moves what was not read yet.
  for (int round = 0; round < 64 && ::lseek(folder, 0, SEEK_SET) == 0; ++round) {
    bool removed = false;
    long bytes;
    while ((bytes = ::syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0)
      for (long offset = 0; offset < bytes;) {
        auto *entry = reinterpret_cast<DirectoryEntry *>(buffer + offset);
        offset += entry->length;
        const char *inside = reinterpret_cast<const char *>(&entry->name);
        if (std::strcmp(inside, ".") == 0 || std::strcmp(inside, "..") == 0)
          continue;
        removed |= removeTree(folder, inside, depth - 1);
      }
    if (!removed)
      break;
  }
}

/// Whether it is gone.
bool removeTree(int at, const char *name, int depth) {
  if (::unlinkat(at, name, 0) == 0 || errno == ENOENT)
    return true;
  if (depth == 0)
    return false;
  auto open = [&] { return ::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); };
  int folder = open();
  if (folder < 0 && errno == EACCES && ::fchmodat(at, name, 0700, 0) == 0) // an odd umask made it
    folder = open();
  if (folder < 0 && errno == EMFILE) // another thread may have closed a file by now
    folder = open();
  if (folder >= 0) {
    emptyFolder(folder, depth);
    ::close(folder);
  }
  return ::unlinkat(at, name, AT_REMOVEDIR) == 0;
}

/// Whether orphans below this process become its children.
std::atomic<bool> adopts = false;

/// Kills each child of this process that is in its session, as /proc/self/task/N/children lists
/// them; whether there was one. Signal handlers may call it.
bool killChildren() {
  bool any = false;
  int tasks = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(DirectoryEntry) char entries[2048];
  long bytes;
  while (tasks >= 0 && (bytes = ::syscall(SYS_getdents64, tasks, entries, sizeof entries)) > 0)
    for (long offset = 0; offset < bytes;) {
      auto *entry = reinterpret_cast<DirectoryEntry *>(entries + offset);
      offset += entry->length;
      char path[sizeof(PathSlot::name)] = {};
      const char *task = reinterpret_cast<const char *>(&entry->name);
      constexpr char file[] = "/children";
      if (*task == '.' || std::strlen(task) + sizeof file > sizeof path)
        continue;
      std::strcpy(path, task);
      std::strcat(path, file);
      int list = ::openat(tasks, path, O_RDONLY | O_CLOEXEC);
      char digit;
      for (pid_t number = 0; list >= 0 && ::read(list, &digit, 1) == 1;)
        if (digit >= '0' && digit <= '9') {
          number = number * 10 + (digit - '0');
        } else {
          // A daemon that has left our session is nobody's child on purpose.
          if (number && ::getsid(number) == ::getsid(0) && ::kill(number, SIGKILL) == 0) {
            any = true;
            ::waitpid(number, nullptr, 0); // unless somebody else does
          }
          number = 0;
        }
      ::close(list);
    }
  ::close(tasks);
  return any;
}

void onSignal(int signal) {
  int saved = errno;
  removeEverything();
  for (size_t i = 0; i < std::size(endingSignals); ++i)
    if (endingSignals[i] == signal)
      ::sigaction(signal, &before[i], nullptr);
  errno = saved;
  ::raise(signal); // waits until this handler returns
}

} // namespace

void removeEverything() {
  ending = true;
  // Waits until threads that are making something have entered it in the tables. One of them may be
  // stopped, so the wait has an end.
  for (int waited = 0; making > 0 && waited < 1000; ++waited) {
    timespec millisecond = {0, 1'000'000};
    ::nanosleep(&millisecond, nullptr);
  }
  for (ChildSlot &slot : children)
    if (slot.used && slot.child > 0)
      ::kill(slot.child, SIGKILL);
  // A folder cannot be removed for good while a child writes into it. Others who wait for the child
  // still can: WNOWAIT leaves its status.
  for (ChildSlot &slot : children)
    if (slot.used && slot.child > 0) {
      siginfo_t info;
      while (::waitid(P_PID, id_t(slot.child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    }
  // Children of a child that was killed have become ours.
  for (int round = 0; adopts && round < 1000 && killChildren(); ++round)
    ;
  for (PathSlot &slot : paths)
    if (slot.used)
      removeAll(slot.at, slot.name);
}

void prepareProcess() {
  // The lowest number is given out first. Read-only: what is written to a closed stdout is an
  // error.
  for (int number = ::open("/dev/null", O_RDONLY); number >= 0; number = ::dup(number))
    if (number > STDERR_FILENO) {
      ::close(number);
      break;
    }
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_mask = endingSet();
  for (size_t i = 0; i < std::size(endingSignals); ++i) {
    ::sigaction(endingSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler != SIG_IGN)
      ::sigaction(endingSignals[i], &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  adopts = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

Making::Making() {
  sigset_t set = endingSet();
  ::pthread_sigmask(SIG_BLOCK, &set, &before);
  ++making;
  if (ending) { // nothing new: the process is about to end
    --making;
    for (;;)
      ::pause();
  }
}

Making::~Making() {
  --making;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

PathEntry::PathEntry(int at, const std::string &name) : slot(-1) {
  if (name.size() >= sizeof(PathSlot::name))
    return;
  slot = take(paths);
  if (slot < 0)
    return;
  paths[slot].at = at;
  std::memcpy(paths[slot].name, name.c_str(), name.size() + 1);
}

PathEntry::~PathEntry() {
  if (slot < 0)
    return;
  paths[slot].name[0] = '\0';
  paths[slot].used = false;
}

ChildEntry::ChildEntry(pid_t child) : slot(take(children)) {
  if (slot >= 0)
    children[slot].child = child;
}

ChildEntry::~ChildEntry() {
  if (slot < 0)
    return;
  children[slot].child = 0;
  children[slot].used = false;
}

void removeAll(int at, const char *name) {
  if (*name)
    removeTree(at, name, deepest);
}

void removeAllIn(int folder) { emptyFolder(folder, deepest); }

} // namespace tessera::files
