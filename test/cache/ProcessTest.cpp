// Many processes on one folder; a full disk; a folder without permissions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cache/Scratch.h"

#include <csignal>
#include <functional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::cache::test {
namespace {

using ProcessTest = Scratch;

pid_t start(const std::function<bool()> &work) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(work() ? 0 : 1);
  return child;
}
bool succeeded(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Content of a size of its own that says which key it is of.
std::string contentOf(int key, int writer) {
  return std::string(size_t(1000 * key + writer), char('a' + key)) + std::to_string(key);
}

TEST_F(ProcessTest, ReadersSeeWholeContentsOfManyWriters) {
  constexpr int processes = 12, keys = 8, rounds = 60;
  Store shared = store();
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p)
    children.push_back(start([&] {
      for (int round = 0; round < rounds; ++round) {
        int k = (round + p) % keys;
        if (!shared.put(keyOf(std::to_string(k)), contentOf(k, p)))
          return false;
        std::optional<std::string> found = shared.find(keyOf(std::to_string(k)));
        // Whoever wrote last: the length says who, and all of it is theirs.
        if (!found || *found != contentOf(k, int(found->size()) - 1000 * k - 1))
          return false;
      }
      return true;
    }));
  for (pid_t child : children)
    EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(files(), size_t(keys));
}

TEST_F(ProcessTest, TheBoundHoldsUnderManyWriters) {
  constexpr int processes = 8, rounds = 40;
  constexpr uint64_t limit = 20'000;
  Store shared = store(limit);
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p)
    children.push_back(start([&] {
      for (int round = 0; round < rounds; ++round)
        if (!shared.put(keyOf(cat(p, " ", round)), std::string(1000, 'x')))
          return false;
      return true;
    }));
  for (pid_t child : children)
    EXPECT_TRUE(succeeded(child));
  ASSERT_TRUE(shared.put(keyOf("last"), "x"));
  uint64_t total = 0;
  for (const auto &file : std::filesystem::directory_iterator(root + "/a/store"))
    total += file.file_size();
  EXPECT_LE(total, limit);
  EXPECT_TRUE(shared.find(keyOf("last")));
}

TEST_F(ProcessTest, AFullDiskLeavesWhatWasThere) {
  Store shared = store();
  ASSERT_TRUE(shared.put(keyOf("a"), "one"));
  // No file may grow beyond 4096 bytes, as if the disk were full after them.
  pid_t child = start([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Status large = shared.put(keyOf("b"), std::string(100'000, 'x'));
    Status again = shared.put(keyOf("a"), std::string(100'000, 'x'));
    return !large && !again && large.reason().id == "CacheWrite" && shared.put(keyOf("c"), "small");
  });
  EXPECT_TRUE(succeeded(child));
  EXPECT_EQ(shared.find(keyOf("a")), "one");
  EXPECT_EQ(shared.find(keyOf("c")), "small");
  EXPECT_EQ(files(), 2u);
}

TEST_F(ProcessTest, AFolderThatIsReadOnly) {
  Store shared = store();
  ASSERT_TRUE(shared.put(keyOf("a"), "one"));
  ::chmod((root + "/a/store").c_str(), 0500);
  const std::string entry = shared.pathOf(keyOf("a"));
  auto give = [&](uid_t user) { // root may write everywhere
    for (const std::string &path : {root, root + "/a", root + "/a/store", entry})
      if (::getuid() == 0 && ::chown(path.c_str(), user, gid_t(user)) != 0)
        ADD_FAILURE() << path;
  };
  give(65534);
  pid_t child = start([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0)
      return false;
    Status refused = shared.put(keyOf("b"), "two");
    return !refused && refused.reason().id == "CacheWrite" && !shared.find(keyOf("b"));
  });
  EXPECT_TRUE(succeeded(child));
  give(0);
  ::chmod((root + "/a/store").c_str(), 0700);
  EXPECT_EQ(shared.find(keyOf("a")), "one");
}

} // namespace
} // namespace tessera::cache::test
