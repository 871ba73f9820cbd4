// Whole numbers of kernels beside those of C++: every operator, every pair of types, edge values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <optional>

using namespace tessera::cute;

namespace {
template <class... Ts> struct Types {};
using Whole = Types<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
template <class... Ts, class F> void forEach(Types<Ts...>, F &&f) {
  (f.template operator()<Ts>(), ...);
}

constexpr size_t values = 8;
template <class T> std::array<T, values> edges() {
  using L = std::numeric_limits<T>;
  return {T(0), T(1), L::max(), L::min(), T(L::max() - 1), T(-1), T(77), T(3)};
}

/// C++'s result, as 64 bits; none where C++ has none.
using Want = std::optional<int64_t>;
struct Operator {
  const char *name;
  Num (*traced)(const Operand &, const Operand &);
};
#define OPERATORS(O)                                                                               \
  O(+) O(-) O(*) O(/) O(%) O(&) O(|) O(^) O(<<) O(>>) O(<) O(<=) O(>) O(>=) O(==) O(!=)
const Operator operators[] = {
#define ROW(OP) {#OP, [](const Operand &a, const Operand &b) { return a OP b; }},
    OPERATORS(ROW)
#undef ROW
};
template <class T, class U> Want computed(size_t which, T a, U b) {
  using C = decltype(a + b);
  using Left = decltype(+a);
  C x = C(a), y = C(b), checked;
  if constexpr (std::is_signed_v<C>)
    if (which == 0   ? __builtin_add_overflow(x, y, &checked)
        : which == 1 ? __builtin_sub_overflow(x, y, &checked)
        : which == 2 ? __builtin_mul_overflow(x, y, &checked)
                     : (which == 3 || which == 4) && x == std::numeric_limits<C>::min() && y == -1)
      return {};
  if ((which == 3 || which == 4) && y == 0)
    return {};
  if ((which == 8 || which == 9) && (b < U(0) || uint64_t(b) >= sizeof(Left) * 8))
    return {};
  size_t i = 0;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsign-compare"
#define ROW(OP)                                                                                    \
  if (which == i++)                                                                                \
    return int64_t(a OP b);
  OPERATORS(ROW)
#undef ROW
#pragma clang diagnostic pop
  return {};
}
template <class T> const char *nameOf() {
  return std::is_same_v<T, bool> ? "bool" : tessera::number::ourName(format_of<T>).data();
}

std::function<void(Tensor, Tensor, Tensor)> body;
void device(Tensor x, Tensor y, Tensor z) { body(x, y, z); }
void host(Tensor x, Tensor y, Tensor z) {
  launch(device, {.block = int(values * values)}, x, y, z);
}

/// Memory has no elements of one bit.
template <class T> using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

/// z(i, which) = f(which, x(i), y(i)) for all pairs of edge values.
template <class T, class U, class F>
void compare(size_t results, F f, auto want, auto nameOfResult) {
  std::array<T, values> a = edges<T>();
  std::array<U, values> b = edges<U>();
  constexpr size_t pairs = values * values;
  std::vector<Stored<T>> x(pairs);
  std::vector<Stored<U>> y(pairs);
  for (size_t i = 0; i < pairs; ++i)
    x[i] = a[i / values], y[i] = b[i % values];
  std::vector<int64_t> z(pairs * results);
  body = [&](Tensor x, Tensor y, Tensor z) {
    for (size_t which = 0; which < results; ++which)
      z(Num(threadIdx.x) + int(which * pairs)) =
          convert<int64_t>(f(which, convert<T>(x(threadIdx.x)), convert<U>(y(threadIdx.x))));
  };
  Outcome done = kernel(host, "k")(simulator({.sanitize = false}), x, y, z);
  ASSERT_TRUE(done) << done.text();
  for (size_t which = 0; which < results; ++which)
    for (size_t i = 0; i < pairs; ++i)
      if (Want w = want(which, a[i / values], b[i % values]))
        EXPECT_EQ(z[which * pairs + i], *w)
            << nameOf<T>() << " " << +a[i / values] << " " << nameOfResult(which) << " "
            << nameOf<U>() << " " << +b[i % values];
}
} // namespace

