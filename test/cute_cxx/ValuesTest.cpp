// Numbers, tuples, layouts, loops and programs of the surface, beside C's and C++'s.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include "tessera/atom/Registry.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera::cute;

namespace {
std::function<void(Tensor, Tensor)> body;
void device(Tensor x, Tensor y) { body(x, y); }
void host(Tensor x, Tensor y) { launch(device, {.block = 32}, x, y); }

/// A kernel of one block of 32 threads on the simulator: y of x.
template <class E = float>
std::vector<E> run(std::function<void(Tensor, Tensor)> does, std::vector<E> x, size_t outputs) {
  body = std::move(does);
  std::vector<E> y(outputs, E(-1));
  Outcome done = kernel(host, "k")(simulator(), x, y);
  EXPECT_TRUE(done) << done.text();
  return y;
}
} // namespace

TEST(CuteValues, WhatCppKnowsStaysThere) {
  EXPECT_EQ(int(Num(7) / 2 * 3 + 1), 10);
  EXPECT_TRUE(bool(Num(3) < 4));
  EXPECT_EQ(int(size(make_shape(_8{}, make_shape(2, 3)))), 48);
  EXPECT_EQ(ceil_div(make_shape(100, 64), make_shape(64, 64)).str(), "(2,1)");
  EXPECT_EQ(int(get<1, 0>(make_shape(4, make_shape(5, 6)))), 5);
  EXPECT_EQ(Int<2>{} * Int<3>{}, 6);
}

TEST(CuteValues, Negations) {
  EXPECT_TRUE(bool(!(Num(3) > 4)) && bool(!Num(0)));
  EXPECT_FALSE(bool(!Num(7)));
  std::vector<float> y = run(
      [](Tensor x, Tensor y) {
        Num i = threadIdx.x, isSmall = i < 7;
        y(i) = where(!isSmall, 1.0f, 0.0f) + where(!(i % 2), 10.0f, 0.0f) +
               where(!x(i), 100.0f, 0.0f) + where(!!i, 1000.0f, 0.0f);
      },
      [] {
        std::vector<float> x(32, 0.5f);
        x[9] = 0;
        return x;
      }(),
      32);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(y[size_t(i)], float((i >= 7) + 10 * (i % 2 == 0) + 100 * (i == 9) + 1000 * (i != 0)))
        << i;
}
TEST(CuteValues, ChosenByWhatCppKnows) {
  EXPECT_TRUE(where(Num(3) < 4, 5, 6).is_static());
  EXPECT_EQ(int(where(Num(3) < 4, 5, 6)), 5);
  EXPECT_EQ(int(where(Num(3) > 4, 5, 6)), 6);
  EXPECT_EQ(int64_t(where(true, -1, int64_t(1) << 40)), -1);
  EXPECT_EQ(int64_t(where(true, -1, 7u)), 0xffffffff); // as in C++: a uint32_t
  std::vector<float> y = run(
      [](Tensor, Tensor y) {
        Num n = where(true, 1, Num(threadIdx.x)), thread = where(false, 1, Num(threadIdx.x));
        EXPECT_TRUE(n.is_static() && !thread.is_static());
        y(threadIdx.x) = where(true, 2.5f, 1.0f) * convert<float>(thread + n);
      },
      {0}, 32);
  EXPECT_EQ(y[4], 12.5f);
}

