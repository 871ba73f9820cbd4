// Sums and products rounded to odd, and then to a format, against the host in its rounding modes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Exact.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <random>

namespace tessera::number {

TEST(Exact, SumsAndProductsAreTheHosts) {
  constexpr std::pair<Rounding, int> modes[] = {{Rounding::NearestEven, FE_TONEAREST},
                                                {Rounding::Zero, FE_TOWARDZERO},
                                                {Rounding::Down, FE_DOWNWARD},
                                                {Rounding::Up, FE_UPWARD}};
  std::mt19937 random(7);
  auto any = [&] { // close exponents are likely, so that sums cancel
    uint32_t exponent = uint32_t(random() % 4 ? 120 + random() % 16 : random() % 255);
    return std::bit_cast<float>(uint32_t(random()) << 31 | exponent << 23 |
                                uint32_t(random() & (random() % 2 ? 0x7fffff : 0x7f0000)));
  };
  for (int i = 0; i < 50000; ++i)
    for (auto [mode, host] : modes) {
      volatile float a = any(), b = any(), c = any();
      std::fesetround(host);
      volatile float sum = a + b, product = a * b, fused = std::fma(float(a), float(b), float(c));
      std::fesetround(FE_TONEAREST);
      auto code = [](float x) { return std::bit_cast<uint32_t>(x); };
      auto encoded = [&](double x) { return encode(Format::f32, x, {.rounding = mode}); };
      double x = double(a), y = double(b), z = double(c);
      ASSERT_EQ(encoded(signedZero(addToOdd(x, y), x, y, mode)), code(sum)) << a << " + " << b;
      ASSERT_EQ(encoded(x * y), code(product)) << a << " * " << b;
      ASSERT_EQ(encoded(fusedToOdd(x, y, z, mode)), code(fused)) << a << " * " << b << " + " << c;
    }
}

TEST(Exact, SumsAreExactOrOdd) {
  EXPECT_EQ(addToOdd(1, 0x1p-52), 1 + 0x1p-52);
  EXPECT_EQ(addToOdd(1, 0x1p-60), 1 + 0x1p-52);  // above 1, whose last bit is even
  EXPECT_EQ(addToOdd(1, -0x1p-60), 1 - 0x1p-53); // below it
  EXPECT_EQ(addToOdd(-1, -0x1p-60), -(1 + 0x1p-52));
}

} // namespace tessera::number
