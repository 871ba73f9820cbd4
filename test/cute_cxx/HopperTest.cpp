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
void movedAsC(Tensor x, Tensor y) {
  auto load = make_tma_copy(SM90_TMA_LOAD{}, x, box());
  auto store = make_tma_copy_C_sm90(SM90_TMA_STORE{}, y, box(), make_shape(_64{}, _64{}, _32{}));
  launch(moved_device, {.grid = {ceil_div(size<0>(x), 64), ceil_div(size<1>(x), 64)}, .block = 32},
         load, store);
}

/// Three blocks add their tile to the part of y that is there.
void added_device(TmaCopy add) {
  Tensor s = make_smem_tensor<float>(Layout<Shape<_32, _32>, Stride<_32, _1>>{});
  For(Range(threadIdx.x, 32 * 32, 32),
      [&](Num i) { s(i / 32, i % 32) = convert<float>(i / 32 + 1); });
  tma_store_fence();
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

/// A warp fills a ring of two stages by TMA, and a warpgroup empties it: y has twice each row of x.
/// Both groups of warps change how many registers they have.
void ring_device(TmaCopy load, Tensor y) {
  constexpr int stages = 2, columns = 64, rows = 8;
  const Num tiles = size<0>(y) / rows;
  Tensor s = make_smem_tensor<float>(
      make_layout(make_shape(rows, columns, stages), make_stride(columns, 1, rows * columns)));
  PipelineTmaAsync ring(stages, 4, rows * columns * 4);
  Num warp = canonical_warp_idx_sync();
  If(
      warp < 4,
      [&] {
        warpgroup_reg_dealloc<24>();
        If(warp == 0, [&] {
          PipelineState state = ring.make_producer_start_state();
          For(tiles, state, [&](Num tile, PipelineState &state) {
            Tensor g =
                local_tile(load.get_tma_tensor(), make_shape(rows, columns), make_coord(tile, 0));
            auto [from, to] =
                tma_partition(load, 0, make_layout(1), group_modes<0, 2>(s(_, _, state.index)),
                              group_modes<0, 2>(g));
            ring.producer_acquire(state);
            copy(load.with(ring.producer_get_barrier(state)), from, to);
            ++state;
          });
        });
      },
      [&] {
        warpgroup_reg_alloc<240>();
        PipelineState state = ring.make_consumer_start_state();
        Num thread = Num(threadIdx.x) - 128;
        For(tiles, state, [&](Num tile, PipelineState &state) {
          ring.consumer_wait(state);
          For(Range(thread, rows * columns, 128), [&](Num i) {
            y(tile * rows + i / columns, i % columns) =
                s(i / columns, i % columns, state.index) * 2.0f;
          });
          __syncwarp();
          If(thread % 32 == 0, [&] { ring.consumer_release(state); });
          ++state;
        });
      });
}
void ring(Tensor x, Tensor y) {
  auto load = make_tma_copy(SM90_TMA_LOAD{}, x, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  launch(ring_device, {.block = 256}, load, y);
}

/// One warp says that its row is written, and does not wait; the other one waits and reads.
void arrived_device(Tensor y) {
  Tensor s = make_smem_tensor<int>(Layout("32:1"));
  BarrierArray done = make_barriers(1);
  Num thread = threadIdx.x;
  If(thread == 0, [&] { done[0].init(32), fence_barrier_init(); });
  __syncthreads();
  If(
      thread < 32,
      [&] {
        s(thread) = thread * 3;
        named_barrier_arrive(3, 64);
        done[0].wait(0);
        y(thread) = s(thread);
      },
      [&] {
        named_barrier_sync(3, 64);
        y(thread) = s(63 - thread);
        s(63 - thread) = 1000 + thread;
        done[0].arrive();
      });
}
void arrived(Tensor y) { launch(arrived_device, {.block = 64}, y); }

/// Clusters of 2 x 2 blocks: each writes what the next one of its cluster has.
void square_device(Tensor y) {
  Num rank = block_rank_in_cluster();
  Tensor mine = make_smem_tensor<int>(Layout("1:1"));
  mine(0) = Num(blockIdx.x) * 10 + Num(blockIdx.y);
  cluster_sync();
  Num next = make_tensor(map_to_block(mine.data(), (rank + 1) % 4), mine.layout())(0);
  y(blockIdx.x, blockIdx.y) = next * 10 + rank;
  cluster_sync();
}
void square(Tensor y) {
  launch(square_device, {.grid = {4, 4}, .block = 1, .cluster_x = 2, .cluster_y = 2}, y);
}

/// What each block says of its place, in clusters of 2 x 2.
void places_device(Tensor y) {
  int i = 0;
  for (const SpecialRegisters &r :
       {block_id_in_cluster(), cluster_shape(), cluster_id_in_grid(), cluster_grid_dims()})
    for (const SpecialRegister &axis : {r.x, r.y, r.z})
      y(blockIdx.x, blockIdx.y, i++) = Num(axis);
  cluster_arrive_relaxed();
  cluster_wait();
}
void places(Tensor y) {
  launch(places_device, {.grid = {4, 6}, .block = 1, .cluster_x = 2, .cluster_y = 2}, y);
}

/// Threads count themselves, and two of CUTLASS's barriers keep the warps apart.
void counted_device(Tensor y) {
  Tensor s = make_smem_tensor<int>(Layout("256:1"));
  Num thread = threadIdx.x;
  BarrierArray all = make_barriers(1);
  If(thread == 0, [&] { initialize_barrier(all[0], 256), fence_barrier_init(); });
  __syncthreads();
  s(thread) =
      canonical_warp_group_idx() * 10000 + canonical_warp_idx() * 100 + canonical_lane_idx();
  // Barrier 0 of CUTLASS is none of __syncthreads.
  If(
      thread < 128, [&] { NamedBarrier::arrive(256, 0); },
      [&] {
        NamedBarrier::sync(256, 0);
        y(thread - 128) = s(thread - 128);
      });
  arrive_barrier(all[0]);
  wait_barrier(all[0], 0);
  y(thread + 128) = s(255 - thread);
}
void counted(Tensor y) { launch(counted_device, {.block = 256}, y); }

/// A product of a warpgroup of operands without a swizzle whose columns are contiguous.
void inter_device(Tensor x, Tensor y, Tensor z) {
  auto shape = make_shape(_64{}, _16{});
  Tensor A = make_smem_tensor<half_t>(tile_to_shape(GMMA::Layout_MN_INTER_Atom<half_t>{}, shape)),
         B = make_smem_tensor<half_t>(tile_to_shape(GMMA::Layout_MN_INTER_Atom<half_t>{}, shape));
  For(Range(threadIdx.x, 64 * 16, 128), [&](Num i) { A(i) = x(i), B(i) = y(i); });
  fence_view_async_shared();
  __syncthreads();
  TiledMMA mma = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::MN, GMMA::Major::MN>{});
  ThrMMA mine = mma.get_thread_slice(threadIdx.x);
  Tensor c = partition_fragment_C(mma, make_shape(_64{}, _64{}));
  clear(c);
  warpgroup_fence_operand(c);
  warpgroup_arrive();
  gemm(mma, mine.partition_fragment_A(A), mine.partition_fragment_B(B), c);
  warpgroup_commit_batch();
  int pending = 0;
  warpgroup_wait(pending);
  warpgroup_fence_operand(c);
  copy(c, mine.partition_C(make_tensor(z.data(), make_shape(_64{}, _64{}))));
}
void inter(Tensor x, Tensor y, Tensor z) { launch(inter_device, {.block = 128}, x, y, z); }

/// A fragment of 16 x 16 halves to shared memory by stmatrix: x1, x2 or x4, as it is or transposed.
template <class Op, bool Transposed> void stored_device(Tensor x, Tensor y) {
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F16F16F16F16_TN{}, Layout<Shape<_1, _1, _1>>{},
                                Tile<_16, _16, _16>{});
  auto shape = make_shape(_16{}, _16{});
  Layout order = Transposed ? make_layout(shape) : make_layout(shape, LayoutRight{});
  Tensor s = make_smem_tensor<half_t>(order), C = make_tensor(x.data(), order),
         own = make_fragment_like(mma.get_slice(threadIdx.x).partition_C(C));
  copy(mma.get_slice(threadIdx.x).partition_C(C), own);
  TiledCopy store = make_tiled_copy_C(Copy_Atom<Op, half_t>{}, mma);
  ThrCopy thread = store.get_slice(threadIdx.x);
  copy(store, thread.retile_S(own), thread.partition_D(s));
  __syncwarp();
  For(Range(threadIdx.x, 256, 32),
      [&](Num i) { y(i) = make_tensor(s.data(), Layout("256:1"))(i); });
}
template <class Op, bool Transposed> void stored(Tensor x, Tensor y) {
  launch(stored_device<Op, Transposed>, {.block = 32}, x, y);
}
template <class Op, bool Transposed> void checkStored(const char *instruction) {
  std::vector<half_t> x, y(256);
  for (int i = 0; i < 256; ++i)
    x.push_back(half_t(float(i)));
  auto k = kernel(stored<Op, Transposed>, "stored", "sm_90");
  Outcome done = k(simulator(), x, y);
  ASSERT_TRUE(done) << instruction << done.text();
  for (size_t i = 0; i < 256; ++i)
    ASSERT_EQ(float(y[i]), float(i)) << instruction;
  std::string ptx;
  k.ptx(ptx, x, y);
  EXPECT_NE(ptx.find(instruction), std::string::npos) << ptx;
}
} // namespace

