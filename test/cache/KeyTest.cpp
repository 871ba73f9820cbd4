// Keys, records, the build's id and the folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Key.h"
#include "tessera/cache/Folder.h"
#include "tessera/cache/Record.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tessera::cache {
namespace {

TEST(Key, IsBlake3) {
  // The first test vector of BLAKE3, for no input.
  EXPECT_EQ(Key{digestOf("")}.hex(),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
}

TEST(Key, EveryPartCounts) {
  std::set<std::string> keys;
  auto take = [&](const KeyOf &parts) { EXPECT_TRUE(keys.insert(parts.key().hex()).second); };
  take(KeyOf("ptx", "build").add("input", "text").add("level", 3));
  take(KeyOf("cubin", "build").add("input", "text").add("level", 3));
  take(KeyOf("ptx", "other").add("input", "text").add("level", 3));
  take(KeyOf("ptx", "build").add("input", "texT").add("level", 3));
  take(KeyOf("ptx", "build").add("input", "text").add("level", 2));
  take(KeyOf("ptx", "build").add("input", "text"));
  take(KeyOf("ptx", "build").add("level", 3).add("input", "text"));
  // What moves from one part to its neighbour is another list of parts.
  take(KeyOf("ptx", "build").add("a", "bc"));
  take(KeyOf("ptx", "build").add("ab", "c"));
  take(KeyOf("ptx", "build").add("a", "b").add("c", ""));
  take(KeyOf("ptx", "build").add("a", ""));
  EXPECT_EQ(KeyOf("ptx", "build").add("a", "b").key(), KeyOf("ptx", "build").add("a", "b").key());
}

TEST(Key, HasTheProgramsBuildId) {
  EXPECT_GE(buildId().size(), 16u);
  EXPECT_EQ(KeyOf("ptx").key(), KeyOf("ptx", buildId()).key());
  EXPECT_NE(KeyOf("ptx").key(), KeyOf("ptx", "").key());
}

TEST(BuildId, IsReadFromNotes) {
  // An ABI tag, then an id of three bytes, padded to four; ELF gABI, "Note Section".
  std::string abi("\x04\0\0\0\x04\0\0\0\x01\0\0\0GNU\0\0\0\0\0", 20),
      id("\x04\0\0\0\x03\0\0\0\x03\0\0\0GNU\0xyz\0", 20);
  EXPECT_EQ(buildIdInNotes(abi + id), "xyz");
  EXPECT_EQ(buildIdInNotes(id), "xyz");
  EXPECT_EQ(buildIdInNotes(abi), "");
  EXPECT_EQ(buildIdInNotes((abi + id).substr(0, 36)), ""); // ends within the id
  EXPECT_EQ(buildIdInNotes(""), "");
}

TEST(Record, KeepsItsParts) {
  std::string large(100'000, 'x'), zeros("a\0b", 3);
  auto parts = unpack(pack({large, "", zeros}));
  ASSERT_TRUE(parts);
  EXPECT_EQ(*parts, (std::vector<std::string>{large, "", zeros}));
  EXPECT_TRUE(unpack("")->empty());
}

TEST(Record, RefusesOtherText) {
  EXPECT_FALSE(unpack("text"));
  EXPECT_FALSE(unpack(pack({"text"}).substr(0, 11)));
  EXPECT_FALSE(unpack(std::string(16, '\xff')));
}

TEST(Folder, FollowsTheEnvironment) {
  std::map<std::string, const char *> variables;
  auto folder = [&] {
    return folderFrom([&](const char *name) {
      auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second;
    });
  };
  EXPECT_EQ(folder(), "");
  variables["HOME"] = "/home/ada";
  EXPECT_EQ(folder(), "/home/ada/.cache/tessera");
  variables["XDG_CACHE_HOME"] = "relative"; // XDG base directories: "must be absolute"
  EXPECT_EQ(folder(), "/home/ada/.cache/tessera");
  variables["XDG_CACHE_HOME"] = "/var/cache/ada";
  EXPECT_EQ(folder(), "/var/cache/ada/tessera");
  variables["TESSERA_CACHE_DIR"] = "/scratch/t";
  EXPECT_EQ(folder(), "/scratch/t");
  variables["TESSERA_CACHE_DIR"] = "";
  EXPECT_EQ(folder(), "");
}

} // namespace
} // namespace tessera::cache
