// HostFloats: the common cases of f32, f16 and bf16, as vectors of the host's floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They compute the same bits as the executors of Real.h, which handle one lane after the other.
// Where a vector cannot decide, they call those for the whole instruction.
#pragma once

#include "tessera/sim/Host.h"
#include "tessera/sim/Real.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tessera::sim {

using Four = float __attribute__((vector_size(16)));
using Eight = float __attribute__((vector_size(32)));
/// Integers of the same size: the results of comparisons.
template <class Vector> using BitsOf = decltype(Vector{} < Vector{});

inline float canonical(float x) { return x == x ? x : std::bit_cast<float>(0x7fffffffu); }
template <class Vector> [[gnu::always_inline]] inline void canonical(Vector &x) {
  const Vector itself = x; // a NaN does not equal itself
  x = x == itself ? x : Vector{} + std::bit_cast<float>(0x7fffffffu);
}
/// Replaces subnormal numbers by zeros of the same sign.
template <class Vector> [[gnu::always_inline]] inline void flush(Vector &x) {
  auto bits = BitsOf<Vector>(x);
  x = Vector(bits & ~(((bits & 0x7f800000) == 0) & 0x7fffffff));
}
/// Where the host's result is the smallest normal number, which .ftz may or may not make zero: it
/// may be the exact result, or a smaller one that was rounded to the host's subnormal numbers.
template <class Vector>
[[gnu::always_inline]] inline void noteDoubtful(const Vector &x, BitsOf<Vector> &doubtful) {
  doubtful |= (BitsOf<Vector>(x) & 0x7fffffff) == 0x00800000;
}
template <class Bits> bool any(const Bits &bits) {
  uint32_t words[sizeof(Bits) / 4], all = 0;
  std::memcpy(words, &bits, sizeof bits);
  for (uint32_t word : words)
    all |= word;
  return all != 0;
}

struct FastAdd {
  static constexpr bool isExactWhenSmall = true;
  template <class V> [[gnu::always_inline]] static V of(V a, V b) { return a + b; }
};
struct FastSub {
  static constexpr bool isExactWhenSmall = true;
  template <class V> [[gnu::always_inline]] static V of(V a, V b) { return a - b; }
};
struct FastMul {
  static constexpr bool isExactWhenSmall = false;
  template <class V> [[gnu::always_inline]] static V of(V a, V b) { return a * b; }
};
struct FastDiv {
  static constexpr bool isExactWhenSmall = false;
  template <class V> [[gnu::always_inline]] static V of(V a, V b) { return a / b; }
};
struct FastRcp {
  static constexpr bool isExactWhenSmall = false;
  template <class V> [[gnu::always_inline]] static V of(V a) { return (V{} + 1.0f) / a; }
};
struct FastSqrt {
  static constexpr bool isExactWhenSmall = true; // it is never small
  static Four of(Four a) { return __builtin_elementwise_sqrt(a); }
};
struct FastFma {
  static float of(float a, float b, float c) {
    return canonical(float(fusedToOdd(a, b, c, Rounding::NearestEven)));
  }
};

