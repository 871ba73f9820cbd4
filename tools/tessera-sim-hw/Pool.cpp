// Forks, waits, halves what failed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pool.h"

#include "tessera/base/Sentence.h"
#include "tessera/files/Cleanup.h"

#include <cstdio>
#include <deque>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::hw {

namespace {

constexpr int deviceFailed = 3; // exit code

struct Running {
  size_t first, last;
  FILE *output;
};

std::string textOf(FILE *file) {
  std::string out;
  char buffer[65536];
  std::rewind(file);
  for (size_t got; (got = fread(buffer, 1, sizeof(buffer), file));)
    out.append(buffer, got);
  std::fclose(file);
  return out;
}

/// While the process ends, as the time of all of it is over, nothing new begins, and nothing is
/// said of what that killed.
void waitWhereItEnds() { files::Making ended; }

pid_t start(const Running &task, unsigned seconds, const Work &work) {
  waitWhereItEnds();
  std::fflush(stdout);
  pid_t pid = fork();
  if (pid)
    return pid;
  dup2(fileno(task.output), STDOUT_FILENO);
  alarm(seconds);
  bool ok = work(task.first, task.last);
  std::fflush(stdout);
  _exit(ok ? 0 : deviceFailed);
}

std::string failureOf(int status, unsigned seconds) {
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? cat("no end in ", seconds, " seconds")
                                       : cat("signal ", WTERMSIG(status));
  return WEXITSTATUS(status) == deviceFailed ? "the device failed"
         : WEXITSTATUS(status)               ? cat("exit code ", WEXITSTATUS(status))
                                             : "";
}

} // namespace

void runInProcesses(size_t items, size_t piece, unsigned processes, unsigned seconds,
                    const Work &work, const std::function<void(const Outcome &)> &done) {
  std::deque<std::pair<size_t, size_t>> waiting;
  for (size_t first = 0; first < items; first += piece)
    waiting.push_back({first, std::min(items, first + piece)});
  std::map<pid_t, Running> running;
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < processes) {
      auto [first, last] = waiting.front();
      waiting.pop_front();
      Running task{first, last, std::tmpfile()};
      running[start(task, seconds, work)] = task;
    }
    int status = 0;
    auto found = running.find(wait(&status));
    waitWhereItEnds();
    if (found == running.end())
      continue;
    Running task = found->second;
    running.erase(found);
    Outcome outcome{task.first, task.last, textOf(task.output), failureOf(status, seconds)};
    if (outcome.failure.empty() || task.last - task.first == 1) {
      done(outcome);
      continue;
    }
    size_t middle = (task.first + task.last) / 2;
    waiting.push_front({middle, task.last});
    waiting.push_front({task.first, middle});
  }
}

} // namespace tessera::hw
