// Each op: what is emitted for a call, and its numbers on the interpreter beside plain C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Listing.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

using namespace tessera::tile;
using namespace tessera::tile::test;

namespace {

/// y = f(x) on tiles of 8; what it lists, and what it computes of x.
template <class E, class R, class F>
std::pair<std::string, std::vector<R>> map(const std::vector<E> &x, F f) {
  std::vector<E> in = x;
  in.resize(8);
  Array<R, 1> out(8);
  auto k = kernel([f](In<E, 1> x, Out<R, 8> y) { y.store(f(x.template load<8>(0))); }, "map");
  std::string text = traced(k, in, out);
  Outcome done = k(in, out);
  EXPECT_TRUE(done) << done.text();
  std::vector<R> numbers(out.begin(), out.end());
  numbers.resize(x.size());
  return {text, numbers};
}

const std::vector<float> reals{0.5f, 1.25f, 2.0f, 3.75f, 0.1f, 7.5f, 1.0f, 4.0f};
const std::vector<int> integers{1, -2, 3, -4, 5, 100, -7, 8};

/// An op of floating-point numbers: its line, and the function of the host that it is.
struct RealCase {
  const char *line;
  Tile<f32, 8> (*op)(Tile<f32, 8>);
  double (*host)(double);
};
#define REAL(line, of_x, of_host)                                                                  \
  RealCase {                                                                                       \
    line, [](Tile<f32, 8> x) -> Tile<f32, 8> { return of_x; },                                     \
        [](double x) -> double { return of_host; }                                                 \
  }
TEST(Ops, FunctionsOfReals) {
  const RealCase cases[] = {
      REAL("addf nearest_even", x + 1.5f, float(x + 1.5)),
      REAL("subf nearest_even", 1.5f - x, float(1.5 - x)),
      REAL("mulf nearest_even", x * 0.3f, float(x * 0.3f)),
      REAL("divf nearest_even", 1.0f / x, float(1.0f / float(x))),
      REAL("addf flush_to_zero zero", add(x, 0.7f, rounding::Zero, ftz::Enabled), x + double(0.7f)),
      REAL("subf negative_inf", sub(x, 0.7f, rounding::NegativeInf), x - double(0.7f)),
      REAL("mulf positive_inf", mul(x, 0.7f, ftz::Disabled, rounding::PositiveInf),
           x * double(0.7f)),
      REAL("divf flush_to_zero approx", div(x, 3.0f, rounding::Approx, ftz::Enabled), x / 3),
      REAL("divf full", div(x, 3.0f, rounding::Full), x / 3),
      REAL("remf", x % 0.75f, std::fmod(x, 0.75)),
      REAL("fma nearest_even", fma(x, x, 0.25f), std::fma(x, x, 0.25)),
      REAL("fma flush_to_zero zero", fma(x, 2.0f, x, rounding::Zero, ftz::Enabled), 3 * x),
      REAL("maxf", max(x, 1.1f), std::fmax(x, double(1.1f))),
      REAL("minf propagate_nan", min(x, 1.1f, nan::Propagated), std::fmin(x, double(1.1f))),
      REAL("maxf flush_to_zero", max(x, 1.1f, ftz::Enabled), std::fmax(x, double(1.1f))),
      REAL("negf", -x, -x),
      REAL("negf", neg(x), -x),
      REAL("absf", abs(1.0f - x), std::fabs(1 - x)),
      REAL("sin", sin(x), std::sin(x)),
      REAL("cos", cos(x), std::cos(x)),
      REAL("tan", tan(x), std::tan(x)),
      REAL("sinh", sinh(x), std::sinh(x)),
      REAL("cosh", cosh(x), std::cosh(x)),
      REAL("tanh full", tanh(x), std::tanh(x)),
      REAL("tanh approx", tanh(x, rounding::Approx), std::tanh(x)),
      REAL("exp full", exp(x), std::exp(x)),
      REAL("exp approx", exp(x, rounding::Approx), std::exp(x)),
      REAL("exp2", exp2(x), std::exp2(x)),
      REAL("exp2 flush_to_zero", exp2(x, round_subnormals_to_zero_t{}), std::exp2(x)),
      REAL("log", log(x), std::log(x)),
      REAL("log2", log2(x), std::log2(x)),
      REAL("ceil", ceil(x), std::ceil(x)),
      REAL("floor", floor(x), std::floor(x)),
      REAL("sqrt nearest_even", sqrt(x), std::sqrt(x)),
      REAL("sqrt flush_to_zero approx", sqrt(x, round_approximate_t{}, ftz::Enabled), std::sqrt(x)),
      REAL("rsqrt", rsqrt(x), 1 / std::sqrt(x)),
      REAL("pow", pow(x, 1.5f), std::pow(x, 1.5)),
      REAL("fpowi", pow(x, Tile<i32>(3)), std::pow(x, 3)),
      REAL("atan2", atan2(x, 2.0f), std::atan2(x, 2)),
      REAL("select", select(x > 1.5f, x, 0.0f), x > 1.5 ? x : 0),
  };
  for (const RealCase &c : cases) {
    auto [text, numbers] = map<f32, f32>(reals, c.op);
    EXPECT_LISTED(text, c.line);
    for (size_t i = 0; i < reals.size(); ++i) {
      double wanted = c.host(reals[i]);
      EXPECT_NEAR(numbers[i], wanted, 1e-6 * std::max(1.0, std::fabs(wanted))) << c.line;
    }
  }
}
TEST(Ops, DirectedRounding) {
  // 1 + 2^-24 lies between two f32: down is 1, up the next one.
  std::vector<float> one{1.0f};
  auto down = map<f32, f32>(one, [](auto x) { return add(x, 0x1p-24f, rounding::NegativeInf); });
  auto up = map<f32, f32>(one, [](auto x) { return add(x, 0x1p-24f, rounding::PositiveInf); });
  EXPECT_EQ(down.second[0], 1.0f);
  EXPECT_EQ(up.second[0], std::nextafter(1.0f, 2.0f));
}

struct IntegerCase {
  const char *line;
  Tile<i32, 8> (*op)(Tile<i32, 8>);
  int (*host)(int);
};
#define INTEGER(line, of_x, of_host)                                                               \
  IntegerCase {                                                                                    \
    line, [](Tile<i32, 8> x) -> Tile<i32, 8> { return of_x; },                                     \
        [](int x) -> int { return of_host; }                                                       \
  }
TEST(Ops, FunctionsOfIntegers) {
  const IntegerCase cases[] = {
      INTEGER("addi none", x + 3, x + 3),
      INTEGER("subi none", 3 - x, 3 - x),
      INTEGER("muli none", x * 5, x * 5),
      INTEGER("addi no_signed_wrap", add(x, 3, overflow::NoSignedWrap), x + 3),
      INTEGER("subi no_unsigned_wrap", sub(200, x * x % 100, overflow::NoUnsignedWrap),
              200 - x * x % 100),
      INTEGER("muli no_wrap", mul(abs(x), 2, overflow::NoWrap), 2 * std::abs(x)),
      INTEGER("divi signed zero", x / 3, x / 3),
      INTEGER("divi signed negative_inf", div(x, 3, rounding::NegativeInf),
              int(std::floor(x / 3.0))),
      INTEGER("divi signed positive_inf", ceil_div(x, 3), int(std::ceil(x / 3.0))),
      INTEGER("remi signed", x % 3, x % 3),
      INTEGER("negi none", -x, -x),
      INTEGER("negi no_signed_wrap", neg(x, overflow::NoSignedWrap), -x),
      INTEGER("absi", abs(x), std::abs(x)),
      INTEGER("maxi signed", max(x, 2), std::max(x, 2)),
      INTEGER("mini signed", min(2, x), std::min(x, 2)),
      INTEGER("andi", x & 6, x & 6),
      INTEGER("ori", x | 6, x | 6),
      INTEGER("xori", x ^ 6, x ^ 6),
      INTEGER("xori", ~x, ~x),
      INTEGER("shli none", x << 2, x * 4),
      INTEGER("shri signed", x >> 1, x >> 1),
      INTEGER("mulhii", mulhi(x, x), int((uint64_t(uint32_t(x)) * uint32_t(x)) >> 32)),
      INTEGER("cmpi less_than signed", select(x < 2, 1, x), x < 2 ? 1 : x),
      INTEGER("cmpi equal signed", select(x == 3, -1, x), x == 3 ? -1 : x),
      INTEGER("cmpi not_equal signed", select(3 != x, -1, x), x != 3 ? -1 : x),
      INTEGER("cmpi greater_than_or_equal signed", select(x >= 3, -1, x), x >= 3 ? -1 : x),
      INTEGER("cmpi greater_than signed", select(gt(x, 3), -1, x), x > 3 ? -1 : x),
      INTEGER("cmpi less_than_or_equal signed", select(x <= 3, -1, x), x <= 3 ? -1 : x),
  };
  for (const IntegerCase &c : cases) {
    auto [text, numbers] = map<i32, i32>(integers, c.op);
    EXPECT_LISTED(text, c.line);
    for (size_t i = 0; i < integers.size(); ++i)
      EXPECT_EQ(numbers[i], c.host(integers[i])) << c.line << " of " << integers[i];
  }
}
TEST(Ops, NumbersOfTheHostStandOnEitherSide) {
  auto close = [](const std::vector<float> &got, double (*wanted)(double)) {
    for (size_t i = 0; i < reals.size(); ++i)
      EXPECT_NEAR(got[i], wanted(reals[i]), 2e-6 * std::abs(wanted(reals[i]))) << i;
  };
  auto fmas = map<f32, f32>(reals, [](auto x) { return fma(2.0f, x, sum(x) * 0 + 1.0f); });
  close(fmas.second, [](double x) { return 2 * x + 1; });
  close(map<f32, f32>(reals, [](auto x) { return fma(2.0f, 3.0f, x); }).second,
        [](double x) { return 6 + x; });
  close(map<f32, f32>(reals, [](auto x) { return pow(2.0f, x); }).second,
        [](double x) { return std::exp2(x); });
  close(map<f32, f32>(reals, [](auto x) { return atan2(1.0f, x); }).second,
        [](double x) { return std::atan2(1.0, x); });
  // A tile of one element beside a larger one.
  close(map<f32, f32>(reals, [](auto x) { return pow(x, reduce_max(x) * 0 + 2.0f); }).second,
        [](double x) { return x * x; });
  std::vector<u32> in{0, 1, 0x80000000u, 0xffffffffu};
  auto high = map<u32, u32>(in, [](auto x) { return mulhi(0xD2511F53u, x); }).second;
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(high[i], uint32_t(uint64_t(in[i]) * 0xD2511F53u >> 32)) << i;
}
TEST(Ops, AssignmentsOfEveryOperator) {
  auto got = map<i32, i32>(integers, [](auto x) {
    x %= 7;
    x += 40;
    x <<= 2;
    x |= 1;
    x ^= 0x55;
    x &= 0xfe;
    x >>= 1;
    return x;
  });
  for (size_t i = 0; i < integers.size(); ++i) {
    int x = integers[i];
    x %= 7, x += 40, x <<= 2, x |= 1, x ^= 0x55, x &= 0xfe, x >>= 1;
    EXPECT_EQ(got.second[i], x) << i;
  }
}
TEST(Ops, UnsignedElements) {
  std::vector<u32> x{1, 0x80000000u, 0xffffffffu, 7};
  auto [text, numbers] = map<u32, u32>(
      x, [](auto x) { return select(x > 5, x / 3 + (x >> 1), max(x, u32(2)) + x % 2); });
  for (const char *line : {"divi unsigned zero", "shri unsigned", "cmpi greater_than unsigned",
                           "maxi unsigned", "remi unsigned"})
    EXPECT_LISTED(text, line);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(numbers[i], x[i] > 5 ? x[i] / 3 + (x[i] >> 1) : std::max(x[i], 2u) + x[i] % 2);
}

TEST(Ops, ComparisonsThatAMarkerNames) {
  std::vector<float> x{1, 2, 3, std::numeric_limits<float>::quiet_NaN()};
  std::vector<int> y(4);
  auto k = kernel([](In<f32, 1> x, Out<i32, 4> y) {
    auto less = cmp(x.load<4>(0), 2.5f, predicate::LessThan, cmp_ordering::Unordered);
    auto late = cmp(iota<i32, 4>(), 1, predicate::GreaterThanOrEqual);
    y.store(select(less, full<i32, 4>(1), 0) + select(late, full<i32, 4>(2), 0));
  });
  EXPECT_RUNS(k(x, y));
  EXPECT_EQ(y, (std::vector<int>{1, 3, 2, 3}));
  std::string text = traced(k, x, y);
  EXPECT_LISTED(text, "cmpf less_than unordered");
  EXPECT_LISTED(text, "cmpi greater_than_or_equal signed");
}
TEST(Ops, ComparisonsOfNaN) {
  std::vector<float> x{NAN, 1.0f};
  auto value = [&](auto f) {
    return map<f32, i32>(x, [f](auto x) { return element_cast<i32>(f(x)); });
  };
  EXPECT_EQ(value([](auto x) { return x == x; }).second, (std::vector<int>{0, 1}));
  EXPECT_EQ(value([](auto x) { return x != x; }).second, (std::vector<int>{1, 0}));
  EXPECT_EQ(value([](auto x) { return lt(x, 2.0f, cmp_ordering::Unordered); }).second,
            (std::vector<int>{1, 1}));
  EXPECT_EQ(value([](auto x) { return !le(x, 2.0f) & !ge(x, 5.0f); }).second,
            (std::vector<int>{1, 0}));
  EXPECT_EQ(value([](auto x) { return eq(x, 1.0f) | ne(x, x); }).second, (std::vector<int>{0, 1}));
  EXPECT_LISTED(value([](auto x) { return lt(x, 2.0f, cmp_ordering::Unordered); }).first,
                "cmpf less_than unordered");
}

TEST(Ops, Conversions) {
  auto half = map<f32, f16>(reals, [](auto x) { return element_cast<f16>(x); });
  EXPECT_LISTED(half.first, "ftof nearest_even");
  EXPECT_EQ(float(half.second[4]), 0x1.998p-4f); // 0.1 in 11 bits
  auto whole = map<f32, i32>({2.75f, -2.75f}, [](auto x) { return element_cast<i32>(x); });
  EXPECT_LISTED(whole.first, "ftoi signed nearest_int_to_zero");
  EXPECT_EQ(whole.second, (std::vector<int>{2, -2}));
  auto bounded = map<f32, i8>({1000.0f, -1000.0f},
                              [](auto x) { return element_cast<i8>(x, saturating::Enabled); });
  EXPECT_LISTED(bounded.first, "ftoi saturating signed");
  EXPECT_EQ(bounded.second, (std::vector<i8>{127, -128}));
  auto real = map<i32, f32>(integers, [](auto x) { return element_cast<f32>(x); });
  EXPECT_LISTED(real.first, "itof signed nearest_even");
  EXPECT_EQ(real.second[1], -2.0f);
  auto wide = map<i8, i64>({-1}, [](auto x) { return element_cast<i64>(x); });
  EXPECT_LISTED(wide.first, "exti signed");
  EXPECT_EQ(wide.second[0], -1);
  auto wideUnsigned = map<u8, i64>({255}, [](auto x) { return element_cast<i64>(x); });
  EXPECT_EQ(wideUnsigned.second[0], 255);
  auto narrow = map<i32, i8>({258}, [](auto x) { return element_cast<i8>(x); });
  EXPECT_LISTED(narrow.first, "trunci none");
  EXPECT_EQ(narrow.second[0], 2);
  auto bits = map<f32, i32>({1.0f}, [](auto x) { return bitcast<i32>(x); });
  EXPECT_LISTED(bits.first, "bitcast");
  EXPECT_EQ(bits.second[0], 0x3f800000);
  auto bytes = map<f32, f32>(reals, [](auto x) {
    auto packed = pack(x);
    static_assert(std::is_same_v<decltype(packed), Tile<i8, 32>>);
    return unpack<f32>(packed);
  });
  EXPECT_LISTED(bytes.first, "unpack");
  EXPECT_EQ(bytes.second, reals);
  for (const auto &roundTrip : {map<f32, f32>(
           {448.0f, 0.3f}, [](auto x) { return element_cast<f32>(element_cast<f8e4m3fn>(x)); })})
    EXPECT_EQ(roundTrip.second, (std::vector<float>{448.0f, 0.3125f}));
}

TEST(Ops, Shapes) {
  std::vector<int> x(8);
  std::iota(x.begin(), x.end(), 0);
  auto turned = map<i32, i32>(x, [](auto x) {
    auto square = reshape<2, 4>(x);
    auto other = transpose(square);
    static_assert(std::is_same_v<decltype(other), Tile<i32, 4, 2>>);
    return reshape<8>(other);
  });
  EXPECT_LISTED(turned.first, "permute [1, 0]");
  EXPECT_EQ(turned.second, (std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7}));
  auto cubes = map<i32, i32>(
      x, [](auto x) { return reshape<8>(permute(reshape<2, 2, 2>(x), dimension_map<2, 0, 1>{})); });
  // y[i][j][k] = x[j][k][i]
  EXPECT_EQ(cubes.second, (std::vector<int>{0, 2, 4, 6, 1, 3, 5, 7}));
  auto joined = map<i32, i32>(x, [](auto x) {
    auto low = extract<4>(x, {0}), high = extract<4>(x, {1});
    return cat<0>(high, low);
  });
  EXPECT_LISTED(joined.first, "cat 0");
  EXPECT_EQ(joined.second, (std::vector<int>{4, 5, 6, 7, 0, 1, 2, 3}));
  auto inserted = map<i32, i32>(x, [](auto x) { return insert(x, full<i32, 4>(9), {1}); });
  EXPECT_EQ(inserted.second, (std::vector<int>{0, 1, 2, 3, 9, 9, 9, 9}));
  auto repeated = map<i32, i32>(x, [](auto x) {
    Tile<i32, 2, 1> column = reshape<2, 1>(extract<2>(x, {1}));
    Tile<i32, 1, 4> row = iota<i32, 1, 4>();
    return reshape<8>(column * 10 + row);
  });
  EXPECT_LISTED(repeated.first, "broadcast");
  EXPECT_EQ(repeated.second, (std::vector<int>{20, 21, 22, 23, 30, 31, 32, 33}));
  auto constants = map<i32, i32>(x, [](auto x) {
    return x * 0 + constant<i32, 8>({3, 1, 4, 1, 5, 9, 2, 6}) + ones<i32, 8>() +
           zeros<Tile<i32, 8>>() + broadcast<8>(Tile<i32>(2));
  });
  EXPECT_EQ(constants.second, (std::vector<int>{6, 4, 7, 4, 8, 12, 5, 9}));
}

