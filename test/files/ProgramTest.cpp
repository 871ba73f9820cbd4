// Private folders, and programs that run in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/Program.h"

#include "tessera/files/Cleanup.h"
#include "test/files/Folder.h"

#include <csignal>
#include <functional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::files::test {
namespace {

struct Program : Folder {
  Program() { ::setenv("TMPDIR", root.c_str(), 1); }
  ~Program() override { ::unsetenv("TMPDIR"); }

  Result<Ended> shell(const std::string &text, Deadline deadline = {}) const {
    TESSERA_TRY(ScratchFolder folder, ScratchFolder::make());
    return runProgram("/bin/sh", {"-c", text}, folder, deadline);
  }
  static Deadline in(double seconds) {
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(seconds));
  }
  /// Whether the process whose number is in the file `pid` is gone, or is soon.
  bool isGone() const {
    pid_t number = pid_t(std::stol(content("pid")));
    for (int i = 0; i < 500; ++i, ::usleep(10'000)) {
      std::ifstream state(cat("/proc/", number, "/stat"));
      std::string line;
      if (!std::getline(state, line) || line.find(") Z") != line.npos)
        return true;
    }
    return false;
  }
  /// A line of the shell after which a process runs for a minute, and holds the shell's output.
  std::string startsSleep() const { return "sleep 60 & echo $! > " + at("pid") + "; "; }
  static bool hasChildren() { return ::waitpid(-1, nullptr, WNOHANG) >= 0; }
};

TEST_F(Program, ScratchFoldersArePrivateAndGo) {
  mode_t before = ::umask(0777);
  std::string path;
  {
    Result<ScratchFolder> folder = ScratchFolder::make();
    ASSERT_TRUE(folder);
    path = folder->path();
    EXPECT_TRUE(path.starts_with(root + "/tessera-"));
    ASSERT_TRUE(folder->write("a", "text"));
    EXPECT_EQ(idOf(folder->write("a", "again")), "FileWrite"); // each file once
    EXPECT_EQ(*folder->read("a"), "text");
    EXPECT_EQ(idOf(folder->read("b")), "FileRead");
    struct stat status;
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
    ASSERT_EQ(::stat((path + "/a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u);
    ::umask(before);
    std::filesystem::create_directories(path + "/deep/deeper");
    std::filesystem::create_symlink("/etc", path + "/deep/link");
  }
  ::umask(before);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

TEST_F(Program, DeepAndLockedFoldersGo) {
  std::string path;
  {
    Result<ScratchFolder> folder = ScratchFolder::make();
    path = folder->path();
    std::string deep = path;
    for (int i = 0; i < 24; ++i)
      deep += "/a";
    std::filesystem::create_directories(deep);
    std::filesystem::create_directories(path + "/locked/inside");
    ::chmod((path + "/locked").c_str(), 0); // which keeps others than root out
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    Result<ScratchFolder> folder = ScratchFolder::make();
    path = folder->path();
    std::string deep = path;
    for (int i = 0; i < 200; ++i)
      deep += "/a";
    std::filesystem::create_directories(deep);
  } // too deep to be removed, which is no reason not to come back
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(Program, WhatHoldsItsOutputIsNotWaitedFor) {
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(shell("echo said; " + startsSleep())->said, "said\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  ::kill(pid_t(std::stol(content("pid"))), SIGKILL);
}

TEST_F(Program, OfWhatItSaysThereIsALimit) {
  for (Deadline deadline : {Deadline(), in(100)}) {
    Result<Ended> ended = shell("head -c 100000000 /dev/zero | tr '\\0' x; echo; exit 3", deadline);
    EXPECT_EQ(ended->exitCode, 3); // nothing of it is an error for the program
    EXPECT_EQ(ended->said, std::string(mostSaid, 'x') + "\n(cut off)\n");
  }
}

TEST_F(Program, AFolderThatCannotBeMade) {
  ::setenv("TMPDIR", "/nowhere", 1);
  Result<ScratchFolder> folder = ScratchFolder::make();
  EXPECT_EQ(refusal(folder),
            "cannot make a folder for temporary files in /nowhere: No such file or "
            "directory; set $TMPDIR to a folder that you can write to");
  EXPECT_EQ(idOf(folder), "ScratchFolder");
}

TEST_F(Program, SaysThatNoMoreFilesMayBeOpen) {
  // Each place in turn where a file is opened on the way to a program finds no descriptor left.
  std::vector<std::string> ids;
  for (int spare = 0; spare < 16; ++spare) {
    pid_t child = ::fork();
    if (child == 0) {
      rlimit limit = {rlim_t(::dup(0) + spare), 1024}; // dup gives the lowest that is free
      ::close(int(limit.rlim_cur) - spare);
      ::setrlimit(RLIMIT_NOFILE, &limit);
      auto folder = ScratchFolder::make();
      Status written = folder ? folder->write("a", "b") : Status(folder.reason());
      auto ended =
          written ? runProgram("/bin/true", {}, *folder, {}) : Result<Ended>(written.reason());
      const Reason *reason = ended ? nullptr : &ended.reason();
      ::_exit(!reason                                               ? 0
              : reason->id != "NoOpenFile"                          ? 1
              : reason->text.find("ulimit -n") == std::string::npos ? 2
                                                                    : 3);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << spare;
    ids.push_back(std::to_string(WEXITSTATUS(status)));
  }
  // So many fail by that alone, at least one for the folder and two for pipes; then it works.
  EXPECT_EQ(ids.front(), "3");
  EXPECT_EQ(ids.back(), "0");
  EXPECT_TRUE(std::is_sorted(ids.rbegin(), ids.rend()));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "1") + std::count(ids.begin(), ids.end(), "2"), 0);
  EXPECT_GE(std::count(ids.begin(), ids.end(), "3"), 3);
}

TEST_F(Program, SaysHowItEnded) {
  Result<Ended> ended = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->said, "out\nerr\n");
  EXPECT_EQ(ended->how(), "exit code 3");
  EXPECT_FALSE(ended->succeeded());
  EXPECT_EQ(shell("kill -9 $$")->how(), "signal 9 (Killed)");
  EXPECT_TRUE(shell("cat")->succeeded()); // stdin is empty
  EXPECT_EQ(shell("test \"$PWD\" = \"$TMPDIR\" && echo same")->said, "same\n");
  Result<ScratchFolder> folder = ScratchFolder::make();
  Result<Ended> none = runProgram("/nowhere/ptxas", {}, *folder);
  EXPECT_EQ(refusal(none), "cannot start /nowhere/ptxas: No such file or directory");
  EXPECT_EQ(idOf(none), "ProgramStart");
}

TEST_F(Program, AWriteBeyondTheLimitEndsIt) {
  std::signal(SIGXFSZ, SIG_IGN); // as prepareProcess() does
  EXPECT_TRUE(
      shell("ulimit -f 1; head -c 100000 /dev/zero > large; kill -l $?")->said.ends_with("XFSZ\n"));
  std::signal(SIGXFSZ, SIG_DFL);
}

/// A process that runs `work` and is ended by a signal 0.2 seconds after it made `sign`.
int endBy(int number, const std::string &sign, const std::function<void()> &work) {
  pid_t child = ::fork();
  if (child == 0) {
    prepareProcess();
    work();
    ::_exit(0);
  }
  for (int i = 0; i < 2000 && !std::filesystem::exists(sign); ++i)
    ::usleep(10'000);
  ::usleep(200'000);
  ::kill(child, number);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_F(Program, SignalsRemoveFoldersAndKillPrograms) {
  const rlimit none = {0, 0}; // files that SIGQUIT and SIGXCPU leave of a process
  ASSERT_EQ(::setrlimit(RLIMIT_CORE, &none), 0);
  for (int number : {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGQUIT, SIGPIPE, SIGXCPU, SIGKILL}) {
    int ended = endBy(number, at("sign"), [&] {
      (void)shell("mkdir deep; echo x > deep/file; echo $$ > " + at("pid") + "; echo x > " +
                  at("sign") + "; exec sleep 60");
    });
    EXPECT_EQ(ended, number);
    EXPECT_TRUE(isGone()) << number;
    if (number != SIGKILL)
      EXPECT_EQ(count(), 2u) << number; // sign and pid
    std::filesystem::remove(at("sign"));
  }
}

TEST_F(Program, SignalsKillWhatAProgramStarted) {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 0) != 0)
    GTEST_SKIP() << "no process adopts orphans here, as under qemu-user 7.2";
  EXPECT_EQ(endBy(SIGTERM, at("sign"),
                  [&] { (void)shell(startsSleep() + "echo x > " + at("sign") + "; wait"); }),
            SIGTERM);
  EXPECT_TRUE(isGone());
}

TEST_F(Program, EndsAtItsDeadline) {
  for (const char *deaf : {"", "trap '' TERM; ", "exec >&- 2>&-; "}) {
    Result<Ended> ended =
        shell(cat("echo begun; ", deaf, "echo $$ > ", at("pid"), "; exec sleep 60"), in(0.3));
    ASSERT_TRUE(ended);
    EXPECT_TRUE(ended->late) << deaf;
    EXPECT_FALSE(ended->succeeded());
    EXPECT_EQ(ended->said, "begun\n") << deaf;
    EXPECT_TRUE(isGone()) << deaf;
    EXPECT_FALSE(hasChildren());
    std::filesystem::remove(at("pid"));
  }
  EXPECT_EQ(count(), 0u); // its folder too
  EXPECT_TRUE(shell("sleep 60", in(-1))->late);
}

TEST_F(Program, ADeadlineChangesNothingForWhatEndsBefore) {
  Result<Ended> ended = shell("echo out; seq 30000; echo err >&2; exit 3", in(60));
  ASSERT_TRUE(ended);
  EXPECT_FALSE(ended->late);
  EXPECT_EQ(ended->exitCode, 3);
  EXPECT_TRUE(ended->said.starts_with("out\n1\n2\n"));
  EXPECT_TRUE(ended->said.ends_with("\n30000\nerr\n"));
  // It is not waited for what holds the output of a program that has ended.
  ended = shell(startsSleep() + "echo done", in(30));
  ASSERT_TRUE(ended);
  EXPECT_FALSE(ended->late);
  EXPECT_EQ(ended->said, "done\n");
  ::kill(pid_t(std::stol(content("pid"))), SIGKILL);
}

TEST_F(Program, WorksWhereSomebodyElseTakesTheEndsOfChildren) {
  std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(shell("echo a; exit 3")->said, "a\n");
  EXPECT_EQ(shell("echo a; exit 3", in(60))->said, "a\n");
  EXPECT_TRUE(shell("sleep 60", in(0.1))->late);
  std::signal(SIGCHLD, SIG_DFL);
}

TEST_F(Program, GetsNoOpenFiles) {
  constexpr int number = 100; // as a library may open one, without O_CLOEXEC
  ASSERT_EQ(::dup2(STDERR_FILENO, number), number);
  EXPECT_EQ(shell(cat("test -e /proc/$$/fd/", number, " && echo open"))->said, "");
  ::close(number);
}

TEST_F(Program, SignalsThatWereIgnoredStayIgnored) {
  pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    prepareProcess();
    ::raise(SIGHUP);
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

} // namespace
} // namespace tessera::files::test