TEST(CuteWhole, OperatorsOfTheDeviceAreThoseOfCpp) {
  forEach(Whole{}, [&]<class T> {
    forEach(Whole{}, [&]<class U> {
      compare<T, U>(
          std::size(operators),
          [](size_t which, Num x, Num y) {
            // Neither traps nor is compared.
            bool divides = which == 3 || which == 4;
            return operators[which].traced(x, divides ? where(y == 0, y | 1, y) : y);
          },
          [](size_t which, T a, U b) { return computed(which, a, b); },
          [](size_t which) { return operators[which].name; });
    });
  });
}

TEST(CuteWhole, OperatorsBesideConstantsAreThoseOfCpp) {
  forEach(Whole{}, [&]<class T> {
    forEach(Whole{}, [&]<class U> {
      constexpr size_t ops = std::size(operators);
      std::array<U, values> all = edges<U>();
      std::array constants = {all[2], all[3], all[5], all[7]};
      auto isSkipped = [&](size_t which, bool isLeft) {
        size_t op = which % ops;
        U c = constants[which / ops];
        return ((op == 3 || op == 4) && (isLeft || c == U(0))) ||
               ((op == 8 || op == 9) && !isLeft && (c < U(0) || uint64_t(c) > 31));
      };
      for (bool isLeft : {false, true})
        compare<T, bool>(
            ops * constants.size(),
            [&](size_t which, Num x, Num) {
              Num c = constants[which / ops];
              if (isSkipped(which, isLeft))
                return Num(0);
              return isLeft ? operators[which % ops].traced(c, x)
                            : operators[which % ops].traced(x, c);
            },
            [&](size_t which, T a, bool) -> Want {
              U c = constants[which / ops];
              if (isSkipped(which, isLeft))
                return {};
              return isLeft ? computed(which % ops, c, a) : computed(which % ops, a, c);
            },
            [&](size_t which) {
              return std::string(operators[which % ops].name) + (isLeft ? " after " : " ") +
                     nameOf<U>() + " " + std::to_string(constants[which / ops]);
            });
    });
  });
}

TEST(CuteWhole, WhatCppKnowsIsComputedInItsTypes) {
  forEach(Whole{}, [&]<class T> {
    forEach(Whole{}, [&]<class U> {
      for (T a : edges<T>())
        for (U b : edges<U>())
          for (size_t which = 0; which < std::size(operators); ++which)
            if (Want want = computed(which, a, b))
              EXPECT_EQ(int64_t(operators[which].traced(Num(a), Num(b))), *want)
                  << nameOf<T>() << " " << +a << operators[which].name << nameOf<U>() << " " << +b;
    });
  });
}

/// To every format and back, as C++ converts numbers that both formats hold or round alike.
TEST(CuteWhole, ConversionsAreThoseOfCpp) {
  forEach(Whole{}, [&]<class T> {
    compare<T, T>(
        12,
        [](size_t which, Num x, Num) {
          switch (which) {
          case 0: return convert<bool>(x);
          case 1: return convert<int8_t>(x);
          case 2: return convert<uint8_t>(x);
          case 3: return convert<int16_t>(x);
          case 4: return convert<uint16_t>(x);
          case 5: return convert<int32_t>(x);
          case 6: return convert<uint32_t>(x);
          case 7: return convert<int64_t>(x);
          case 8: return convert<uint64_t>(x);
          case 9: return bit_cast<int32_t>(convert<float>(x));
          case 10: return bit_cast<int64_t>(convert<double>(x));
          default: return bit_cast<int32_t>(convert<float>(convert<half_t>(x & 1023)));
          }
        },
        [](size_t which, T x, T) -> Want {
          switch (which) {
          case 0: return bool(x);
          case 1: return int8_t(x);
          case 2: return uint8_t(x);
          case 3: return int16_t(x);
          case 4: return uint16_t(x);
          case 5: return int32_t(x);
          case 6: return uint32_t(x);
          case 7: return int64_t(x);
          case 8: return int64_t(uint64_t(x));
          case 9: return std::bit_cast<int32_t>(float(x));
          case 10: return std::bit_cast<int64_t>(double(x));
          default: return std::bit_cast<int32_t>(float(x & 1023));
          }
        },
        [](size_t which) { return "conversion " + std::to_string(which); });
  });
}