TEST(Ops, ReductionsAndScans) {
  std::vector<float> x{3, 1, 4, 1, 5, 9, 2, 6};
  auto along = map<f32, f32>(x, [](auto x) {
    auto rows = reshape<2, 4>(x);
    static_assert(std::is_same_v<decltype(sum<1>(rows)), Tile<f32, 2, 1>>);
    return reshape<8>(rows - reduce_max<1>(rows) + sum<1>(rows));
  });
  EXPECT_LISTED(along.first, "reduce 1 [0xff800000]");
  EXPECT_EQ(along.second, (std::vector<float>{8, 6, 9, 6, 18, 22, 15, 19}));
  auto all = map<f32, f32>(x, [](auto x) {
    Tile<f32> total = sum(x), least = reduce_min(x);
    return x * 0.0f + total * 10.0f + least + prod(extract<2>(x, {0}));
  });
  EXPECT_EQ(all.second[7], 314.0f);
  auto scanned = map<f32, f32>(x, [](auto x) { return partial_sum<0>(x); });
  EXPECT_LISTED(scanned.first, "scan 0 0 [0x0]");
  EXPECT_EQ(scanned.second, (std::vector<float>{3, 4, 8, 9, 14, 23, 25, 31}));
  auto backward = map<f32, f32>(x, [](auto x) { return partial_prod<0>(x, reverse::Enabled); });
  EXPECT_EQ(backward.second, (std::vector<float>{6480, 2160, 2160, 540, 540, 108, 12, 6}));
  auto places = map<f32, i32>(x, [](auto x) {
    return reshape<8>(broadcast<2, 4>(argmax<1>(reshape<2, 4>(x)))) * 10 + argmin<0>(x);
  });
  EXPECT_EQ(places.second, (std::vector<int>{21, 21, 21, 21, 11, 11, 11, 11}));
  auto truth = map<f32, i32>(x, [](auto x) {
    return element_cast<i32>(any_of(x > 8.0f)) * 2 + element_cast<i32>(all_of(x > 1.0f)) +
           zeros<i32, 8>();
  });
  EXPECT_EQ(truth.second[0], 2);
  // A combiner of one's own: the sum of squares, by a pair (value, count).
  auto own = map<f32, f32>(x, [](auto x) {
    auto [squares, count] =
        reduce<0>(std::tuple(x * x, ones<i32, 8>()), std::tuple(0.0f, 0),
                  [](auto a, auto n, auto b, auto m) { return std::tuple(a + b, n + m); });
    return squares / element_cast<f32>(count) + zeros<f32, 8>();
  });
  EXPECT_EQ(own.second[0], 173.0f / 8);
  auto most = map<f32, f32>(
      x, [](auto x) { return scan<0>(x, 0.0f, [](auto a, auto b) { return max(a, b); }); });
  EXPECT_EQ(most.second, (std::vector<float>{3, 3, 4, 4, 5, 9, 9, 9}));
}

