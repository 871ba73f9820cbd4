// Names as sentences have them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/base/ShortName.h"

#include <gtest/gtest.h>

namespace tessera {

TEST(ShortName, LeavesTheMiddleOfLongNamesOut) {
  EXPECT_EQ(shortName(""), "");
  EXPECT_EQ(shortName(std::string(60, 'k')), std::string(60, 'k'));
  EXPECT_EQ(shortName(std::string(40, 'a') + "bcdefghijklm" + std::string(9, 'z')),
            std::string(40, 'a') + "bcdef" + "..." + "klm" + std::string(9, 'z'));
}

} // namespace tessera
