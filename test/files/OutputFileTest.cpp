// Whole files or the old ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/OutputFile.h"

#include "tessera/files/Descriptor.h"
#include "tessera/files/PartialFile.h"
#include "test/files/Folder.h"

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
