// Plain versions of the programs that round: f64 in stated modes, halves, bf16, single bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

namespace tessera::nvcc {

namespace {

using Half = _Float16;

/// f() with the host's rounding mode.
template <class F> auto in(int mode, F f) {
  std::fesetround(mode);
  volatile auto result = f();
  std::fesetround(FE_TONEAREST);
  return result + 0;
}
float bfloat(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }
uint16_t toBfloat(float x) { // to nearest even; no NaN here
  uint32_t code = std::bit_cast<uint32_t>(x);
  return uint16_t((code + 0x7fff + (code >> 16 & 1)) >> 16);
}

/// The nearest of a format's numbers, by looking at all of them; ties go to the even code. Beyond
/// the last one comes the last one.
struct ByteFormat {
  int exponents, mantissas, bias, codes; // codes: of positive finite numbers

  float value(int code) const {
    int e = code >> mantissas, m = code & ((1 << mantissas) - 1);
    return e ? std::ldexp(float(m + (1 << mantissas)), e - bias - mantissas)
             : std::ldexp(float(m), 1 - bias - mantissas);
  }
  uint8_t nearest(float x) const {
    int best = 0;
    for (int code = 1; code < codes; ++code) {
      float d = std::fabs(std::fabs(x) - value(code)),
            before = std::fabs(std::fabs(x) - value(best));
      if (d < before || (d == before && code % 2 == 0))
        best = code;
    }
    return uint8_t(best | (std::signbit(x) ? 128 : 0));
  }
};
constexpr ByteFormat e4m3{4, 3, 7, 127}, e5m2{5, 2, 15, 124};

} // namespace

void doubles(Buffers &b) {
  for (size_t t = 0; t < 1024; ++t) {
    volatile double x = as<double>(b[0])[t], y = as<double>(b[1])[t], third = 1.0 / 3;
    volatile double root = std::sqrt(std::fabs(x)), ratio = x / y;
    volatile double sum = in(FE_TOWARDZERO, [&] { return root + ratio; }),
                    scaled = in(FE_UPWARD, [&] { return x * third; });
    as<double>(b[2])[t] = std::fma(double(x), double(y), double(sum)) + scaled;
    as<long long>(b[3])[t] = (long long)std::floor(x) * 3 + (long long)std::nearbyint(y);
  }
}

void halves(Buffers &b) {
  for (size_t t = 0; t < 1024; ++t) {
    Half z[2];
    bool greater = true;
    Half *x = as<Half>(b[0]) + 2 * t, *y = as<Half>(b[1]) + 2 * t;
    for (int i = 0; i < 2; ++i) {
      // The product of two halves is exact in double precision, and so is its sum with numbers as
      // near as these.
      z[i] = Half(double(x[i]) * double(y[i]) + double(x[i]));
      z[i] = std::max(z[i], Half(float(y[i]) - float(x[i])));
      greater &= x[i] > y[i];
    }
    for (int i = 0; i < 2; ++i)
      as<Half>(b[2])[2 * t + size_t(i)] = z[i] = greater ? -z[i] : z[i];
    float scaled = float(y[0]) * 0.3f;
    Half cut = Half(scaled);
    if (std::fabs(float(cut)) > std::fabs(scaled))
      cut = std::bit_cast<Half>(uint16_t(std::bit_cast<uint16_t>(cut) - 1));
    as<float>(b[3])[t] = float(z[0]) + float(z[1]) + float(cut);
  }
}

void wmmaTiles(Buffers &b) {
  for (size_t m = 0; m < 32; ++m)
    for (size_t n = 0; n < 32; ++n) {
      double sum = as<float>(b[2])[m * 32 + n];
      for (size_t k = 0; k < 48; ++k)
        sum += double(as<Half>(b[0])[m * 48 + k]) * double(as<Half>(b[1])[n * 48 + k]);
      as<float>(b[2])[m * 32 + n] = float(0.5 * sum);
    }
}

void bfloats(Buffers &b) {
  for (size_t t = 0; t < 1024; ++t) {
    float x = bfloat(toBfloat(as<float>(b[0])[t])),
          y = bfloat(uint16_t(std::bit_cast<uint32_t>(as<float>(b[1])[t]) >> 16));
    // x * y + x needs at most 16 + 8 bits where y is not tiny: exact in single precision but for
    // the last step.
    double exact = double(x) * double(y) + double(x);
    float nearest = float(exact);
    if (double(nearest) !=
        exact) // rounded to odd, so that the second rounding is that of the exact number
      nearest =
          std::bit_cast<float>(std::bit_cast<uint32_t>(std::fabs(double(nearest)) > std::fabs(exact)
                                                           ? std::nextafter(nearest, 0.0f)
                                                           : nearest) |
                               1);
    as<uint16_t>(b[2])[2 * t] = toBfloat(nearest);
    as<uint16_t>(b[2])[2 * t + 1] = toBfloat(std::min(x, y));
  }
}

void exactMath(Buffers &b) {
  for (size_t t = 0; t < 1024; ++t) {
    volatile float x = as<float>(b[0])[t], y = as<float>(b[1])[t], one = 1;
    volatile float down = in(FE_DOWNWARD, [&] { return x + y; }),
                   up = in(FE_UPWARD, [&] { return x * y; });
    volatile float zero = in(FE_TOWARDZERO, [&] { return std::fma(float(x), float(y), float(x)); }),
                   inverse = in(FE_UPWARD, [&] { return one / y; });
    volatile float integral = std::trunc(x) + std::nearbyint(y),
                   rest = std::fmin(std::fmax(x, 0.0f), 1.0f) + std::fmin(x, y);
    const float all[] = {down, up, zero, x / y, std::sqrt(std::fabs(x)), inverse, integral, rest};
    std::copy_n(all, 8, as<float>(b[2]) + 8 * t);
  }
}

void bytesOfReals(Buffers &b) {
  for (size_t t = 0; t < 1024; ++t) {
    int which = 0;
    for (const ByteFormat *format : {&e4m3, &e5m2}) {
      size_t at = 2 * t + size_t(which++);
      uint8_t code = format->nearest(as<float>(b[0])[t]);
      as<uint8_t>(b[1])[at] = code;
      as<float>(b[2])[at] = std::copysign(format->value(code & 127), code & 128 ? -1.0f : 1.0f);
    }
  }
}

void byValue(Buffers &b) {
  constexpr int scale[] = {2, -3, 5};
  for (size_t t = 0; t < 256; ++t) {
    float sum = std::fma(1.5f, as<float>(b[0])[t], 0.25f);
    sum = std::fma(float(1 << t % 8), float(scale[t % 3]), sum);
    as<float>(b[1])[t] = sum + 3.0f;
  }
}

void narrowFloats(Buffers &b) {
  struct {
    ByteFormat format;
    int sign;
  } const formats[] = {{{2, 3, 1, 32}, 5}, {{3, 2, 3, 32}, 5}, {{2, 1, 1, 8}, 3}, {e4m3, 7}};
  for (size_t t = 0; t < 256; ++t)
    for (size_t i = 0; i < 4; ++i) {
      float x = as<float>(b[0])[t] * float(1 << t % 10) * 0.25f;
      const auto &[format, sign] = formats[i];
      uint8_t code = format.nearest(i == 3 ? float(Half(x)) : x);
      as<uint8_t>(b[1])[4 * t + i] = uint8_t((code & 127) | (code >> 7) << sign);
      as<float>(b[2])[4 * t + i] =
          std::copysign(format.value(code & 127), code & 128 ? -1.0f : 1.0f);
    }
}

void halfPairs(Buffers &b) {
  for (size_t t = 0; t < 256; ++t) {
    const Half *x = as<Half>(b[0]) + 2 * t, *y = as<Half>(b[1]) + 2 * t;
    uint32_t *masks = as<uint32_t>(b[3]) + 2 * t, greater = 0;
    for (size_t i = 0; i < 2; ++i) {
      double p = double(x[i]), q = double(y[i]); // products and sums of these are exact
      const double all[] = {
          p * q + q,         std::max(p * q + p, 0.0), std::clamp(p + q, 0.0, 1.0),
          std::min(p, q),    std::max(p, q),           p * q,
          -p - std::fabs(q), std::nearbyint(8 * p)};
      for (size_t k = 0; k < 8; ++k)
        as<Half>(b[2])[16 * t + 2 * k + i] = Half(all[k]);
      greater |= p > q ? 0xffffu << 16 * i : 0;
    }
    masks[0] = greater;
    masks[1] = uint32_t(int(std::floor(float(Half(double(x[0]) * 9))))) * 16 +
               (x[0] == y[0] && x[1] == y[1]) + 2 * (x[0] < y[0] && x[1] < y[1]);
  }
}

} // namespace tessera::nvcc
