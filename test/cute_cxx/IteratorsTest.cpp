// Walks through coordinates, and tensors under one coordinate. What is counted: Printed.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;
using tessera::tile::Array;

namespace {
/// y = 2 x + their column, by tiles of both.
void zipped_device(Tensor x, Tensor y) {
  ZipTensor both = make_zip_tensor(x, y);
  ZipTensor tile = local_tile(both, make_tile(2, 4), make_coord(blockIdx.x, 0));
  ZipTensor row = tile(threadIdx.x, _);
  for (int i = 0; i < size(row); ++i) {
    auto [from, to] = row(i);
    to = Num(from) * 2 + i;
  }
  auto [first, second] = unzip_tensor(zipped_divide(both, make_tile(2, 2)));
  CUTE_STATIC_ASSERT_V(rank(first) == 2);
  CUTE_STATIC_ASSERT_V(size<0>(second) == 4);
}
void zipped(Tensor x, Tensor y) { launch(zipped_device, {.grid = 3, .block = 2}, x, y); }
/// Rows of x by their numbers, which are elements.
void gather_device(Tensor x, Tensor rows, Tensor y) {
  y(blockIdx.x, threadIdx.x) = x(rows(blockIdx.x), threadIdx.x);
}
void gather(Tensor x, Tensor rows, Tensor y) {
  launch(gather_device, {.grid = 4, .block = 3}, x, rows, y);
}
/// Counts in bins that the two blocks of a cluster share among them.
void bins_device(Tensor x, Tensor bins) {
  Tensor own = make_smem_tensor<int>(make_layout(4));
  If(Num(threadIdx.x) < 4, [&] { own(threadIdx.x) = 0; });
  cluster_sync();
  Num bin = x(blockIdx.x, threadIdx.x);
  atomicAdd(make_tensor(map_to_block(own.data(), bin / 4), make_layout(4))(bin % 4), 1);
  cluster_sync();
  If(Num(threadIdx.x) < 4, [&] { bins(blockIdx.x, threadIdx.x) = own(threadIdx.x); });
}
void bins(Tensor x, Tensor b) {
  launch(bins_device, {.grid = 2, .block = 32, .cluster_x = 2}, x, b);
}
} // namespace

TEST(CuteIterators, ElementsAsCoordinates) {
  tessera::tile::Array<int, 2> x(4, 3), y(4, 3);
  x.fill([](int64_t i) { return i; });
  std::vector<int> rows{2, 0, 3, 1};
  Outcome done = kernel(gather, "gather")(simulator(), x, rows, y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(y(i, j), 3 * rows[size_t(i)] + j) << i << ", " << j;
}

TEST(CuteIterators, AtomicUpdatesOfOtherBlocks) {
  tessera::tile::Array<int, 2> x(2, 32), b(2, 4);
  x.fill([](int64_t i) { return i * i % 8; });
  std::vector<int> count(8);
  for (int i = 0; i < 64; ++i)
    ++count[size_t(i * i % 8)];
  Outcome done = kernel(bins, "bins", "sm_90a")(simulator(), x, b);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(b(i / 4, i % 4), count[size_t(i)]) << i;
}

TEST(CuteIterators, WalksReachEveryCoordinateOnce) {
  std::string walked;
  for (auto it = make_coord_iterator<Step<_1, _0>>(make_shape(2, 3));
       it != ForwardCoordIteratorSentinel{}; ++it)
    walked += (*it).str();
  EXPECT_EQ(walked, "(0,0)(0,1)(0,2)(1,0)(1,1)(1,2)");
  walked.clear();
  for (auto it = make_coord_iterator(make_coord(0, 1), make_shape(2, 3));
       it != ForwardCoordIteratorSentinel{}; ++it)
    walked += (*it).str();
  EXPECT_EQ(walked, "(0,1)(1,1)(0,2)(1,2)");
}

/// CUTLASS 4.7.0 prints these with clang on the host.
TEST(CuteIterators, CountingFromANumber) {
  Tensor t = make_tensor(counting_iterator<int>(42), Layout<Shape<_4, _2>, Stride<_5, _1>>{});
  EXPECT_EQ(IntTuple(t(_3{}, _1{})).str(), "58");
  EXPECT_EQ((*++ ++ ++make_coord_iterator(make_shape(2, make_shape(2, 3)))).str(), "(1,(1,0))");
  EXPECT_EQ(
      (*++ ++make_coord_iterator<Step<_1, Step<_2, _0>>>(make_shape(2, make_shape(2, 2)))).str(),
      "(1,(0,0))");
}

TEST(CuteIterators, TensorsUnderOneCoordinate) {
  tessera::tile::Array<int, 2> x(6, 4), y(6, 4);
  x.fill([](int64_t i) { return i; });
  Outcome done = kernel(zipped, "zipped")(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(y(i, j), 2 * (4 * i + j) + j) << i << ", " << j;
}

namespace {
/// Where the device knows the index: coordinates of ((2,2),4) with strides, and of a runtime shape.
void coordinates_device(Tensor x, Tensor rows) {
  Layout l = make_layout(make_shape(make_shape(2, 2), 4), make_stride(make_stride(8, 1), 2));
  Num i = threadIdx.x;
  IntTuple nested = l.get_hier_coord(i), flat = l.get_flat_coord(i);
  x(i, 0) = Num(get<0, 0>(nested));
  x(i, 1) = Num(get<0, 1>(nested));
  x(i, 2) = Num(get<1>(nested));
  x(i, 3) = Num(get<0>(flat));
  x(i, 4) = l.get_1d_coord(i);
  IntTuple in = idx2crd(i, shape(rows), make_stride(1, size<0>(rows)));
  x(i, 5) = Num(get<0>(in)) * 100 + Num(get<1>(in));
}
void coordinates(Tensor x, Tensor rows) { launch(coordinates_device, {.block = 16}, x, rows); }
} // namespace

TEST(CuteIterators, CoordinatesOfTheDevice) {
  Array<int, 2> x(16, 6), rows(3, 7);
  Outcome done = kernel(coordinates, "coordinates")(simulator(), x, rows);
  ASSERT_TRUE(done) << done.text();
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 4; ++c) {
        int i = 8 * a + b + 2 * c;
        EXPECT_EQ(x(i, 0), a) << i;
        EXPECT_EQ(x(i, 1), b) << i;
        EXPECT_EQ(x(i, 2), c) << i;
        EXPECT_EQ(x(i, 3), a + 2 * b) << i;
        EXPECT_EQ(x(i, 4), a + 2 * b + 4 * c) << i;
        EXPECT_EQ(x(i, 5), i % 3 * 100 + i / 3 % 7) << i;
      }
}
