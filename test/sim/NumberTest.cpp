// Arithmetic in every rounding mode against the host's. test/number has the formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sim/Real.h"

#include <cfenv>
#include <random>

namespace tessera::sim::test {

namespace {

// PTX ISA 9.0, 5.2.3: e2m3 and e3m2 take a byte each, two e2m1 share one.
static_assert(bits(Type::e2m3x2) == 16 && bits(Type::e3m2x4) == 32 && bits(Type::e2m1x2) == 8 &&
              bits(Type::e2m1x4) == 16 && bits(Type::ue8m0x2) == 16);
static_assert(bits(Type::tf32) == 32 && bits(Type::b128) == 128 && bits(Type::pred) == 1);

/// Single precision computed with the host's rounding modes, on numbers of all sizes.
TEST(Numbers, AreComputedAsTheHostDoes) {
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
      auto code = [](float x) { return std::bit_cast<uint32_t>(x); };
      Modes m{.rounding = mode};
      std::fesetround(host);
      volatile float sum = a + b, product = a * b, fused = std::fma(float(a), float(b), float(c));
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(F32::write(m, F32::add(m, double(a), double(b))), code(sum)) << a << " + " << b;
      ASSERT_EQ(F32::write(m, F32::mul(m, double(a), double(b))), code(product)) << a << " * " << b;
      ASSERT_EQ(F32::write(m, F32::fma(m, double(a), double(b), double(c))), code(fused))
          << a << " * " << b << " + " << c;
    }
}

} // namespace

} // namespace tessera::sim::test