// h[i] = a[i] h[i - 1] + b[i] with a = 1, 2, 1, 2, ...: the combiner is not commutative, so the
// order of its arguments shows.
TEST(Ops, ScansOfSeveralTiles) {
  std::vector<float> b{3, 1, 4, 1, 5, 9, 2, 6};
  auto recurrence = []<class M>(M direction) {
    return [direction](auto x) {
      auto a = element_cast<f32>(iota<i32, 8>() % 2 + 1);
      auto [products, h] = scan<0>(
          std::tuple(a, x), std::tuple(1.0f, 0.0f),
          [](auto a, auto h, auto nextA, auto nextB) {
            return std::tuple(a * nextA, h * nextA + nextB);
          },
          direction);
      return h + products * 1000.0f;
    };
  };
  auto forward = map<f32, f32>(b, recurrence(reverse::Disabled));
  EXPECT_LISTED(forward.first, "scan 0 0 [0x3f800000, 0x0]");
  std::vector<float> wanted(8), back(8);
  float h = 0, product = 1;
  for (size_t i = 0; i < 8; ++i) {
    h = float(i % 2 + 1) * h + b[i];
    product *= float(i % 2 + 1);
    wanted[i] = h + product * 1000;
  }
  EXPECT_EQ(forward.second, wanted);
  auto backward = map<f32, f32>(b, recurrence(reverse::Enabled));
  h = 0, product = 1;
  for (size_t i = 8; i-- > 0;) {
    h = float(i % 2 + 1) * h + b[i];
    product *= float(i % 2 + 1);
    back[i] = h + product * 1000;
  }
  EXPECT_EQ(backward.second, back);
}

