// Algorithms over elements, printf and the memory of launches, beside what the host computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;

namespace {
std::function<void(Tensor, Tensor)> body;
void device(Tensor x, Tensor y) { body(x, y); }
void host(Tensor x, Tensor y) { launch(device, {.grid = {2}, .block = 32}, x, y); }

template <class X, class Y> Outcome run(std::function<void(Tensor, Tensor)> does, X &x, Y &y) {
  body = std::move(does);
  return kernel(host, "k")(simulator(), x, y);
}
std::vector<float> upTo(int n) {
  std::vector<float> x;
  for (int i = 0; i < n; ++i)
    x.push_back(float(i));
  return x;
}
/// x as a tensor of registers of 2 x 3, in one thread.
void inOneThread(const Tensor &x, const std::function<void(Tensor)> &does) {
  Tensor r = make_tensor<float>(make_shape(2, 3));
  copy(make_tensor(x.data(), make_shape(2, 3)), r);
  If(thread0(), [&] { does(r); });
}
} // namespace

TEST(CuteAlgorithms, ElementByElement) {
  std::vector<float> x = upTo(6), y(18);
  Outcome done = run(
      [](Tensor x, Tensor y) {
        inOneThread(x, [&](Tensor r) {
          Tensor twice = make_tensor_like(r), sums = make_tensor_like(r);
          transform(r, twice, [](Num a) { return a * 2; });
          transform(r, twice, sums, [](Num a, Num b) { return a + b; });
          transform(r, [](Num a) { return a - 1; });
          for_each(twice, [](ElementRef each) { each += 100.0f; });
          for (int i = 0; i < r.size(); ++i) {
            y(i) = r(i);
            y(6 + i) = twice(i);
            y(12 + i) = sums(i);
          }
        });
      },
      x, y);
  ASSERT_TRUE(done) << done.text();
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(y[i], float(i) - 1);
    EXPECT_EQ(y[6 + i], 2 * float(i) + 100);
    EXPECT_EQ(y[12 + i], 3 * float(i));
  }
}

TEST(CuteAlgorithms, ShufflesByTheNamesOfCuda) {
  std::vector<float> x = upTo(32), y(4);
  Outcome done = run(
      [](Tensor x, Tensor y) {
        constexpr unsigned all = 0xffffffff;
        Tensor mine = make_tensor<float>(Shape<_1>{});
        copy(AutoVectorizingCopy{}, make_tensor(x.data() + threadIdx.x, Shape<_1>{}), mine);
        Num v = mine(0), total = v;
        for (int lanes = 16; lanes > 0; lanes /= 2)
          total = total + __shfl_xor_sync(all, total, lanes);
        Num up = __shfl_up_sync(all, v, 3), down = __shfl_down_sync(all, v, 2),
            third = __shfl_sync(all, v, 3);
        If(thread(9), [&] {
          y(0) = total;
          y(1) = up;
          y(2) = down;
          y(3) = third;
        });
      },
      x, y);
  ASSERT_TRUE(done) << done.text();
  EXPECT_EQ(y, (std::vector<float>{496, 6, 11, 3}));
}

TEST(CuteAlgorithms, Reductions) {
  std::vector<float> x{3, 1, 4, 1, 5, 9}, y(11);
  Outcome done = run(
      [](Tensor x, Tensor y) {
        inOneThread(x, [&](Tensor r) {
          y(0) = reduce(r, 0);
          y(1) = reduce(r, 100.0f, [](Num a, Num b) { return a - b; });
          y(2) = reduce(r(_, 1), -1.0f, max_fn{});
          Tensor columns = make_tensor<float>(make_shape(3)),
                 rows = make_tensor<float>(make_shape(2)), all = make_tensor<float>(make_shape(1));
          fill(columns, 10), clear(rows), clear(all);
          batch_reduce(r, columns);
          logical_reduce(r, rows, make_coord(_, 1));
          logical_reduce(r, all, make_coord(1, 1), [](Num a, Num b) { return max(a, b); });
          for (int i = 0; i < 3; ++i)
            y(3 + i) = columns(i);
          for (int i = 0; i < 2; ++i)
            y(6 + i) = rows(i);
          y(8) = all(0);
          y(9) = reduce(r.compose(_2{}, _2{}), 0.0f);
          y(10) = reduce(r.tile(_1{}, _3{})(_, 1, 0), 0.0f);
        });
      },
      x, y);
  ASSERT_TRUE(done) << done.text();
  EXPECT_EQ(y, (std::vector<float>{23, 77, 4, 14, 15, 24, 12, 11, 9, 9, 11}));
}