/// One or two operands of f32. `Exact` handles one lane after the other.
template <class Op, class Exact, bool ftz, class... Operand>
Flow byFours(Warp &w, const Instruction &i, Mask mask) {
  constexpr int sources = sizeof...(Operand);
  alignas(64) float result[warpSize];
  const float *from[sources];
  for (int n = 0; n < sources; ++n)
    from[n] = w.in<float>(i.operand[n + 1]);
  BitsOf<Four> doubtful{};
  for (int lane = 0; lane < warpSize; lane += 4) {
    Four x[sources];
    for (int n = 0; n < sources; ++n) {
      std::memcpy(&x[n], from[n] + lane, sizeof(Four));
      if constexpr (ftz)
        flush(x[n]);
    }
    Four y;
    if constexpr (sources == 1)
      y = Op::of(x[0]);
    else
      y = Op::of(x[0], x[1]);
    if constexpr (ftz) {
      if constexpr (!Op::isExactWhenSmall)
        noteDoubtful(y, doubtful);
      flush(y);
    }
    canonical(y);
    std::memcpy(result + lane, &y, sizeof(Four));
  }
  if constexpr (ftz && !Op::isExactWhenSmall)
    if (any(doubtful)) [[unlikely]]
      return realExecutor<Exact, F32, 1>(std::make_index_sequence<sources>())(w, i, mask);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

/// a * b + c of f32.
template <class Exact, bool ftz>
TESSERA_WITH_FMA Flow fusedByHost(Warp &w, const Instruction &i, Mask mask) {
  alignas(64) float result[warpSize];
  const float *a = w.in<float>(i.operand[1]), *b = w.in<float>(i.operand[2]),
              *c = w.in<float>(i.operand[3]);
  BitsOf<Eight> doubtful{};
  for (int lane = 0; lane < warpSize; lane += 8) {
    Eight x, y, z;
    std::memcpy(&x, a + lane, sizeof(Eight));
    std::memcpy(&y, b + lane, sizeof(Eight));
    std::memcpy(&z, c + lane, sizeof(Eight));
    if constexpr (ftz)
      flush(x), flush(y), flush(z);
    Eight sum = __builtin_elementwise_fma(x, y, z);
    if constexpr (ftz) {
      noteDoubtful(sum, doubtful);
      flush(sum);
    }
    canonical(sum);
    std::memcpy(result + lane, &sum, sizeof(Eight));
  }
  if constexpr (ftz)
    if (any(doubtful)) [[unlikely]]
      return realExecutor<Exact, F32, 1>(std::make_index_sequence<3>())(w, i, mask);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

#ifdef __x86_64__
#define TESSERA_WITH_HALVES [[gnu::target("avx2,fma,f16c")]]
#else
#define TESSERA_WITH_HALVES
#endif

struct HalfSum {
  template <class Host, class V>
  TESSERA_WITH_HALVES [[gnu::always_inline]] static V of(V a, V b, V, BitsOf<V> &) {
    return a + b;
  }
};
struct HalfDifference {
  template <class Host, class V>
  TESSERA_WITH_HALVES [[gnu::always_inline]] static V of(V a, V b, V, BitsOf<V> &) {
    return a - b;
  }
};
struct HalfProduct {
  template <class Host, class V>
  TESSERA_WITH_HALVES [[gnu::always_inline]] static V of(V a, V b, V, BitsOf<V> &) {
    return a * b;
  }
};
struct HalfFused {
  /// Knuth's TwoSum gives the error of the sum, which is added to odd as number/Exact.h does.
  template <class Host, class V>
  TESSERA_WITH_HALVES [[gnu::always_inline]] static V of(V a, V b, V c, BitsOf<V> &doubtful) {
    const V product = a * b, sum = product + c, back = sum - product;
    const V error = (product - (sum - back)) + (c - back);
    doubtful |= Host::isBeyond(a, b, product);
    auto bits = BitsOf<V>(sum);
    const auto isInexact = ((error > 0.0f) | (error < 0.0f)) & ((bits & 1) == 0); // not of a NaN
    const auto isAway = (error > 0.0f) == (bits >= 0);
    return V(bits + (isInexact & (isAway ? BitsOf<V>{} + 1 : BitsOf<V>{} - 1)));
  }
};

#ifdef __x86_64__
/// f16, which the host converts. Sums and products of two are rounded twice, to f32 and to f16.
/// That equals one rounding, since f32 has twice as many bits and two more (Figueroa, "When is
/// double rounding innocuous?", SIGNUM Newsletter 30, 1995). A fused product is rounded to odd in
/// between.
struct HostF16 {
  using Codes = __m128i;
  TESSERA_WITH_HALVES [[gnu::always_inline]] static Eight read(Codes codes) {
    return Eight(_mm256_cvtph_ps(codes));
  }
  TESSERA_WITH_HALVES [[gnu::always_inline]] static Codes write(Eight x) {
    canonical(x);
    return _mm256_cvtps_ph(__m256(x), _MM_FROUND_TO_NEAREST_INT);
  }
  /// Whether products are exact in f32, and their sums have an exact error.
  TESSERA_WITH_HALVES [[gnu::always_inline]] static BitsOf<Eight> isBeyond(Eight, Eight, Eight) {
    return {};
  }
};
/// bf16, the upper half of f32, with the same exponents: products near the ends of the range are
/// not exact.
struct HostBf16 {
  using Codes = __m128i;
  TESSERA_WITH_HALVES [[gnu::always_inline]] static Eight read(Codes codes) {
    return Eight(_mm256_slli_epi32(_mm256_cvtepu16_epi32(codes), 16));
  }
  TESSERA_WITH_HALVES [[gnu::always_inline]] static Codes write(Eight x) {
    auto bits = BitsOf<Eight>(x);
    bits = x == x ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 & 0xffff : BitsOf<Eight>{} + 0x7fff;
    __m256i packed =
        _mm256_packus_epi32(__m256i(bits), __m256i(bits)); // in both halves of 128 bits
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0b1000));
  }
  TESSERA_WITH_HALVES [[gnu::always_inline]] static BitsOf<Eight> isBeyond(Eight a, Eight b,
                                                                           Eight product) {
    constexpr int least = (127 - 100) << 23, most = (127 + 100) << 23;
    auto size = BitsOf<Eight>(product) & 0x7fffffff;
    return ((size < least) | (size > most)) & (a != 0.0f) & (b != 0.0f);
  }
};