/// a * b of small whole numbers, in any type that holds them.
template <class E, class C> void expectProduct(const char *line) {
  Array<E, 2> a(16, 8), b(8, 4);
  a.fill([](int64_t i) { return int(i % 5) - (Integer<E> && !isSigned<E> ? 0 : 2); });
  b.fill([](int64_t i) { return int(i % 3) - (Integer<E> && !isSigned<E> ? 0 : 1); });
  Array<C, 2> c(16, 4);
  auto k = kernel([](In<E, 2> a, In<E, 2> b, Out<C, 16, 4> c) {
    c.store(mma(a.template load<16, 8>({0, 0}), b.template load<8, 4>({0, 0}), full<C, 16, 4>(1)));
  });
  EXPECT_LISTED(traced(k, a, b, c), line);
  Outcome done = k(a, b, c);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 4; ++j) {
      double wanted = 1;
      for (int l = 0; l < 8; ++l)
        wanted += double(a(i, l)) * double(b(l, j));
      EXPECT_EQ(double(c(i, j)), wanted);
    }
}
TEST(Ops, Products) {
  expectProduct<f16, f32>("mmaf");
  expectProduct<f16, f16>("mmaf");
  expectProduct<bf16, f32>("mmaf");
  expectProduct<f32, f32>("mmaf");
  expectProduct<tf32, f32>("mmaf");
  expectProduct<f64, f64>("mmaf");
  expectProduct<f8e4m3fn, f32>("mmaf");
  expectProduct<f8e5m2, f16>("mmaf");
  expectProduct<i8, i32>("mmai signed signed");
  expectProduct<u8, i32>("mmai unsigned unsigned");
  std::vector<float> a{1, 2, 3, 4, 5, 6, 7, 8};
  auto batch = map<f32, f32>(a, [](auto x) {
    auto b = reshape<2, 2, 2>(x);
    return reshape<8>(matmul(b, b));
  });
  EXPECT_EQ(batch.second, (std::vector<float>{7, 10, 15, 22, 67, 78, 91, 106}));
  auto fast = map<f32, f32>(a, [](auto x) {
    auto b = element_cast<f8e4m3fn>(reshape<2, 2, 2>(x));
    return reshape<8>(mma(b, b, zeros<f32, 2, 2, 2>(), fast_acc::Enabled));
  });
  EXPECT_LISTED(fast.first, "mmaf fast_acc");
  EXPECT_EQ(fast.second, batch.second);
  // K = 32 with one scale: 2^1 for a, 2^-1 for b.
  auto scaled = map<f32, f32>(a, [](auto x) {
    auto one = element_cast<f8e4m3fn>(ones<f32, 8, 32>());
    auto two = element_cast<f8e8m0fnu>(full<f32, 8, 1>(2.0f));
    auto half = element_cast<f8e8m0fnu>(full<f32, 1, 8>(0.25f));
    auto c = mma_scaled(one, two, reshape<32, 8>(one), half, zeros<f32, 8, 8>());
    return x * 0.0f + reshape<8>(sum<0>(c));
  });
  EXPECT_LISTED(scaled.first, "mmaf_scaled");
  EXPECT_EQ(scaled.second[0], 8 * 32 * 0.5f);
}

/// Numbers of the library's own formats are constants, as C++'s are.
TEST(Ops, NumbersOfTheHostInFormatsOfTheLibrary) {
  auto [text, y] = map<f16, f16>({f16(1), f16(3)}, [](auto x) {
    return fma(f16(2), f16(0.25), max(x * f16(0.5) + bf16(1), f16(1.75)));
  });
  EXPECT_EQ(double(y[0]), 2.25);
  EXPECT_EQ(double(y[1]), 3.0);
  std::vector<f16> numbers{f16(1), f16(2), f16(3)}, out(2);
  auto k = kernel([](Tile<f16 *> p, Out<f16, 2> y) {
    auto i = iota<i32, 2>() + 2;
    y.store(load_masked(p + i, i < 3, f16(0.5)));
  });
  ASSERT_TRUE(k(numbers, out)) << "a pad";
  EXPECT_EQ(double(out[0]), 3.0);
  EXPECT_EQ(double(out[1]), 0.5);
}

} // namespace
