// Whole files or the old ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/OutputFile.h"

#include "tessera/files/Descriptor.h"
#include "tessera/files/PartialFile.h"
#include "test/files/Folder.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace tessera::files::test {
namespace {

using OutputFile = Folder;

mode_t modeOf(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST_F(OutputFile, ReplacesAFileInOneStep) {
  fill("a", "old");
  Descriptor reader(::open(at("a").c_str(), O_RDONLY));
  ASSERT_TRUE(writeFile(at("a"), {"he", "", "llo"}));
  EXPECT_EQ(content("a"), "hello");
  EXPECT_EQ(reader.read(), "old"); // whoever has the old one open still reads all of it
  EXPECT_EQ(count(), 1u);
}

TEST_F(OutputFile, KeepsRightsAndLinks) {
  fill("a", "old");
  ::chmod(at("a").c_str(), 0604);
  std::filesystem::create_symlink("a", at("link"));
  std::filesystem::create_symlink("new", at("dangling"));
  ASSERT_TRUE(writeFile(at("link"), {"new"}));
  ASSERT_TRUE(writeFile(at("dangling"), {"newer"}));
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(content("new"), "newer");
  EXPECT_EQ(modeOf(at("a")), 0604u);
  mode_t before = ::umask(026);
  ASSERT_TRUE(writeFile(at("b"), {"new"}));
  ::umask(before);
  EXPECT_EQ(modeOf(at("b")), 0640u);
}

TEST_F(OutputFile, ReasonsNameThePath) {
  EXPECT_EQ(refusal(writeFile("/nowhere/a", {""})),
            "cannot write /nowhere/a: No such file or directory");
  EXPECT_EQ(refusal(writeFile("/dev/full", {"a"})),
            "cannot write /dev/full: No space left on device");
  EXPECT_EQ(refusal(writeFile(root, {"a"})), cat("cannot write ", root, ": Is a directory"));
  EXPECT_EQ(refusal(writeFile(at("b/"), {"a"})),
            cat("cannot write ", at("b/"), ": No such file or directory"));
  EXPECT_EQ(refusal(writeFile("/dev/fd/77", {"a"})),
            "cannot write /dev/fd/77: Bad file descriptor");
  EXPECT_EQ(idOf(writeFile("/nowhere/a", {""})), "FileWrite");
  EXPECT_EQ(count(), 0u);
}

TEST_F(OutputFile, ALimitLeavesTheOldFile) {
  fill("a", "old");
  pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::string large(10'000, 'x');
    ::_exit(refusal(writeFile(at("a"), {large})) ==
                    cat("cannot write ", at("a"), ": File too large")
                ? 0
                : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(count(), 1u);
}

TEST_F(OutputFile, ALimitLeavesNothingWhereALinkLeads) {
  std::filesystem::create_symlink("new", at("dangling"));
  pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(idOf(writeFile(at("dangling"), {std::string(10'000, 'x')})) == "FileWrite" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(at("new")));
  EXPECT_EQ(count(), 1u);
}

/// Entries of an access list as the system stores them (posix_acl_xattr.h): version, then tag,
/// rights and number of each.
std::string accessList(std::initializer_list<std::array<uint32_t, 3>> entries) {
  std::string bytes("\2\0\0\0", 4);
  for (auto [tag, rights, number] : entries) {
    uint16_t words[] = {uint16_t(tag), uint16_t(rights)};
    bytes.append(reinterpret_cast<const char *>(words), sizeof(words));
    bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  return bytes;
}
constexpr const char *accessListName = "system.posix_acl_access";

TEST_F(OutputFile, AnAccessListStays) {
  fill("a", "old");
  constexpr uint32_t none = UINT32_MAX;
  // The user, user 1002, the group, the mask and others. What the mode shows of the group is the
  // mask, which the group itself does not have.
  std::string list =
      accessList({{1, 6, none}, {2, 4, 1002}, {4, 0, none}, {16, 4, none}, {32, 0, none}});
  if (::setxattr(at("a").c_str(), accessListName, list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "the file system has no access lists";
  ASSERT_TRUE(writeFile(at("a"), {"new"}));
  char now[256];
  ssize_t length = ::getxattr(at("a").c_str(), accessListName, now, sizeof(now));
  EXPECT_EQ(std::string(now, size_t(std::max<ssize_t>(length, 0))), list);
  EXPECT_EQ(modeOf(at("a")), 0640u);
}

TEST_F(OutputFile, NobodyGetsRightsFromTheFolder) {
  fill("a", "old");
  ::chmod(at("a").c_str(), 0660);
  constexpr uint32_t none = UINT32_MAX;
  // What files that are made in the folder from now on get: user 1002 may read and write.
  std::string list =
      accessList({{1, 6, none}, {2, 6, 1002}, {4, 6, none}, {16, 6, none}, {32, 0, none}});
  if (::setxattr(root.c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "the file system has no access lists";
  ASSERT_TRUE(writeFile(at("a"), {"new"}));
  EXPECT_LT(::getxattr(at("a").c_str(), accessListName, nullptr, 0), 0);
  EXPECT_EQ(modeOf(at("a")), 0660u);
}

/// writeFile(at(name)) by user 1001 with group 1001 and those that are named.
bool writtenByAnother(const std::string &path, std::initializer_list<gid_t> groups) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(::setgroups(groups.size(), std::data(groups)) == 0 && ::setgid(1001) == 0 &&
                    ::setuid(1001) == 0 && writeFile(path, {"new"})
                ? 0
                : 1);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(OutputFile, TheOldGroupStaysOrNobodyElseMayDoMore) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give files to others";
  ::chmod(root.c_str(), 0777);
  struct stat status;
  // The user's own, of a group that the user has left.
  fill("left", "old");
  ASSERT_EQ(::chown(at("left").c_str(), 1001, 2000), 0);
  ::chmod(at("left").c_str(), 0664);
  ASSERT_TRUE(writtenByAnother(at("left"), {}));
  ASSERT_EQ(::stat(at("left").c_str(), &status), 0);
  EXPECT_EQ(content("left"), "new");
  EXPECT_EQ(status.st_gid, 1001u); // not of group 2000, whose rights group 1001 must not get
  EXPECT_EQ(modeOf(at("left")), 0644u);
  // Another's, who shares it with a group of the user.
  fill("shared", "old");
  ASSERT_EQ(::chown(at("shared").c_str(), 1002, 2000), 0);
  ::chmod(at("shared").c_str(), 0660);
  ASSERT_TRUE(writtenByAnother(at("shared"), {2000}));
  ASSERT_EQ(::stat(at("shared").c_str(), &status), 0);
  EXPECT_EQ(content("shared"), "new");
  EXPECT_EQ(status.st_gid, 2000u);
  EXPECT_EQ(modeOf(at("shared")), 0660u);
}

TEST_F(OutputFile, WritesIntoOpenFiles) {
  Descriptor to(::open(at("a").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_TRUE(to.write("before "));
  ASSERT_TRUE(writeFile(cat("/dev/fd/", to.get()), {"after"}));
  EXPECT_EQ(content("a"), "before after");
}

TEST_F(OutputFile, APartialFileThatIsNotKeptGoes) {
  Descriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY));
  {
    auto part = PartialFile::make(folder.get(), 0600);
    ASSERT_TRUE(part);
    EXPECT_TRUE(part->file().write("half"));
    EXPECT_EQ(count(), 1u);
  }
  EXPECT_EQ(count(), 0u);
  auto part = PartialFile::make(folder.get(), 0600);
  ASSERT_TRUE(part && part->file().write("whole") && part->putAs("a"));
  part.reset();
  EXPECT_EQ(content("a"), "whole");
}

TEST_F(OutputFile, ReadsNoMoreThanAsked) {
  fill("a", "12345");
  EXPECT_EQ(Descriptor(::open(at("a").c_str(), O_RDONLY)).read(5), "12345");
  EXPECT_FALSE(Descriptor(::open(at("a").c_str(), O_RDONLY)).read(4));
  EXPECT_EQ(Descriptor(::open("/dev/null", O_RDONLY)).read(), "");
}

} // namespace
} // namespace tessera::files::test