/// An operation of `sources` halves, or pairs of them, in order.
template <class Op, class Host, class Exact, class Real, int sources, int parts>
TESSERA_WITH_HALVES Flow byHalves(Warp &w, const Instruction &i, Mask mask) {
  using Register = std::conditional_t<parts == 2, uint32_t, uint16_t>;
  alignas(64) Register result[warpSize];
  const Register *from[3];
  for (int n = 0; n < 3; ++n)
    from[n] = w.in<Register>(i.operand[size_t(n < sources ? n + 1 : 1)]);
  constexpr int step = 8 / parts; // registers that eight halves fill
  BitsOf<Eight> doubtful{};
  for (int lane = 0; lane < warpSize; lane += step) {
    Eight x[3];
    for (int n = 0; n < 3; ++n) {
      typename Host::Codes codes;
      std::memcpy(&codes, from[n] + lane, sizeof codes);
      x[n] = Host::read(codes);
    }
    auto codes = Host::write(Op::template of<Host>(x[0], x[1], x[2], doubtful));
    std::memcpy(result + lane, &codes, sizeof codes);
  }
  if (any(doubtful)) [[unlikely]]
    return realExecutor<Exact, Real, parts>(std::make_index_sequence<sources>())(w, i, mask);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

/// The codes of a warp as floats, and back, to nearest. A NaN of f16 becomes the canonical one.
template <class Host> TESSERA_WITH_HALVES void widen(const uint16_t *from, float *to) {
  for (int lane = 0; lane < warpSize; lane += 8) {
    typename Host::Codes codes;
    std::memcpy(&codes, from + lane, sizeof codes);
    Eight x = Host::read(codes);
    if constexpr (std::is_same_v<Host, HostF16>)
      canonical(x);
    std::memcpy(to + lane, &x, sizeof x);
  }
}
template <class Host> TESSERA_WITH_HALVES void narrow(const float *from, uint16_t *to) {
  for (int lane = 0; lane < warpSize; lane += 8) {
    Eight x;
    std::memcpy(&x, from + lane, sizeof x);
    auto codes = Host::write(x);
    std::memcpy(to + lane, &codes, sizeof codes);
  }
}
template <class Host> Flow widened(Warp &w, const Instruction &i, Mask mask) {
  alignas(64) float result[warpSize];
  widen<Host>(w.in<uint16_t>(i.operand[1]), result);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
template <class Host> Flow narrowed(Warp &w, const Instruction &i, Mask mask) {
  alignas(64) uint16_t result[warpSize];
  narrow<Host>(w.in<float>(i.operand[1]), result);
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}
/// Two numbers as a pair, the first in the high half.
template <class Host> Flow paired(Warp &w, const Instruction &i, Mask mask) {
  uint16_t high[warpSize], low[warpSize];
  uint32_t result[warpSize];
  narrow<Host>(w.in<float>(i.operand[1]), high);
  narrow<Host>(w.in<float>(i.operand[2]), low);
  for (int lane = 0; lane < warpSize; ++lane)
    result[lane] = uint32_t(high[lane]) << 16 | low[lane];
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

inline bool hostHasHalves() {
  static const bool has = hostHasFma() && __builtin_cpu_supports("f16c");
  return has;
}
#endif

/// The executor of a sum, difference or product of halves without modifiers; null if the host has
/// none.
template <class Op, class Exact, int sources> Executor halvesByHost(Type type) {
#ifdef __x86_64__
  if (!hostHasHalves())
    return nullptr;
  switch (type) {
  case Type::f16: return byHalves<Op, HostF16, Exact, F16, sources, 1>;
  case Type::f16x2: return byHalves<Op, HostF16, Exact, F16, sources, 2>;
  case Type::bf16: return byHalves<Op, HostBf16, Exact, Bf16, sources, 1>;
  case Type::bf16x2: return byHalves<Op, HostBf16, Exact, Bf16, sources, 2>;
  default: return nullptr;
  }
#else
  (void)type;
  return nullptr;
#endif
}

/// The executor of a conversion between f32 and halves, or pairs of them; null if the host has
/// none.
inline Executor convertedByHost(Type to, Type from) {
#ifdef __x86_64__
  if (!hostHasHalves())
    return nullptr;
  if (to == Type::f32)
    return from == Type::f16 ? widened<HostF16> : from == Type::bf16 ? widened<HostBf16> : nullptr;
  if (from != Type::f32)
    return nullptr;
  switch (to) {
  case Type::f16: return narrowed<HostF16>;
  case Type::bf16: return narrowed<HostBf16>;
  case Type::f16x2: return paired<HostF16>;
  case Type::bf16x2: return paired<HostBf16>;
  default: return nullptr;
  }
#else
  (void)to, (void)from;
  return nullptr;
#endif
}

//===--- Approximations: computed in double precision, and rounded once

using Doubles = double __attribute__((vector_size(32)));

/// A polynomial: the coefficient of the lowest power first.
template <size_t n>
TESSERA_WITH_FMA [[gnu::always_inline]] inline Doubles polynomial(Doubles x, const double (&c)[n]) {
  Doubles sum = Doubles{} + c[n - 1];
  for (size_t i = n - 1; i-- > 0;)
    sum = __builtin_elementwise_fma(sum, x, Doubles{} + c[i]);
  return sum;
}
/// Added to a number below 2^51, it rounds to the nearest integer, which is then in the low bits.
inline constexpr double toInteger = 0x1.8p52;

/// 2^x as 2^n e^(r ln 2) with |r| <= 1/2; 14 terms of the series, whose rest is below 2^-57.
struct HostExp2 {
  TESSERA_WITH_FMA [[gnu::always_inline]] static Doubles of(Doubles x) {
    constexpr double terms[] = {0x1.0000000000000p+0,  0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,
                                0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10,
                                0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20,
                                0x1.b5253d395e7c4p-24, 0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32,
                                0x1.c3bd650fc2986p-36, 0x1.816193166d0f9p-40};
    x = x > 200.0 ? Doubles{} + 200.0 : x; // beyond the range of f32; NaN stays
    x = x < -200.0 ? Doubles{} - 200.0 : x;
    const Doubles shifted = x + toInteger, rest = x - (shifted - toInteger);
    const auto exponent = BitsOf<Doubles>(shifted) - std::bit_cast<int64_t>(toInteger) + 1023;
    return polynomial(rest, terms) * Doubles(exponent << 52);
  }
};
/// log2 x as e + log2 m with m near 1, whose series is that of artanh((m - 1) / (m + 1)).
struct HostLog2 {
  TESSERA_WITH_FMA [[gnu::always_inline]] static Doubles of(Doubles x) {
    constexpr double terms[] = {0x1.0000000000000p+0, 0x1.5555555555555p-2, 0x1.999999999999ap-3,
                                0x1.2492492492492p-3, 0x1.c71c71c71c71cp-4, 0x1.745d1745d1746p-4,
                                0x1.3b13b13b13b14p-4, 0x1.1111111111111p-4, 0x1.e1e1e1e1e1e1ep-5,
                                0x1.af286bca1af28p-5, 0x1.8618618618618p-5, 0x1.642c8590b2164p-5};
    constexpr double twiceLog2E = 0x1.71547652b82fep+1;
    constexpr int64_t mantissa = (int64_t(1) << 52) - 1, one = int64_t(1023) << 52;
    const auto bits = BitsOf<Doubles>(x);
    Doubles m = Doubles((bits & mantissa) | one);
    auto exponent = (bits >> 52) - 1023;
    const auto isUpper = m > 1.4142135623730951;
    m = isUpper ? m * 0.5 : m;
    exponent = isUpper ? exponent + 1 : exponent;
    const Doubles s = (m - 1.0) / (m + 1.0), z = s * s;
    const Doubles e = Doubles(exponent + std::bit_cast<int64_t>(toInteger)) - toInteger;
    Doubles y = __builtin_elementwise_fma(s * twiceLog2E, polynomial(z, terms), e);
    y = x == 0.0 ? Doubles{} - double(INFINITY) : y;
    y = x < 0.0 ? Doubles{} + double(NAN) : y;
    return x < double(INFINITY) ? y : x; // of infinity and NaN themselves
  }
};
struct HostRsqrt {
  TESSERA_WITH_FMA [[gnu::always_inline]] static Doubles of(Doubles x) {
    return 1.0 / __builtin_elementwise_sqrt(x);
  }
};

template <class Approximation, bool ftz>
TESSERA_WITH_FMA Flow approximated(Warp &w, const Instruction &i, Mask mask) {
  // .ftz flushes numbers that are below the smallest normal number after rounding (isFlushed).
  constexpr double least = 0x1p-126 - 0x1p-151;
  alignas(64) float result[warpSize];
  const float *a = w.in<float>(i.operand[1]);
  for (int lane = 0; lane < warpSize; lane += 4) {
    Four x;
    std::memcpy(&x, a + lane, sizeof x);
    if constexpr (ftz)
      flush(x);
    Doubles y = Approximation::of(__builtin_convertvector(x, Doubles));
    if constexpr (ftz) {
      const auto sign = BitsOf<Doubles>(y) & INT64_MIN;
      const auto small = (y < least) & (y > -least);
      y = small ? Doubles(sign) : y;
    }
    Four z = __builtin_convertvector(y, Four);
    canonical(z);
    std::memcpy(result + lane, &z, sizeof z);
  }
  w.put(i.operand[0], result, mask);
  return Flow::Next;
}

} // namespace tessera::sim
