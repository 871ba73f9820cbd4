// What SM90 adds, on the simulator: tensor copies both ways, clusters, named barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;
using tessera::tile::Array;

namespace {
Layout<> box() {
  return tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(_64{}, _64{}));
}

/// A tile of a matrix in and out by TMA.
void moved_device(TmaCopy load, TmaCopy store) {
  auto tile = make_shape(_64{}, _64{});
  auto at = make_coord(blockIdx.x, blockIdx.y);
  Tensor s = make_smem_tensor<half_t>(box());
  BarrierArray arrived = make_barriers(1);
  auto [from, in] = tma_partition(load, 0, make_layout(1), group_modes<0, 2>(s),
                                  group_modes<0, 2>(local_tile(load.get_tma_tensor(), tile, at)));
  auto [to, out] = tma_partition(store, 0, make_layout(1), group_modes<0, 2>(s),
                                 group_modes<0, 2>(local_tile(store.get_tma_tensor(), tile, at)));
  If(threadIdx.x == 0, [&] {
    prefetch_tma_descriptor(load);
    arrived[0].init(1);
    fence_barrier_init();
  });
  __syncthreads();
  If(elect_one_sync(), [&] { arrived[0].arrive_and_expect_tx(64 * 64 * 2); });
  copy(load.with(arrived[0]), from, in);
  arrived[0].wait(0);
  copy(store, out, to);
  tma_store_arrive();
  tma_store_wait<0>();
}
void moved(Tensor x, Tensor y) {
  auto load = make_tma_copy(SM90_TMA_LOAD{}, x, box());
  auto store = make_tma_copy(SM90_TMA_STORE{}, y, box());
  launch(moved_device, {.grid = {ceil_div(size<0>(x), 64), ceil_div(size<1>(x), 64)}, .block = 32},
         load, store);
}

/// Three blocks add their tile to the part of y that is there.
void added_device(TmaCopy add) {
  Tensor s = make_smem_tensor<float>(Layout<Shape<_32, _32>, Stride<_32, _1>>{});
  For(Range(threadIdx.x, 32 * 32, 32),
      [&](Num i) { s(i / 32, i % 32) = convert<float>(i / 32 + 1); });
  fence_view_async_shared();
  __syncthreads();
  auto [to, out] =
      tma_partition(add, 0, make_layout(1), group_modes<0, 2>(s),
                    group_modes<0, 2>(local_tile(add.get_tma_tensor(), make_shape(_32{}, _32{}),
                                                 make_coord(blockIdx.x, blockIdx.y))));
  copy(add, out, to);
  tma_store_arrive();
  tma_store_wait<0>();
}
void added(Tensor y) {
  auto tile = make_shape(_32{}, _32{});
  auto add =
      make_tma_atom(SM90_TMA_REDUCE_ADD{}, y, Layout<Shape<_32, _32>, Stride<_32, _1>>{}, tile);
  launch(added_device,
         {.grid = {ceil_div(size<0>(y), 32), ceil_div(size<1>(y), 32), 3}, .block = 32}, add);
}

/// Each block reads what the other one of its cluster wrote to shared memory.
void exchanged_device(Tensor y) {
  Num rank = block_rank_in_cluster(), thread = threadIdx.x;
  Tensor mine = make_smem_tensor<float>(Layout("64:1"));
  mine(thread) = convert<float>(rank * 100 + thread);
  cluster_sync();
  Tensor theirs = make_tensor(map_to_block(mine.data(), 1 - rank), mine.layout());
  Num got = theirs(thread);
  named_barrier_sync(1, 64);
  y(Num(blockIdx.x) * 64 + thread) = got;
  cluster_sync(); // nobody ends while the other one reads
}
void exchanged(Tensor y) {
  launch(exchanged_device, {.grid = {4}, .block = 64, .cluster_x = 2}, y);
}
} // namespace

TEST(CuteHopper, TensorCopiesBothWays) {
  Array<half_t, 2> x(100, 136), y(100, 136); // 64 divides neither
  x.fill([](int64_t i) { return double(i % 1000); });
  Outcome done = kernel(moved, "moved", "sm_90a")(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(double(y[i]), double(x[i])) << i;
}
TEST(CuteHopper, BlocksOfAClusterExchange) {
  std::vector<float> y(256);
  Outcome done = kernel(exchanged, "exchanged", "sm_90a")(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(y[size_t(i)], float((1 - i / 64 % 2) * 100 + i % 64)) << i;
}
/// A target without them refuses, with the line of the author.
TEST(CuteHopper, OtherTargetsRefuse) {
  Array<half_t, 2> x(64, 64), y(64, 64);
  std::string ptx;
  Outcome done = kernel(moved, "moved", "sm_80").ptx(ptx, x, y);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.diagnostics[0].file.ends_with("HopperTest.cpp")) << done.text();
}
TEST(CuteHopper, TensorCopiesThatAdd) {
  Array<float, 2> y(45, 40);
  y.fill([](int64_t i) { return double(i % 5); });
  Outcome done = kernel(added, "added", "sm_90a")(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int64_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], float(i % 5 + 3 * (i / 40 % 32 + 1)));
}
