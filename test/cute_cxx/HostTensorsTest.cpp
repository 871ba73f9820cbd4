// Tensors of the host: what C++ reads and writes at once, by layouts, and as arguments of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tessera::cute;

namespace {
void doubled_device(Tensor x, Tensor y) {
  y(threadIdx.x, blockIdx.x) = Num(x(threadIdx.x, blockIdx.x)) * 2.0f;
}
void doubled(Tensor x, Tensor y) { launch(doubled_device, {.grid = 3, .block = 4}, x, y); }
std::string printed(const HostTensor<int> &t) {
  testing::internal::CaptureStdout();
  print_tensor(t);
  return testing::internal::GetCapturedStdout();
}
} // namespace

TEST(CuteHostTensors, ElementsByLayout) {
  std::vector<float> data(24);
  std::iota(data.begin(), data.end(), 0.0f);
  HostTensor rows = make_tensor(data.data(), make_shape(4, 6), LayoutRight{});
  EXPECT_EQ(rows(1, 2), 8.0f);
  EXPECT_EQ(rows(make_coord(1, 2)), 8.0f);
  EXPECT_EQ(rows(9), 8.0f); // 1 + 2 x 4: the first mode is fastest
  EXPECT_EQ(rows[9], 8.0f);
  EXPECT_EQ(size(rows), 24);
  EXPECT_EQ(size<1>(rows), 6);
  HostTensor column = rows(_, 3);
  EXPECT_EQ(rank(column), 1);
  EXPECT_EQ(column(2), 15.0f);
  HostTensor tile = local_tile(rows, make_tile(2, 3), make_coord(1, 0));
  EXPECT_EQ(tile.layout().str(), "(2,3):(6,1)");
  EXPECT_EQ(tile(1, 2), 20.0f);
  tile(1, 2) = -1.0f;
  EXPECT_EQ(data[20], -1.0f);
  // Nested modes: each coordinate of the layout, as an integer, by modes and by tuples.
  HostTensor nested =
      make_tensor(data.data(), make_shape(make_shape(2, 2), 6), make_stride(make_stride(1, 12), 2));
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 6; ++c) {
        float *at = &data[size_t(a + 12 * b + 2 * c)];
        EXPECT_EQ(&nested(a + 2 * b + 4 * c), at);
        EXPECT_EQ(&nested(a + 2 * b, c), at);
        EXPECT_EQ(&nested(make_coord(make_coord(a, b), c)), at);
      }
}
TEST(CuteHostTensors, Swizzles) {
  std::vector<int> data(64), seen(64);
  HostTensor t = make_tensor(
      data.data(), composition(Swizzle<2, 0, 3>{}, make_layout(make_shape(8, 8), LayoutRight{})));
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      t(i, j) = 8 * i + j;
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(data[size_t(i ^ (i >> 3 & 3))], i);
}
TEST(CuteHostTensors, Algorithms) {
  std::vector<int> a(12), b(12);
  HostTensor A = make_tensor(a.data(), make_shape(3, 4)), B = make_tensor(b.data(), 12);
  fill(A, 3);
  transform(A, B, [](int x) { return x + 1; });
  EXPECT_EQ(b, std::vector<int>(12, 4));
  copy(B, A);
  EXPECT_EQ(a, b);
  int sum = 0;
  for_each(A, [&](int x) { sum += x; });
  EXPECT_EQ(sum, 48);
  clear(A);
  EXPECT_EQ(a, std::vector<int>(12, 0));
}
TEST(CuteHostTensors, PrintedAsCuteCxxPrints) {
  std::vector<int> a{1, 2, 3, 4, 5, 6};
  std::string text = printed(make_tensor(a.data(), make_layout(make_shape(2, 3), LayoutRight{})));
  EXPECT_TRUE(text.starts_with("ptr[32b](0x")) << text;
  EXPECT_NE(text.find(") o (_2,_3):(_3,_1):\n    1    2    3\n    4    5    6\n"),
            std::string::npos)
      << text;
}
TEST(CuteHostTensors, Arguments) {
  std::vector<float> a(12), b(12);
  HostTensor A = make_tensor(a.data(), make_shape(4, 3), LayoutRight{}),
             B = make_tensor(b.data(), make_shape(4, 3));
  for (int i = 0; i < 12; ++i)
    a[size_t(i)] = float(i);
  Outcome done = kernel(doubled, "doubled")(simulator(), A, B);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(b[size_t(i + 4 * j)], 2 * a[size_t(3 * i + j)]);
}
TEST(CuteHostTensors, Mistakes) {
  std::vector<int> a(12);
  testing::internal::CaptureStderr();
  HostTensor A = make_tensor(a.data(), Layout<>());
  A(0) = 1; // goes nowhere
  EXPECT_EQ(size(A), 0);
  EXPECT_EQ(int64_t(size(make_shape(2))), 2); // the next call says what was wrong
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("expects a layout that C++ knows for memory of the host"), std::string::npos)
      << said;
  EXPECT_NE(said.find("HostTensorsTest.cpp"), std::string::npos) << said;
  EXPECT_EQ(a, std::vector<int>(12, 0));
}

TEST(CuteHostTensors, PrintedWithASwizzle) {
  std::vector<int> data(64);
  HostTensor t =
      make_tensor(data.data(), composition(Swizzle<2, 0, 3>{}, make_layout(make_shape(8, 8))));
  testing::internal::CaptureStdout();
  print(t);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("S<2,0,3> o "), std::string::npos);
}
/// A launch takes strides only, so it says that a swizzled tensor is none.
TEST(CuteHostTensors, ArgumentsWithASwizzle) {
  std::vector<float> a(64), b(64, -1.0f);
  HostTensor A = make_tensor(a.data(),
                             composition(Swizzle<2, 0, 3>{}, make_layout(make_shape(8, 8)))),
             B = make_tensor(b.data(), make_shape(8, 8));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(kernel(doubled, "doubled")(simulator(), A, B));
  EXPECT_EQ(int64_t(size(make_shape(2))), 2); // the next call says what was wrong
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("expects tensors of the host that strides describe, but got one of S<2,0,3>"),
            std::string::npos)
      << said;
  EXPECT_EQ(b, std::vector<float>(64, -1.0f));
}