namespace {
struct BitFunction {
  const char *name;
  Num (*traced)(const Operand &);
};
const BitFunction bitFunctions[] = {
    {"has_single_bit", has_single_bit},
    {"bit_width", bit_width},
    {"bit_floor", bit_floor},
    {"countl_zero", countl_zero},
    {"countl_one", countl_one},
    {"countr_zero", countr_zero},
    {"countr_one", countr_one},
    {"popcount", popcount},
    {"bit_ceil", bit_ceil},
    {"rotl", [](const Operand &x) { return rotl(x, 5); }},
    {"rotr", [](const Operand &x) { return rotr(x, 3); }},
    {"signum", signum},
};
template <class T> Want bitsByCpp(size_t which, T x) {
  switch (which) {
  case 0: return std::has_single_bit(x);
  case 1: return std::bit_width(x);
  case 2: return int64_t(std::bit_floor(x));
  case 3: return std::countl_zero(x);
  case 4: return std::countl_one(x);
  case 5: return std::countr_zero(x);
  case 6: return std::countr_one(x);
  case 7: return std::popcount(x);
  case 8:
    if (x > std::numeric_limits<T>::max() / 2 + 1)
      return {};
    return int64_t(std::bit_ceil(x));
  case 9: return int64_t(std::rotl(x, 5));
  case 10: return int64_t(std::rotr(x, 3));
  default: return x != 0;
  }
}
} // namespace

/// On the device, and where C++ knows the number.
/// Also without a program: what C++ knows stays known.
TEST(CuteWhole, ConversionsOfWhatCppKnows) {
  EXPECT_EQ(int(convert<int8_t>(Num(300))), int8_t(300));
  EXPECT_EQ(int(convert<uint8_t>(Num(-1))), uint8_t(-1));
  EXPECT_EQ(int(convert<int16_t>(Num(40000)) + 1), int16_t(40000) + 1);
  EXPECT_EQ(int(convert<int>(Num(int64_t(1) << 40 | 7))), 7);
  EXPECT_EQ(int64_t(convert<uint32_t>(Num(-1)) + 1), 0);
  EXPECT_EQ(int64_t(convert<int64_t>(Num(-1))), -1);
  EXPECT_TRUE(bool(convert<bool>(Num(2))));
}

TEST(CuteWhole, FunctionsOfBitsAreThoseOfCpp) {
  forEach(Types<uint8_t, uint16_t, uint32_t, uint64_t>{}, [&]<class T> {
    compare<T, T>(
        std::size(bitFunctions),
        [](size_t which, Num x, Num) { return bitFunctions[which].traced(x); },
        [](size_t which, T x, T) { return bitsByCpp(which, x); },
        [](size_t which) { return bitFunctions[which].name; });
    if constexpr (sizeof(T) >= 4) // smaller ones are ints
      for (T x : edges<T>())
        for (size_t which = 0; which < std::size(bitFunctions); ++which)
          if (Want want = bitsByCpp(which, x))
            EXPECT_EQ(int64_t(bitFunctions[which].traced(Num(x))), *want)
                << bitFunctions[which].name << " of " << x;
  });
  EXPECT_EQ(int(signum(-7)), -1);
  EXPECT_EQ(int(log_2(_128{})), 7);
  EXPECT_EQ(int(safe_div(_128{}, 32)), 4);
  EXPECT_EQ(int(shiftl(5, -1)), 2);
}

