// Finding, keeping, and forgetting what was used longest ago.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cache/Scratch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::cache::test {
namespace {

using StoreTest = Scratch;
constexpr uint64_t headerBytes = 88;

TEST_F(StoreTest, FindsWhatWasPut) {
  EXPECT_FALSE(store().find(keyOf("a"))); // no folder yet
  ASSERT_TRUE(store().put(keyOf("a"), "one"));
  ASSERT_TRUE(store().put(keyOf("b"), ""));
  EXPECT_EQ(store().find(keyOf("a")), "one");
  EXPECT_EQ(store().find(keyOf("b")), "");
  EXPECT_FALSE(store().find(keyOf("c")));
  ASSERT_TRUE(store().put(keyOf("a"), "two"));
  EXPECT_EQ(store().find(keyOf("a")), "two");
  EXPECT_EQ(files(), 2u); // nothing is left beside
}

TEST_F(StoreTest, IsForItsOwnerOnlyWhateverTheUmask) {
  for (mode_t umask : {0022, 0000, 0777, 0700, 0277}) {
    mode_t before = ::umask(umask);
    Status put = store().put(keyOf("a"), "one");
    ::umask(before);
    ASSERT_TRUE(put) << put.reason().text;
    struct stat status;
    for (const char *folder : {"/a", "/a/store"}) {
      ASSERT_EQ(::stat((root + folder).c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 0777, 0700u) << std::oct << umask;
    }
    ASSERT_EQ(::stat(store().pathOf(keyOf("a")).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u) << std::oct << umask;
    EXPECT_EQ(store().find(keyOf("a")), "one");
    std::filesystem::remove_all(root + "/a");
  }
}

TEST_F(StoreTest, ForgetsWhatWasUsedLongestAgo) {
  Store four = store(4 * (headerBytes + 100));
  std::string content(100, 'x');
  for (const char *name : {"a", "b", "c", "d"})
    ASSERT_TRUE(four.put(keyOf(name), content));
  EXPECT_EQ(files(), 4u);
  EXPECT_TRUE(four.find(keyOf("a"))); // so b is the one
  ASSERT_TRUE(four.put(keyOf("e"), content));
  EXPECT_EQ(files(), 4u);
  EXPECT_FALSE(four.find(keyOf("b")));
  for (const char *name : {"a", "c", "d", "e"})
    EXPECT_TRUE(four.find(keyOf(name))) << name;
  // One as large as three others.
  ASSERT_TRUE(four.put(keyOf("f"), std::string(3 * (headerBytes + 100) - headerBytes, 'y')));
  EXPECT_EQ(files(), 2u);
  EXPECT_TRUE(four.find(keyOf("f")));
  EXPECT_TRUE(four.find(keyOf("e")));
}

TEST_F(StoreTest, TakesNothingLargerThanItself) {
  ASSERT_TRUE(store(200).put(keyOf("a"), "one"));
  EXPECT_EQ(refusal(store(200).put(keyOf("b"), std::string(113, 'x'))),
            "201 bytes are more than the 200 that the cache may have");
  EXPECT_EQ(store(200).put(keyOf("b"), std::string(113, 'x')).reason().id, "CacheTooLarge");
  EXPECT_TRUE(store().find(keyOf("a")));
  EXPECT_FALSE(store(0).put(keyOf("c"), ""));
}

TEST_F(StoreTest, LeavesOtherFilesAlone) {
  ASSERT_TRUE(store().put(keyOf("a"), "one"));
  writeFile(root + "/a/store/notes.txt", std::string(5000, 'x'));
  ASSERT_TRUE(store(300).put(keyOf("b"), std::string(200, 'x')));
  EXPECT_EQ(readFile(root + "/a/store/notes.txt").size(), 5000u);
  EXPECT_FALSE(store().find(keyOf("a")));
}

TEST_F(StoreTest, RemovesWhatCrashedWritersLeft) {
  ASSERT_TRUE(store().put(keyOf("a"), "one"));
  std::string old = root + "/a/store/1-1.part", young = root + "/a/store/1-2.part";
  writeFile(old, "half");
  writeFile(young, "half");
  timespec times[2] = {{::time(nullptr) - 7200, 0}, {::time(nullptr) - 7200, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, old.c_str(), times, 0), 0);
  ASSERT_TRUE(store().put(keyOf("b"), "two"));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(young));
}

TEST_F(StoreTest, AFolderThatCannotBeMade) {
  writeFile(root + "/a", "a file");
  Status status = store().put(keyOf("a"), "one");
  EXPECT_EQ(refusal(status),
            "the cache folder " + root + "/a/store cannot be created: Not a directory");
  EXPECT_EQ(status.reason().id, "CacheFolder");
  EXPECT_FALSE(store().find(keyOf("a")));
}

TEST_F(StoreTest, AFolderThatIsAFile) {
  std::filesystem::create_directories(root + "/a");
  writeFile(root + "/a/store", "a file");
  EXPECT_EQ(store().put(keyOf("a"), "one").reason().id, "CacheWrite");
  EXPECT_FALSE(store().find(keyOf("a")));
  EXPECT_EQ(readFile(root + "/a/store"), "a file");
}

TEST_F(StoreTest, AFileThatCannotBeReplaced) {
  std::filesystem::create_directories(store().pathOf(keyOf("a")));
  EXPECT_FALSE(store().find(keyOf("a")));
  std::filesystem::create_directories(store().pathOf(keyOf("a")) + "/full");
  Status status = store().put(keyOf("a"), "one");
  EXPECT_EQ(status.reason().id, "CacheWrite");
  EXPECT_TRUE(status.reason().text.starts_with("the cache cannot write " + root))
      << status.reason().text;
  EXPECT_EQ(files(), 1u); // the folder; nothing beside it
}

} // namespace
} // namespace tessera::cache::test
