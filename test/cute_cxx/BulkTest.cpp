// Copies in bulk, selectors of products, pipelines of threads, and pictures of layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;
using tessera::tile::Array;

namespace {
/// y = 2 x by tiles of 8 x 32, which go through shared memory in runs of a row.
void doubled_device(Tensor x, Tensor y) {
  Tensor tile = make_smem_tensor<float>(Layout<Shape<_8, _32>, Stride<_32, _1>>{});
  BarrierArray loaded = make_barriers(1);
  auto coord = make_coord(0, blockIdx.x);
  Tensor from = local_tile(x, make_tile(8, 32), coord), to = local_tile(y, make_tile(8, 32), coord);
  Copy_Atom<SM90_BULK_COPY_AUTO, float> bulk;
  If(threadIdx.x == 0, [&] { initialize_barrier(loaded[0]); });
  fence_barrier_init();
  __syncthreads();
  If(threadIdx.x == 0, [&] {
    set_barrier_transaction_bytes(loaded[0], 8 * 32 * 4);
    copy(bulk.with(loaded[0]), from, tile);
  });
  wait_barrier(loaded[0], 0);
  for (int row = 0; row < 8; ++row)
    tile(row, threadIdx.x) = Num(tile(row, threadIdx.x)) * 2.0f;
  tma_store_fence();
  __syncthreads();
  If(threadIdx.x == 0, [&] {
    copy(Copy_Traits<SM90_BULK_COPY_S2G>{}, tile, to);
    tma_store_arrive();
    tma_store_wait<0>();
  });
}
void doubled(Tensor x, Tensor y) { launch(doubled_device, {.grid = 2, .block = 32}, x, y); }

void wrong_device(Tensor x) {
  Tensor s = make_smem_tensor<float>(make_layout(256)),
         narrow = make_smem_tensor<float>(Layout<Shape<_8, _2>, Stride<_2, _1>>{}),
         mixed = make_smem_tensor<half_t>(GMMA::Layout_K_SW128_Atom<half_t>{});
  BarrierArray loaded = make_barriers(1);
  Copy_Traits<SM90_BULK_COPY_AUTO> bulk;
  auto at = make_coord(0, 0);
  copy(bulk, local_tile(x, make_tile(1, 32), at), local_tile(s, make_tile(32), make_coord(0)));
  copy(bulk.with(loaded[0]), local_tile(x, make_tile(8, 2), at), narrow);
  copy(Copy_Traits<SM90_BULK_COPY_G2S>{}.with(loaded[0]), s, s);
  Tensor halves = make_tensor(recast_ptr<half_t>(x.data()), mixed.layout());
  copy(bulk.with(loaded[0]), halves, mixed);
}
void wrong(Tensor x) { launch(wrong_device, {.block = 32}, x); }

/// One warp makes numbers in a ring of two stages, another sums them.
void ring_device(Tensor x, Tensor sums) {
  Tensor stage = make_smem_tensor<float>(make_layout(make_shape(32, 2)));
  PipelineAsync ring(2, 32, 32);
  Num warp = canonical_warp_idx_sync(), lane = Num(threadIdx.x) % 32, n = size<1>(x);
  If(warp == 0, [&] {
    PipelineState at = ring.make_producer_start_state();
    For(n, at, [&](Num i, PipelineState &at) {
      ring.producer_acquire(at);
      stage(31 - lane, at.index) = x(lane, i);
      ring.producer_commit(at);
      ++at;
    });
    ring.producer_tail(at);
  });
  If(warp == 1, [&] {
    PipelineState at = ring.make_consumer_start_state();
    Num sum = 0.0f;
    For(n, at, sum, [&](Num, PipelineState &at, Num &sum) {
      ring.consumer_wait(at);
      sum += stage(lane, at.index);
      ring.consumer_release(at);
      ++at;
    });
    sums(lane) = sum;
  });
}
void ring(Tensor x, Tensor sums) { launch(ring_device, {.block = 64}, x, sums); }

void selected_device(Tensor x) {
  print(GMMA::ss_op_selector<half_t, half_t, float, Shape<_128, _192, _64>>());
  print(MMA_Atom<SM90_64x192x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>>{});
  print(GMMA::ss_op_selector<float_e4m3_t, float_e5m2_t, half_t, Shape<_64, _80, _32>>());
  print(MMA_Atom<SM90_64x16x32_F16E4M3E5M2_SS_TN<>>{});
  print(GMMA::rs_op_selector<tfloat32_t, tfloat32_t, float, Shape<_64, _256, _8>>());
  print(MMA_Atom<SM90_64x256x8_F32TF32TF32_RS_TN<>>{});
  print(GMMA::ss_op_selector<int8_t, uint8_t, int, Shape<_64, _24, _32>>());
  print(MMA_Atom<SM90_64x8x32_S32S8U8_SS_TN>{});
  x(0) = 1.0f;
}
void selected(Tensor x) { launch(selected_device, {.block = 1}, x); }
void unselected_device(Tensor x) {
  GMMA::ss_op_selector<half_t, half_t, float, Shape<_32, _64, _64>>();
  GMMA::ss_op_selector<half_t, half_t, float, Shape<_64, _64>>();
  GMMA::ss_op_selector<int8_t, int8_t, int, Shape<_64, _64, _32>, GMMA::Major::MN>();
  GMMA::ss_op_selector<half_t, float, float, Shape<_64, _64, _16>>();
  x(0) = 1.0f;
}
void unselected(Tensor x) { launch(unselected_device, {.block = 1}, x); }
void expectMistakes(const Outcome &done, std::vector<const char *> texts) {
  ASSERT_EQ(done.diagnostics.size(), texts.size()) << done.text();
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_NE(done.diagnostics[i].text.find(texts[i]), std::string::npos)
        << done.diagnostics[i].str();
    EXPECT_TRUE(done.diagnostics[i].file.ends_with("BulkTest.cpp"));
    EXPECT_GT(done.diagnostics[i].line, 0);
  }
}
} // namespace