TEST(CuteWhole, SignsAndAbsoluteValues) {
  forEach(Whole{}, [&]<class T> {
    if constexpr (!std::is_same_v<T, bool>) {
      auto traced = [](size_t which, Num x) { return which ? abs(x) : signum(x); };
      auto byCpp = [](size_t which, T x) -> Want {
        if (!which)
          return (x > T(0)) - (x < T(0));
        if constexpr (std::is_signed_v<T>) {
          if (sizeof(T) >= 4 && x == std::numeric_limits<T>::min())
            return {}; // undefined
          return x < 0 ? -int64_t(x) : int64_t(x);
        }
        return int64_t(x);
      };
      compare<T, T>(
          2, [&](size_t which, Num x, Num) { return traced(which, x); },
          [&](size_t which, T x, T) { return byCpp(which, x); },
          [](size_t which) { return which ? "abs" : "signum"; });
      for (T x : edges<T>())
        for (size_t which = 0; which < 2; ++which)
          if (Want want = byCpp(which, x))
            EXPECT_EQ(int64_t(traced(which, Num(x))), *want) << nameOf<T>() << " " << +x;
    }
  });
}

TEST(CuteWhole, ModesAsArguments) {
  IntTuple t = make_shape(2, make_shape(3, 4), 5);
  EXPECT_EQ(apply(t, [](auto... m) { return make_shape(m..., 1); }).str(), "(2,(3,4),5,1)");
  EXPECT_EQ(
      apply(make_shape(2, 3), [](const IntTuple &a, const IntTuple &b) { return make_shape(b, a); })
          .str(),
      "(3,2)");
  EXPECT_EQ(int(transform_apply(
                t, [](const IntTuple &m) { return size(m); },
                [](const Num &a, const Num &b, const Num &c) { return a * 100 + b * 10 + c; })),
            2 * 100 + 12 * 10 + 5);
  EXPECT_EQ(transform_apply(
                make_shape(2, 3), [](const IntTuple &m) { return make_layout(m); },
                [](auto... l) { return make_layout(l...); })
                .str(),
            "(2,3):(1,1)");
}

namespace {
/// y = f(x) in 32 threads.
template <class T, class U = T>
std::vector<U> run(std::vector<T> x, std::function<void(Tensor, Tensor)> f) {
  std::vector<U> y(32);
  std::vector<int> none(1);
  body = [&](Tensor x, Tensor y, Tensor) { If(threadIdx.x < 32, [&] { f(x, y); }); };
  Outcome done = kernel(host, "k")(simulator(), x, y, none);
  EXPECT_TRUE(done) << done.text();
  return y;
}
} // namespace

TEST(CuteWhole, FloatsBecomeNumbersWithoutASign) {
  auto y = run<float, uint32_t>(std::vector<float>(32, 4294967040.0f), [](Tensor x, Tensor y) {
    y(threadIdx.x) = convert<uint32_t>(x(0));
  });
  EXPECT_EQ(y[0], 4294967040u);
  // Not a difference from +0: the negative of 0 is -0.
  auto z = run<float, uint32_t>(std::vector<float>(32, 0.0f), [](Tensor x, Tensor y) {
    y(threadIdx.x) = bit_cast<uint32_t>(-x(0));
  });
  EXPECT_EQ(z[0], 0x80000000u);
}

TEST(CuteWhole, VariablesKeepTheirType) {
  auto y = run<uint8_t>(std::vector<uint8_t>(32, 200), [](Tensor x, Tensor y) {
    Num n = x(0);
    n += 100; // as C++: 300 modulo 256
    For(3, n, [](Num, Num &n) { n = n + n; });
    If(n > 90, n, [](Num &n) { n += 1; });
    y(threadIdx.x) = n;
  });
  uint8_t n = 200;
  n = uint8_t(n + 100);
  for (int i = 0; i < 3; ++i)
    n = uint8_t(n + n);
  if (n > 90)
    n = uint8_t(n + 1);
  EXPECT_EQ(y[0], n);
  // A loop to a number that an int cannot hold.
  auto z = run<uint32_t>({3000000000u, 2999999998u}, [](Tensor x, Tensor y) {
    Num turns = 0;
    For(Range(x(1), x(0)), turns, [](Num i, Num &turns) { turns += i / 2999999998u; });
    y(threadIdx.x) = turns;
  });
  EXPECT_EQ(z[0], 2u);
}

