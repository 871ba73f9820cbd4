// Nearest names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/Nearest.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera {

namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("abc", ""), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u); // the example of every textbook
  EXPECT_EQ(editDistance("flaw", "lawn"), 2u);
}

TEST(Nearest, NamesWhatWasMeant) {
  const std::vector<std::string_view> names = {"relaxed", "release", "acquire", "u32", "s32"};
  EXPECT_EQ(nearestOf("relaxd", names), "relaxed");
  EXPECT_EQ(nearestOf("u33", names), "u32");
  EXPECT_EQ(nearestOf("acquire", names), "acquire");
  EXPECT_EQ(nearestOf("ldd", std::vector<std::string_view>{"add", "ld", "ldu"}), "ld");
  EXPECT_EQ(nearestOf("f64", names), "");
  EXPECT_EQ(nearestOf("entirely", names), "");
  EXPECT_EQ(nearestOf(std::string(40, 'a'), std::vector<std::string>{std::string(40, 'a')}), "");
}

} // namespace

} // namespace tessera
