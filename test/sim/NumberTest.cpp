// Numbers in every format, and arithmetic in every rounding mode, against the host's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sim/Number.h"
#include "tessera/sim/Real.h"

#include <cfenv>
#include <random>

namespace tessera::sim::test {

namespace {

constexpr Format all[] = {formats::f16,  formats::bf16,  formats::e5m2,
                          formats::e4m3, formats::e2m3,  formats::e3m2,
                          formats::e2m1, formats::ue8m0, formats::ue4m3};

TEST(Numbers, ComeBackFromEveryCode) {
  for (const Format &f : all)
    for (uint64_t code = 0; code < uint64_t(1) << f.bits(); ++code)
      if (double value = decode(f, code); !std::isnan(value))
        ASSERT_EQ(encode(f, value, {}), code) << f.exponent << "," << f.mantissa << ": " << value;
}

/// Between neighbours a number goes to the one that the mode says, by comparing distances.
TEST(Numbers, AreRoundedBetweenNeighbours) {
  for (const Format &f : all) {
    for (uint64_t code = 0; code + 1 <= f.largest(); ++code) {
      double low = decode(f, code), high = decode(f, code + 1);
      for (double part : {0.25, 0.5, 0.75}) {
        double x = low + (high - low) * part;
        uint64_t nearest = part == 0.5 ? code + (code & 1) : code + (part > 0.5);
        // A power of two has no last bit: of ue8m0 the ISA has no rounding to nearest.
        if (f.mantissa)
          ASSERT_EQ(encode(f, x, {}), nearest);
        ASSERT_EQ(encode(f, x, {.rounding = Rounding::Zero}), code);
        ASSERT_EQ(encode(f, x, {.rounding = Rounding::Up}), code + 1);
        ASSERT_EQ(encode(f, x, {.rounding = Rounding::Down}), code);
        if (!f.isSigned)
          continue;
        ASSERT_EQ(encode(f, -x, {.rounding = Rounding::Down}), (code + 1) | f.signBit());
        ASSERT_EQ(encode(f, -x, {.rounding = Rounding::Up}), code | f.signBit());
        ASSERT_EQ(encode(f, x, {.rounding = Rounding::NearestAway}), code + (part >= 0.5));
      }
    }
  }
}

TEST(Numbers, OfHalvesAreTheHosts) {
  for (uint32_t code = 0; code < 65536; ++code) {
    _Float16 half = std::bit_cast<_Float16>(uint16_t(code));
    if (half == half) {
      ASSERT_EQ(halfToFloat(uint16_t(code)), float(half)) << code;
      ASSERT_EQ(decode(formats::f16, code), double(half)) << code;
    }
  }
  std::mt19937 random(3);
  for (int i = 0; i < 200000; ++i) {
    float x = std::bit_cast<float>(uint32_t(random()) & 0xbfffffff);
    if (x == x)
      ASSERT_EQ(encode(formats::f16, double(x), {}), std::bit_cast<uint16_t>(_Float16(x))) << x;
  }
}

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
