// What every room relies on: the compiler rounds products and sums one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

namespace {

/// (1 + 2^-27) (1 - 2^-27) is 1 - 2^-54, which is 1 as a double: a fused product keeps the rest.
TEST(Rounding, ProductsAreRoundedBeforeSums) {
  volatile double above = 0x1.0000002p0, below = 0x1.ffffffcp-1, one = 1;
  double a = above, b = below, c = one;
  EXPECT_EQ(a * b - c, 0);
  volatile float wide = 0x1.0008p0f, narrow = 0x1.fffp-1f, whole = 1; // 2^-13 and 2^-26 likewise
  float x = wide, y = narrow, z = whole;
  EXPECT_EQ(x * y - z, 0);
}

} // namespace
