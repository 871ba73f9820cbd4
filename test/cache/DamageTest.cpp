// Files that are not what was written: every bit and every length.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cache/Scratch.h"

namespace tessera::cache::test {
namespace {

class DamageTest : public Scratch {
protected:
  DamageTest() {
    EXPECT_TRUE(store().put(key, "the content that was put"));
    whole = readFile(path());
  }
  std::string path() const { return store().pathOf(key); }

  /// A damaged file counts as none and is gone; the next put brings it back.
  void expectNone(std::string_view damaged, size_t where) {
    writeFile(path(), damaged);
    EXPECT_FALSE(store().find(key)) << where;
    EXPECT_FALSE(std::filesystem::exists(path())) << where;
  }

  Key key = keyOf("a");
  std::string whole;
};

TEST_F(DamageTest, EveryBitCounts) {
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] ^= char(1 << bit % 8);
    expectNone(damaged, bit);
  }
  writeFile(path(), whole);
  EXPECT_EQ(store().find(key), "the content that was put");
}

TEST_F(DamageTest, EveryLengthCounts) {
  for (size_t length = 0; length < whole.size(); ++length)
    expectNone(std::string_view(whole).substr(0, length), length);
  expectNone(whole + '\0', whole.size() + 1);
  expectNone(whole + whole, 2 * whole.size());
}

TEST_F(DamageTest, AnotherKeysFileIsNone) {
  ASSERT_TRUE(store().put(keyOf("b"), "the content that was put"));
  expectNone(readFile(store().pathOf(keyOf("b"))), 0);
}

TEST_F(DamageTest, AHugeFileIsNotRead) {
  std::filesystem::resize_file(path(), uint64_t(1) << 42); // sparse
  EXPECT_FALSE(store().find(key));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(DamageTest, IsReplaced) {
  writeFile(path(), "");
  EXPECT_FALSE(store().find(key));
  ASSERT_TRUE(store().put(key, "again"));
  EXPECT_EQ(store().find(key), "again");
}

} // namespace
} // namespace tessera::cache::test