TEST(CuteBulk, ThereAndBack) {
  Array<float, 2> x(8, 64), y(8, 64);
  x.fill([](int64_t i) { return double(i); });
  Outcome done = kernel(doubled, "doubled", "sm_90a")(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 8 * 64; ++i)
    ASSERT_EQ(y[i], 2.0f * float(i)) << i;
}
TEST(CuteBulk, Mistakes) {
  Array<float, 2> x(8, 64);
  std::string ptx;
  expectMistakes(kernel(wrong, "wrong", "sm_90a").ptx(ptx, x),
                 {"expects a barrier that counts the bytes of a copy in bulk",
                  "expects neighbours in both tensors of a multiple of 16 bytes",
                  "but got one from smem to smem", "expects shared memory without a swizzle"});
  Array<float, 2> y(8, 64);
  EXPECT_NE(kernel(doubled, "doubled").ptx(ptx, x, y).text().find("needs sm_90"),
            std::string::npos);
}
TEST(CuteBulk, RingOfThreads) {
  Array<float, 2> x(32, 7);
  std::vector<float> sums(32);
  x.fill([](int64_t i) { return double(i * 5 % 17); });
  Outcome done = kernel(ring, "ring", "sm_90a")(simulator(), x, sums);
  ASSERT_TRUE(done) << done.text();
  for (int lane = 0; lane < 32; ++lane) {
    float sum = 0;
    for (int i = 0; i < 7; ++i)
      sum += x(31 - lane, i);
    EXPECT_EQ(sums[size_t(lane)], sum) << lane;
  }
}
TEST(CuteBulk, SelectedProducts) {
  std::vector<float> x(1);
  std::string ptx;
  testing::internal::CaptureStdout();
  Outcome done = kernel(selected, "selected", "sm_90a").ptx(ptx, x);
  std::string text = testing::internal::GetCapturedStdout();
  ASSERT_TRUE(done) << done.text();
  std::vector<std::string> printed;
  for (size_t at = 0, next = 0; at != std::string::npos; at = next) {
    next = text.find("MMA_Atom", at + 1);
    printed.push_back(text.substr(at, next - at));
  }
  ASSERT_EQ(printed.size(), 8u) << text;
  for (size_t i = 0; i < 8; i += 2)
    EXPECT_EQ(printed[i], printed[i + 1]);
}
TEST(CuteBulk, ProductsThatNobodyHas) {
  std::vector<float> x(1);
  std::string ptx;
  expectMistakes(kernel(unselected, "unselected", "sm_90a").ptx(ptx, x),
                 {"expects a tile of multiples of (64,8,16), but got (32,64,64)",
                  "expects a tile (M,N,K) that C++ knows, but got (64,64)",
                  "expects A and B with K contiguous", "SM90_64x64x16_F32F16F32_SS"});
}
TEST(CuteBulk, PictureOfAThreadValueLayout) {
  testing::internal::CaptureStdout();
  print_latex_tv(Layout("((2,2),2):((2,4),1)"), make_shape(2, 4));
  std::string text = testing::internal::GetCapturedStdout();
  for (const char *element : {"T0", "T3", "V0", "V1", "\\begin{document}"})
    EXPECT_NE(text.find(element), std::string::npos) << element << "\n" << text;
}