TEST(CuteValues, LayoutsAreThoseOfTheAlgebra) {
  Layout l = Layout<Shape<_8, Shape<_2, _4>>, Stride<_4, Stride<_1, _32>>>{};
  EXPECT_EQ(l.str(), "(8,(2,4)):(4,(1,32))");
  EXPECT_EQ(int(l(3, 1)), 13);
  EXPECT_EQ(zipped_divide(Layout("(8,8):(8,1)"), make_shape(4, 2)).str(),
            "((4,2),(2,4)):((8,1),(32,2))");
  EXPECT_EQ(blocked_product(Layout("(2,2):(1,2)"), Layout("(2,3):(1,2)")).str(),
            "((2,2),(2,3)):((1,4),(2,8))");
  EXPECT_EQ(right_inverse(Layout("(2,4):(4,1)")).str(), "(4,2):(2,1)");
  EXPECT_EQ((composition(Swizzle<3, 3, 3>{}, Layout("(8,64):(64,1)")).str()),
            "S<3,3,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(make_layout(make_shape(2, 3), LayoutRight{}).str(), "(2,3):(3,1)");
  EXPECT_EQ(int(cosize(Layout("(2,4):(8,1)"))), 12);
}

/// Functions beside C's, to the rounding of f32 (2^-20 for the hardware's approximations).
TEST(CuteValues, FunctionsBesideC) {
  struct Row {
    const char *name;
    Num (*traced)(const Operand &);
    double (*c)(double);
    double error;
  };
  const Row rows[] = {{"exp2", exp2, std::exp2, 0x1p-20},
                      {"log2", log2, std::log2, 0x1p-20},
                      {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0x1p-20},
                      {"abs", abs, std::fabs, 0},
                      {"ceil", ceil, std::ceil, 0},
                      {"cos", cos, std::cos, 0x1p-21},
                      {"erf", erf, std::erf, 0x1p-20},
                      {"exp", exp, std::exp, 0x1p-21},
                      {"floor", floor, std::floor, 0},
                      {"log", log, std::log, 0x1p-21},
                      {"log10", log10, std::log10, 0x1p-20},
                      {"log1p", log1p, std::log1p, 0x1p-20},
                      {"rint", rint, std::nearbyint, 0},
                      {"sin", sin, std::sin, 0x1p-21},
                      {"sqrt", sqrt, std::sqrt, 0x1p-22},
                      {"tan", tan, std::tan, 0x1p-20},
                      {"tanh", tanh, std::tanh, 0x1p-20},
                      {"trunc", trunc, std::trunc, 0}};
  std::vector<float> x(32);
  for (size_t i = 0; i < 32; ++i)
    x[i] = 0.07f + 0.21f * float(i);
  for (const Row &row : rows) {
    auto y =
        run([&](Tensor in, Tensor out) { out(threadIdx.x) = row.traced(in(threadIdx.x)); }, x, 32);
    for (size_t i = 0; i < 32; ++i) {
      double want = row.c(x[i]);
      EXPECT_NEAR(y[i], want, std::abs(want) * (row.error + 0x1p-24) + 1e-7)
          << row.name << " of " << x[i];
    }
  }
}

TEST(CuteValues, ConversionsAndBits) {
  auto y = run(
      [](Tensor x, Tensor out) {
        Num i = Num(threadIdx.x) % 2, value = x(i);
        Num sum = convert<float>(convert<half_t>(value)) +
                  convert<float>(convert<int32_t>(value) << 1) +
                  convert<float>(bit_cast<int32_t>(value) & 0xff);
        If(threadIdx.x < 2, [&] { out(i) = sum; });
      },
      {1.5f, 2.0009765625f}, 32);
  EXPECT_EQ(y[0], 1.5f + 2 + float(std::bit_cast<int32_t>(1.5f) & 0xff));
  EXPECT_EQ(y[1], 2.0f + 4 + float(std::bit_cast<int32_t>(2.0009765625f) & 0xff));
}

TEST(CuteControl, LoopsAndBranchesHandOn) {
  auto y = run(
      [](Tensor x, Tensor out) {
        Num n = threadIdx.x, steps = 0;
        n = n + 1;
        While(
            n, steps, [](Num n, Num) { return n != 1; },
            [](Num &n, Num &steps) {
              If(n % 2 == 0, n, [](Num &n) { n = n / 2; }, [](Num &n) { n = 3 * n + 1; });
              steps += 1;
            });
        Num sum = 0.0f;
        For({1, 4}, sum, [&](Num i, Num &sum) { sum += convert<float>(i); });
        out(threadIdx.x) = convert<float>(steps) + sum;
      },
      {0}, 32);
  for (int i = 0; i < 32; ++i) {
    int n = i + 1, steps = 0;
    for (; n != 1; ++steps)
      n = n % 2 ? 3 * n + 1 : n / 2;
    EXPECT_EQ(y[size_t(i)], float(steps + 6)) << i;
  }
}

TEST(CuteThreads, LanesExchange) {
  auto y = run(
      [](Tensor x, Tensor out) {
        Num i = threadIdx.x, value = x(i);
        out(i) = shfl_xor_sync(value, 1) * 10000.0f + shfl_down_sync(value, 2) * 100.0f +
                 shfl_sync(value, 5);
      },
      [] {
        std::vector<float> x(32);
        for (size_t i = 0; i < 32; ++i)
          x[i] = float(i);
        return x;
      }(),
      32);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(y[size_t(i)], float((i ^ 1) * 10000 + (i + 2 < 32 ? i + 2 : i) * 100 + 5));
}

TEST(CuteTensors, DividedAndPartitioned) {
  std::vector<float> x(64);
  for (size_t i = 0; i < 64; ++i)
    x[i] = float(i);
  // Thread i has column i of 8, by a layout of threads, and writes it reversed.
  auto y = run(
      [](Tensor in, Tensor out) {
        Layout matrix = make_layout(make_shape(8, 8), LayoutRight{});
        Tensor a = make_tensor(in.data(), matrix), b = make_tensor(out.data(), matrix);
        If(threadIdx.x < 8, [&] {
          Tensor mine = local_partition(a, make_layout(make_shape(1, 8)), threadIdx.x);
          Tensor there = local_partition(b, make_layout(make_shape(1, 8)), threadIdx.x);
          Tensor r = make_fragment_like(mine);
          copy(mine, r);
          for (int k = 0; k < size(r); ++k)
            there(k) = r(7 - k);
        });
      },
      x, 64);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(y[i], x[(7 - i / 8) * 8 + i % 8]);
}

/// Every name of the table is a row of the atoms.
TEST(CuteAtoms, NamesAreThoseOfTheTable) {
  size_t names = 0;
  for (const char *name : {
#define TESSERA_ATOM(NAME) #NAME,
#define TESSERA_GROUP_ATOM(NAME) #NAME,
#define TESSERA_SCALED_ATOM(NAME) #NAME,
#include "tessera/cute_cxx/Atoms.def"
       }) {
    ++names;
    EXPECT_TRUE(tessera::atom::findMma(name).ok() || tessera::atom::findCopy(name).ok()) << name;
  }
  EXPECT_GT(names, 1000u);
}

/// CuTe C++'s two names of an instruction are one; templates of it take no more than CuTe C++'s.
TEST(CuteAtoms, NamesThatStandForOthers) {
  EXPECT_TRUE((std::is_same_v<SM80_8x8x16_S32S8U8S32_TN, SM75_8x8x16_S32S8U8S32_TN>));
  EXPECT_TRUE((std::is_same_v<SM80_16x8x8_F32F16F16F32_TN, SM75_16x8x8_F32F16F16F32_TN>));
  using One = SM90_64x64x32_F32E4M3E4M3_SS_TN<GMMA::ScaleIn::One, GMMA::ScaleIn::One>;
  EXPECT_TRUE((std::is_same_v<One, SM90_64x64x32_F32E4M3E4M3_SS_TN<>>));
  EXPECT_STREQ(
      (SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K, GMMA::ScaleIn::One>::name),
      "SM90_64x64x16_F32F16F16_SS");
}

namespace {
/// y(t) is what lane t ^ 5 has of x.
template <class T> void expectShuffled(std::vector<T> x) {
  std::vector<T> y(32);
  body = [](Tensor x, Tensor y) {
    Num mine = x(threadIdx.x);
    y(threadIdx.x) = shfl_xor_sync(mine, 5);
  };
  Outcome done = kernel(host, "shuffles")(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(double(y[i]), double(x[i ^ 5])) << i;
}
} // namespace
TEST(CuteValues, ShufflesOfEveryWidth) {
  auto some = [](auto zero, double scale) {
    std::vector<decltype(zero)> x;
    for (int i = 0; i < 32; ++i)
      x.push_back(decltype(zero)((i * 37 % 32 - 16) * scale));
    return x;
  };
  expectShuffled(some(int8_t(), 7));
  expectShuffled(some(int16_t(), 2001));
  expectShuffled(some(int32_t(), 123456789));
  expectShuffled(some(int64_t(), 1234567890123456.0));
  expectShuffled(some(half_t(), 0.25));
  expectShuffled(some(bfloat16_t(), 0.25));
  expectShuffled(some(float(), 1.1));
  expectShuffled(some(double(), 1.1e200));
  // Truths, and a shuffle of another kind.
  std::vector<float> y = run(
      [](Tensor, Tensor y) {
        Num isOdd = Num(threadIdx.x) % 2 == 1;
        y(threadIdx.x) = where(shfl_down_sync(isOdd, 1), 1.0f, 0.0f);
      },
      {0}, 32);
  EXPECT_EQ(y[4], 1.0f); // of lane 5
  EXPECT_EQ(y[5], 0.0f);
}
namespace {
template <class T> std::vector<T> updated(std::function<void(Tensor, Tensor)> does, T before) {
  body = std::move(does);
  std::vector<T> x(32), y(8, before);
  for (int i = 0; i < 32; ++i)
    x[size_t(i)] = T(i * 5 % 32);
  Outcome done = kernel(host, "updates")(simulator(), x, y);
  EXPECT_TRUE(done) << done.text();
  return y;
}
template <class T> void expectSums() {
  std::vector<T> y = updated<T>(
      [](Tensor x, Tensor y) { atomicAdd(y(Num(threadIdx.x) % 4), x(threadIdx.x)); }, T(1));
  for (int i = 0; i < 4; ++i) {
    double sum = 1;
    for (int k = i; k < 32; k += 4)
      sum += k * 5 % 32;
    EXPECT_EQ(double(y[size_t(i)]), sum) << i;
  }
  EXPECT_EQ(double(y[4]), 1);
}
} // namespace
/// Many threads at one element; the sanitizer looks on.
TEST(CuteValues, AtomicUpdates) {
  expectSums<int32_t>();
  expectSums<int64_t>();
  expectSums<float>();
  expectSums<double>();
  expectSums<half_t>();
  std::vector<int> y = updated<int>(
      [](Tensor x, Tensor y) {
        Num mine = x(threadIdx.x);
        atomicMin(y(0), mine - 7), atomicMax(y(1), mine), atomicOr(y(2), mine);
        atomicAnd(y(3), mine | 16), atomicXor(y(4), mine);
        // The number before tells who was there first.
        If(atomicExch(y(5), 9) == 3, [&] { atomicAdd(y(6), 1); });
      },
      3);
  EXPECT_EQ(y, (std::vector<int>{-7, 31, 31, 0, 3, 9, 4, 3})); // 3 & 16 | ... is 0 with 0 | 16
  y = updated<int>(
      [](Tensor x, Tensor y) {
        atomicSub(y(0), x(threadIdx.x)), atomicSub(y(1), 2);
        // One thread finds 0, and its number plus one is there after it.
        Num before = atomicCAS(y(2), 0, Num(threadIdx.x) + 1);
        If(before == 0, [&] { atomicAdd(y(3), 1), y(4) = Num(threadIdx.x) + 1; });
        atomicCAS(y(5), 7, 8); // which nobody finds
      },
      0);
  EXPECT_EQ(y[0], -31 * 32 / 2);
  EXPECT_EQ(y[1], -64);
  EXPECT_EQ(y[3], 1);
  EXPECT_GT(y[2], 0);
  EXPECT_EQ(y[2], y[4]);
  EXPECT_EQ(y[5], 0);
  // Of shared memory.
  y = updated<int>(
      [](Tensor x, Tensor y) {
        Tensor s = make_smem_tensor<int>(Layout("4:1"));
        If(threadIdx.x < 4, [&] { s(threadIdx.x) = 0; });
        __syncthreads();
        atomicAdd(s(Num(threadIdx.x) % 4), x(threadIdx.x));
        __syncthreads();
        If(threadIdx.x < 4, [&] { y(threadIdx.x) = s(threadIdx.x); });
      },
      0);
  EXPECT_EQ(y[0] + y[1] + y[2] + y[3], 31 * 32 / 2);
  EXPECT_EQ(y[0], 0 + 20 + 8 + 28 + 16 + 4 + 24 + 12);
}
/// Updates reach the elements that stores and loads do, where the pointer has the swizzle.
TEST(CuteValues, AtomicUpdatesOfSwizzledMemory) {
  std::vector<int> y = updated<int>(
      [](Tensor x, Tensor y) {
        Tensor s = recast<int>(make_smem_tensor<half_t>(GMMA::Layout_K_SW128_Atom<half_t>{}));
        for (int i = 0; i < 8; ++i)
          s(Num(threadIdx.x) / 4, Num(threadIdx.x) % 4 * 8 + i) = Num(threadIdx.x);
        __syncthreads();
        // Row r has 4 r, ... 4 r + 3; each thread adds to the first element of 4 rows.
        for (int row = 0; row < 8; row += 2)
          atomicAdd(s(row, 9), x(threadIdx.x));
        atomicCAS(s(1, 9), 5, 1000); // was 4 + 9 / 8
        __syncthreads();
        If(threadIdx.x < 8, [&] { y(threadIdx.x) = s(threadIdx.x, 9); });
      },
      0);
  for (int row = 0; row < 8; ++row)
    EXPECT_EQ(y[size_t(row)], row == 1 ? 1000 : 4 * row + 1 + (row % 2 ? 0 : 31 * 32 / 2)) << row;
}
TEST(CuteValues, TensorsOfOtherElementsAndShapes) {
  // The bits of 2.0f and -1.0f as halves of 16 bits, in the order of memory.
  std::vector<float> y = run(
      [](Tensor x, Tensor y) {
        Tensor words = make_tensor(x.data(), make_shape(_2{}, _2{}), LayoutRight{});
        Tensor halves = recast<int16_t>(words);
        If(thread0(), [&] {
          for (int i = 0; i < 4; ++i)
            y(i) = convert<float>(Num(halves(i / 2, i % 2)));
          y(4) = words(1, 0);
        });
      },
      {2.0f, -1.0f, 4.0f, 8.0f}, 32);
  EXPECT_EQ(y[0], 0.0f);
  EXPECT_EQ(y[1], float(0x4000));
  EXPECT_EQ(y[3], float(int16_t(0x4080))); // of 4.0f
  EXPECT_EQ(y[4], 4.0f);
  EXPECT_EQ(y[5], -1.0f);
}

/// What the line of the author becomes: in the program, in PTX; and a name of a value in the
/// program.
TEST(CutePrograms, LinesAndNames) {
  body = [](Tensor x, Tensor y) {
    Num value = x(threadIdx.x);
    named(value, "what_was_read");
    y(threadIdx.x) = value;
  };
  std::vector<float> x(32), y(32);
  auto k = kernel(host, "copied");
  std::string ir, ptx;
  ASSERT_TRUE(k.ir(ir, x, y));
  EXPECT_NE(ir.find("what_was_read"), std::string::npos);
  ASSERT_TRUE(k.ptx(ptx, x, y));
  EXPECT_NE(ptx.find("ValuesTest.cpp"), std::string::npos);
  EXPECT_NE(ptx.find(".loc"), std::string::npos);
  EXPECT_EQ(k.traces(), 1u);
}

TEST(CutePrograms, PrintAndAssert) {
  testing::internal::CaptureStdout();
  run([](Tensor,
         Tensor) { If(threadIdx.x == 3, [] { printf("thread %d has %f\n", threadIdx.x, 0.5f); }); },
      {0}, 1);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("thread 3 has 0.5"), std::string::npos);
  body = [](Tensor, Tensor) { device_assert(threadIdx.x < 7, "too many threads"); };
  std::vector<float> x(1), y(1);
  testing::internal::CaptureStdout();
  EXPECT_FALSE(kernel(host, "asserts")(simulator(), x, y));
  EXPECT_NE(testing::internal::GetCapturedStdout().find("assertion failed: too many threads"),
            std::string::npos);
}