TEST(CuteWhole, VariablesAreNotCutSilently) {
  std::vector<int64_t> x(32), y(32);
  std::vector<int> none(1);
  body = [](Tensor x, Tensor y, Tensor) {
    Num sum = 0;
    For(4, sum, [&](Num i, Num &sum) { sum += x(i); });
    y(0) = sum;
  };
  Outcome done = kernel(host, "k")(simulator(), x, y, none);
  ASSERT_EQ(done.diagnostics.size(), 1u) << done.text();
  EXPECT_NE(done.text().find("operator+=: expects a number for a variable of i32, but got one of "
                             "i64, of which bits would be lost"),
            std::string::npos)
      << done.text();
}

TEST(CuteWhole, AtomicsAndReductionsKnowTheSign) {
  std::vector<uint32_t> x(32), y(32);
  for (uint32_t i = 0; i < 32; ++i)
    x[i] = i % 2 ? 0x80000000u + i : i + 1;
  y[0] = 5, y[1] = 5, y[2] = 7, y[3] = 0xffffffff;
  std::vector<int> none(1);
  body = [](Tensor x, Tensor y, Tensor) {
    If(threadIdx.x < 32, [&] {
      Num own = x(threadIdx.x);
      atomicMax(y(0), own);
      atomicMin(y(1), own);
      atomicCAS(y(2), 7, own | 0x80000000u);
      Num most = warp_reduce(own, [](Num a, Num b) { return max(a, b); }),
          least = warp_reduce(own, [](Num a, Num b) { return min(a, b); }),
          all = warp_reduce(own, [](Num a, Num b) { return a + b; });
      y(4) = most, y(5) = least, y(6) = all;
      y(7) = reduce(x.compose(Layout<>("32:1")).load(), [](Num a, Num b) { return max(a, b); });
    });
  };
  Outcome done = kernel(host, "k")(simulator({.sanitize = false}), x, y, none);
  ASSERT_TRUE(done) << done.text();
  uint32_t sum = 0;
  for (uint32_t one : x)
    sum += one;
  EXPECT_EQ(y[0], 0x8000001fu);
  EXPECT_EQ(y[1], 1u);
  EXPECT_GE(y[2], 0x80000000u);
  EXPECT_EQ(y[4], 0x8000001fu);
  EXPECT_EQ(y[5], 1u);
  EXPECT_EQ(y[6], sum);
  EXPECT_EQ(y[7], 0x8000001fu);
}

TEST(CuteWhole, ExchangeBetweenLanes) {
  forEach(Whole{}, [&]<class T> {
    if constexpr (!std::is_same_v<T, bool>) {
      std::vector<T> x(32);
      for (size_t i = 0; i < 32; ++i)
        x[i] = T(std::numeric_limits<T>::max() - T(i));
      auto y = run<T, int64_t>(x, [](Tensor x, Tensor y) {
        y(threadIdx.x) = convert<int64_t>(shfl_xor_sync(x(threadIdx.x), 1));
      });
      for (size_t i = 0; i < 32; ++i)
        EXPECT_EQ(y[i], int64_t(x[i ^ 1])) << nameOf<T>();
    }
  });
}

TEST(CuteWhole, PrintedAsTheyAre) {
  testing::internal::CaptureStdout();
  run<uint8_t>(std::vector<uint8_t>(32, 255), [](Tensor x, Tensor y) {
    y(threadIdx.x) = 0;
    If(threadIdx.x == 0, [&] {
      Num n = x(0);
      printf("%d %u %f %x|", n, convert<uint32_t>(n) - 256, convert<uint32_t>(n) - 256, n);
      printf("%u %d %llu|", convert<int8_t>(n), convert<int8_t>(n), convert<uint64_t>(n) - 256);
    });
  });
  printf("%u %d %u %f", Num(-1), Num(-1), Num(4294967295u), Num(18446744073709551615ull));
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "255 4294967295 4294967295.000000 ff|4294967295 -1 18446744073709551615|"
            "4294967295 -1 4294967295 18446744073709551616.000000");
}
