// Whose folders are trusted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/files/Trust.h"

#include "test/files/Folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::files::test {
namespace {

struct Trust : Folder {
  Trust() { ::mkdir(at("cache").c_str(), 0700); }

  Status checked() const {
    return onlyOurs(Descriptor(::open(at("cache").c_str(), O_PATH | O_DIRECTORY)), at("cache"));
  }
};

TEST_F(Trust, OwnFolders) {
  EXPECT_TRUE(checked()) << refusal(checked()); // below /tmp, which is sticky
  ::chmod(at("cache").c_str(), 0755);
  EXPECT_TRUE(checked());
  EXPECT_TRUE(onlyOursAbove(at("cache/not/there")));
}

TEST_F(Trust, FoldersThatOthersMayWriteTo) {
  for (mode_t mode : {0720u, 0702u, 01777u, 02775u}) {
    ::chmod(at("cache").c_str(), mode);
    EXPECT_EQ(idOf(checked()), "FolderMode") << mode;
  }
  EXPECT_EQ(refusal(checked()),
            cat("others may write to ", at("cache"), ", whose mode is 2775; chmod go-w ",
                at("cache"), ", or name another folder"));
}

TEST_F(Trust, ParentsThatOthersMayWriteTo) {
  for (mode_t mode : {0770u, 0777u}) {
    ::chmod(root.c_str(), mode);
    EXPECT_EQ(idOf(checked()), "ParentMode");
    EXPECT_EQ(idOf(onlyOursAbove(at("new/cache"))), "ParentMode");
  }
  ::chmod(root.c_str(), 01777);
  EXPECT_TRUE(checked());
}

TEST_F(Trust, OtherOwners) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give folders away";
  ASSERT_EQ(::chown(at("cache").c_str(), 65534, 65534), 0);
  EXPECT_EQ(refusal(checked()),
            cat(at("cache"), " belongs to user 65534, but expected it to belong to "
                             "you, user 0; name a folder of your own"));
  EXPECT_EQ(idOf(checked()), "FolderOwner");
  ASSERT_EQ(::chown(at("cache").c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(root.c_str(), 65534, 65534), 0);
  EXPECT_EQ(idOf(checked()), "ParentOwner");
}

} // namespace
} // namespace tessera::files::test