TEST(CuteAlgorithms, ThreadsAndBlocksByNumber) {
  std::vector<float> x(1), y(6);
  Outcome done = run(
      [](Tensor, Tensor y) {
        __syncwarp();
        If(thread0(), [&] { y(0) = 1.0f; });
        If(thread(5), [&] { y(1) = convert<float>(Num(threadIdx.x)); });
        If(thread(7, 1), [&] { y(2) = 100.0f + convert<float>(Num(threadIdx.x)); });
        If(block0() & (threadIdx.x == 9), [&] { y(3) = convert<float>(Num(blockIdx.x)); });
        If(block(1) & (threadIdx.x == 9), [&] { y(4) = convert<float>(Num(blockIdx.x)); });
        If(make_coord(threadIdx.x, blockIdx.x) == make_coord(3, 1),
           [&] { y(5) = convert<float>(Num(threadIdx.x)); });
      },
      x, y);
  ASSERT_TRUE(done) << done.text();
  EXPECT_EQ(y, (std::vector<float>{1, 5, 107, 0, 1, 3}));
}

/// As C's printf formats them.
TEST(CuteAlgorithms, FormatsOfPrintf) {
  std::vector<float> x(1), y(1);
  testing::internal::CaptureStdout();
  Outcome done = run(
      [](Tensor, Tensor) {
        If(thread(9), [] {
          Num i = Num(threadIdx.x) * 300, small = convert<uint8_t>(Num(threadIdx.x) - 10),
              wide = convert<int64_t>(i) << 32, real = convert<float>(i) * 0.25f;
          printf("{%5d|%-5d|%05d|%+d|%x|%#X}\n", i, i, i, i, i, i);
          printf("[%u|%d|%lld|%ld|%llx|%zu]\n", small, small, wide, wide, wide, wide);
          printf("<%.2f|%8.1f|%e|%g|%f|%5.1f%%>\n", real, real, real, convert<half_t>(real), i,
                 0.5f);
          printf("%c%c %d\n", i % 7 + 65, 66, threadIdx.x == 9);
        });
      },
      x, y);
  std::string printed = testing::internal::GetCapturedStdout();
  ASSERT_TRUE(done) << done.text();
  long long wide = 2700ll << 32;
  char want[512];
  std::snprintf(want, sizeof(want),
                "{%5d|%-5d|%05d|%+d|%x|%#X}\n[%u|%d|%lld|%lld|%llx|%llu]\n"
                "<%.2f|%8.1f|%e|%g|%f|%5.1f%%>\n%c%c %d\n",
                2700, 2700, 2700, 2700, 2700, 2700, 255, 255, wide, wide, wide,
                (unsigned long long)wide, 675.0, 675.0, 675.0, 675.0, 2700.0, 0.5, 2700 % 7 + 65,
                66, 1);
  EXPECT_EQ(printed, want);
}
/// Where a text is among the arguments, it is C's function, also under `using namespace`.
TEST(CuteAlgorithms, TextsAreForPrintfOfC) {
  testing::internal::CaptureStdout();
  const char *name = "layout";
  printf("%s of %d\n", name, 3);
  printf("%s\n", "alone");
  printf("%d%%\n", Num(4));
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "layout of 3\nalone\n4%\n");
}
TEST(CuteAlgorithms, TextOfAnAssertionIsNoFormat) {
  std::vector<float> x(1), y(1);
  testing::internal::CaptureStdout();
  Outcome done =
      run([](Tensor, Tensor) { device_assert(threadIdx.x < 7, "100 % of {them} %d"); }, x, y);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("assertion failed: 100 % of {them} %d"),
            std::string::npos);
  EXPECT_FALSE(done);
}