TEST(CuteHopper, TensorCopiesBothWays) {
  Array<half_t, 2> x(100, 136), y(100, 136); // 64 divides neither
  x.fill([](int64_t i) { return double(i % 1000); });
  Outcome done = kernel(moved, "moved", "sm_90a")(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(double(y[i]), double(x[i])) << i;
  y.fill([](int64_t) { return 0.0; });
  done = kernel(movedAsC, "movedAsC", "sm_90a")(simulator(), x, y);
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
TEST(CuteHopper, RingsFromTheirStartStates) {
  Array<float, 2> x(40, 64), y(40, 64); // five tiles in two stages
  x.fill([](int64_t i) { return double(i); });
  auto k = kernel(ring, "ring", "sm_90a");
  Outcome done = k(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], 2 * float(i));
  std::string ptx;
  k.ptx(ptx, x, y);
  EXPECT_NE(ptx.find("setmaxnreg.dec.sync.aligned.u32 \t24;"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("setmaxnreg.inc.sync.aligned.u32 \t240;"), std::string::npos) << ptx;
}
TEST(CuteHopper, BarriersThatOneSideOnlyArrivesAt) {
  std::vector<int> y(64);
  Outcome done = kernel(arrived, "arrived", "sm_90")(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(y[size_t(i)], i < 32 ? 1063 - i : (63 - i) * 3) << i;
}
TEST(CuteHopper, ClustersOfTwoDimensions) {
  Array<int, 2> y(4, 4);
  Outcome done = kernel(square, "square", "sm_90")(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int rank = i % 2 + 2 * (j % 2), next = (rank + 1) % 4; // along x first
      EXPECT_EQ(y(i, j), ((i / 2 * 2 + next % 2) * 10 + j / 2 * 2 + next / 2) * 10 + rank);
    }
}
TEST(CuteHopper, OperandsWithoutASwizzle) {
  // The layouts are CuTe C++'s, where they are Sw<0,4,3> o smem_ptr o these.
  EXPECT_EQ(GMMA::Layout_MN_INTER_Atom<half_t>{}.str(), "(8,8):(1,8)");
  EXPECT_EQ(GMMA::Layout_MN_INTER_Atom<float>{}.str(), "(4,8):(1,4)");
  std::vector<half_t> x, y;
  std::vector<float> z(64 * 64);
  for (int i = 0; i < 64 * 16; ++i)
    x.push_back(half_t(float(i % 7 - 3))), y.push_back(half_t(float(i % 5 - 2)));
  Outcome done = kernel(inter, "inter", "sm_90a")(simulator(), x, y, z);
  ASSERT_TRUE(done) << done.text();
  for (size_t m = 0; m < 64; ++m)
    for (size_t n = 0; n < 64; ++n) {
      float sum = 0;
      for (size_t k = 0; k < 16; ++k)
        sum += float(x[m + 64 * k]) * float(y[n + 64 * k]);
      ASSERT_EQ(z[m + 64 * n], sum) << m << " " << n;
    }
}
TEST(CuteHopper, FragmentsStoredByStmatrix) {
  checkStored<SM90_U32x1_STSM_N, false>("stmatrix.sync.aligned.m8n8.x1.shared.b16");
  checkStored<SM90_U32x2_STSM_N, false>("stmatrix.sync.aligned.m8n8.x2.shared.b16");
  checkStored<SM90_U32x4_STSM_N, false>("stmatrix.sync.aligned.m8n8.x4.shared.b16");
  checkStored<SM90_U16x2_STSM_T, true>("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16");
  checkStored<SM90_U16x4_STSM_T, true>("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16");
  checkStored<SM90_U16x8_STSM_T, true>("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16");
}
TEST(CuteHopper, PlacesOfBlocksAndClusters) {
  Array<int, 3> y(4, 6, 12);
  auto k = kernel(places, "places", "sm_90");
  Outcome done = k(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) {
      const int want[] = {i % 2, j % 2, 0, 2, 2, 1, i / 2, j / 2, 0, 2, 3, 1};
      for (int n = 0; n < 12; ++n)
        EXPECT_EQ(y(i, j, n), want[n]) << i << " " << j << " " << n;
    }
  std::string ptx;
  k.ptx(ptx, y);
  EXPECT_NE(ptx.find("barrier.cluster.arrive.relaxed.aligned"), std::string::npos) << ptx;
}
TEST(CuteHopper, ThreadsCountThemselves) {
  std::vector<int> y(384);
  auto k = kernel(counted, "counted", "sm_90");
  Outcome done = k(simulator(), y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 384; ++i) {
    int thread = i < 128 ? i : 255 - (i - 128);
    EXPECT_EQ(y[size_t(i)], thread / 128 * 10000 + thread / 32 * 100 + thread % 32) << i;
  }
  std::string ptx;
  k.ptx(ptx, y);
  EXPECT_NE(ptx.find("bar.sync \t8, 256"), std::string::npos) << ptx;
}
TEST(CuteHopper, StatesOfAPipelineBeginAtZero) {
  PipelineState state;
  EXPECT_EQ(int(state.index), 0);
  EXPECT_EQ(int(state.phase), 0);
  state.stages = 2;
  ++state;
  EXPECT_EQ(int(state.index), 1);
  ++state;
  EXPECT_EQ(int(state.index), 0);
  EXPECT_EQ(int(state.phase), 1);
}
TEST(CuteHopper, LayoutsByTheirMajor) {
  using GMMA::Major;
  EXPECT_EQ((GMMA::Layout_SW128_Atom<half_t, Major::MN>{}.str()),
            GMMA::Layout_MN_SW128_Atom<half_t>{}.str());
  EXPECT_EQ((GMMA::Layout_SW64_Atom<float, Major::K>{}.str()),
            GMMA::Layout_K_SW64_Atom<float>{}.str());
  EXPECT_EQ((GMMA::Layout_SW32_Atom<half_t, Major::MN>{}.str()),
            GMMA::Layout_MN_SW32_Atom<half_t>{}.str());
  EXPECT_EQ((GMMA::Layout_INTER_Atom<half_t, Major::K>{}.str()), "(8,8):(8,1)");
}