namespace {
void twice_device(Tensor to, Tensor from) {
  Num i = Num(blockIdx.x) * 32 + Num(threadIdx.x);
  If(i < size(to), [&] { to(i) = from(i) * 2.0f + 1.0f; });
}
void twice(Tensor to, Tensor from) { launch(twice_device, {.grid = {2}, .block = 32}, to, from); }
alignas(16) constexpr std::array<float, 4> table{1, 2, 3, 4}; // nobody can write there
} // namespace

TEST(CuteLaunches, ArraysThatShareMemory) {
  std::vector<float> x = upTo(48);
  Outcome done = kernel(twice, "twice")(simulator(), x, x);
  ASSERT_TRUE(done) << done.text();
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(x[i], 2 * float(i) + 1) << i;
  // Two parts of one array that overlap.
  x = upTo(48);
  std::span<float> all = x;
  done = kernel(twice, "twice")(simulator(), all.subspan(16, 16), all.first(32));
  ASSERT_TRUE(done) << done.text();
  for (size_t i = 0; i < 48; ++i)
    EXPECT_EQ(x[i], i / 16 == 1 ? 2 * float(i - 16) + 1 : float(i)) << i;
}
TEST(CuteLaunches, ConstantArraysAreNotWritten) {
  std::vector<float> y(4);
  Outcome done = kernel(twice, "twice")(simulator(), y, table);
  ASSERT_TRUE(done) << done.text();
  EXPECT_EQ(y, (std::vector<float>{3, 5, 7, 9}));
  done = kernel(twice, "twice")(simulator(), table, y);
  ASSERT_EQ(done.diagnostics.size(), 1u);
  EXPECT_EQ(done.diagnostics[0].id, "ReadOnly");
  EXPECT_EQ(done.diagnostics[0].text, "argument 1: the kernel writes its byte 2, but it is "
                                      "constant: pass an array that may be written");
}

/// Also beside numbers of C++, where C++ computes.
TEST(CuteAlgorithms, HalvesOfCppAreOperands) {
  std::vector<half_t> x, y(32 * 5);
  for (int i = 0; i < 32; ++i)
    x.push_back(half_t(i - 16));
  Outcome done = run(
      [](Tensor x, Tensor y) {
        If(blockIdx.x == 0, [&] {
          Num v = x(threadIdx.x), more = v;
          more += half_t(0.5);
          y(threadIdx.x) = half_t(2) * v + half_t(1);
          y(threadIdx.x + 32) = max(x(threadIdx.x), half_t(0));
          y(threadIdx.x + 64) = where(v < half_t(1), half_t(-1), v);
          y(threadIdx.x + 96) = half_t(3);
          y(threadIdx.x + 128) = more;
        });
      },
      x, y);
  ASSERT_TRUE(done) << done.text();
  for (size_t i = 0; i < 32; ++i) {
    double v = x[i];
    EXPECT_EQ(double(y[i]), 2 * v + 1);
    EXPECT_EQ(double(y[i + 32]), std::max(v, 0.0));
    EXPECT_EQ(double(y[i + 64]), v < 1 ? -1 : v);
    EXPECT_EQ(double(y[i + 96]), 3);
    EXPECT_EQ(double(y[i + 128]), v + 0.5);
  }
  EXPECT_EQ(half_t(2) * bfloat16_t(3), 6.0);
  EXPECT_EQ(2.5f * half_t(2), 5.0);
  EXPECT_TRUE(half_t(2) == 2 && -half_t(2) < half_t(0));
}
