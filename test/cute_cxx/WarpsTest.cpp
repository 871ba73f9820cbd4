// Products of a warp with a sparse A, and those of SM120, on the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera::cute;
using tessera::tile::Array;

namespace {
/// C (16,8) = A (16,64) B (8,64)^T by one warp, where two of four elements of A are kept.
void sparse_device(Tensor kept, Tensor E, Tensor mB, Tensor mC) {
  TiledMMA mma = make_tiled_mma(SM80_SPARSE_16x8x32_F32F16F16F32_TN{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor A = make_tensor(kept.data(), make_layout(make_shape(16, make_shape(2, 32)),
                                                  make_stride(32, make_stride(0, 1))));
  Tensor tCgA = thr.partition_A(A),
         tCgB = thr.partition_B(local_tile(mB, make_tile(8, 64), make_coord(0, 0))),
         tCgC = thr.partition_C(local_tile(mC, make_tile(16, 8), make_coord(0, 0)));
  Tensor tCrA = thr.make_fragment_A(tCgA), tCrB = thr.make_fragment_B(tCgB),
         tCrC = thr.make_fragment_C(tCgC);
  copy(filter_zeros(tCgA), tCrA);
  copy(tCgB, tCrB);
  clear(tCrC);
  for (int k = 0; k < size<2>(tCrA); ++k)
    gemm(with_metadata(mma, E(threadIdx.x, k)), tCrA(_, _, k), tCrB(_, _, k), tCrC);
  copy(tCrC, tCgC);
}
void sparse(Tensor kept, Tensor E, Tensor B, Tensor C) {
  launch(sparse_device, {.block = 32}, kept, E, B, C);
}
/// Which elements of a group of four are kept: two of them, in order.
int which(int row, int group, int n) {
  int first = (row + group) % 3;
  return n == 0 ? first : first + 1 + row * group % (3 - first);
}

/// C (64,64) = A (64,128) B (64,128)^T by a warpgroup, whose A has its half in shared memory.
using Group = SM90::GMMA::SPARSE::GMMA_64x64x32_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>;
void group_device(Tensor kept, Tensor E, Tensor mB, Tensor mC) {
  TiledMMA mma = make_tiled_mma(Group{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  auto at = make_coord(0, 0);
  Layout atom = GMMA::Layout_K_SW128_Atom<half_t>{};
  Tensor half = make_smem_tensor<half_t>(tile_to_shape(atom, make_shape(64, 64))),
         sB = make_smem_tensor<half_t>(tile_to_shape(atom, make_shape(64, 128)));
  Layout own = half.layout();
  Layout pairs = make_layout(make_layout(2, 0), own.mode(1));
  Tensor sA = make_tensor(half.data(), make_layout(own.mode(0), pairs));
  cooperative_copy<128, 128>(threadIdx.x, local_tile(kept, make_tile(64, 64), at), half);
  cooperative_copy<128, 128>(threadIdx.x, local_tile(mB, make_tile(64, 128), at), sB);
  fence_view_async_shared();
  __syncthreads();
  Tensor tCrA = thr.partition_fragment_A(sA), tCrB = thr.partition_fragment_B(sB),
         tCgC = thr.partition_C(local_tile(mC, make_tile(64, 64), at)),
         tCrC = thr.make_fragment_C(tCgC);
  warpgroup_arrive();
  for (int k = 0; k < size<2>(tCrA); ++k)
    gemm(with_metadata(mma.accumulate(k > 0), E(threadIdx.x, k)), tCrA(_, _, k), tCrB(_, _, k),
         tCrC);
  warpgroup_commit_batch();
  warpgroup_wait<0>();
  copy(tCrC, tCgC);
}
void group_host(Tensor kept, Tensor E, Tensor B, Tensor C) {
  launch(group_device, {.block = 128}, kept, E, B, C);
}

/// C (16,8) = A (16,64) B (8,64)^T of SM120, with factors for 32 elements if `Scaled`.
template <class Mma, bool Scaled> void narrow_device(Tensor mA, Tensor mB, Tensor F, Tensor mC) {
  TiledMMA mma = make_tiled_mma(Mma{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor tCgA = thr.partition_A(local_tile(mA, make_tile(16, 64), make_coord(0, 0))),
         tCgB = thr.partition_B(local_tile(mB, make_tile(8, 64), make_coord(0, 0))),
         tCgC = thr.partition_C(local_tile(mC, make_tile(16, 8), make_coord(0, 0)));
  Tensor tCrA = thr.make_fragment_A(tCgA), tCrB = thr.make_fragment_B(tCgB),
         tCrC = thr.make_fragment_C(tCgC);
  copy(tCgA, tCrA);
  copy(tCgB, tCrB);
  clear(tCrC);
  for (int k = 0; k < size<2>(tCrA); ++k) {
    TiledMMA by = Scaled ? with_factors(mma, F(threadIdx.x, 0, k), F(threadIdx.x, 1, k)) : mma;
    gemm(by, tCrA(_, _, k), tCrB(_, _, k), tCrC);
  }
  copy(tCrC, tCgC);
}
template <class Mma, bool Scaled> void narrow(Tensor A, Tensor B, Tensor F, Tensor C) {
  launch(narrow_device<Mma, Scaled>, {.block = 32}, A, B, F, C);
}
template <class Mma, bool Scaled> void checkNarrow() {
  Array<float_e4m3_t, 2> A(16, 64), B(8, 64);
  Array<int, 3> F(32, 2, 2);
  Array<float, 2> C(16, 8);
  A.fill([](int64_t i) { return double(i * 7 % 13) - 6; });
  B.fill([](int64_t i) { return double(i * 5 % 11) - 5; });
  auto ofA = [](int row, int k) { return Scaled ? (row + k) % 5 - 2 : 0; }; // exponents
  auto ofB = [](int column, int k) { return Scaled ? (column * 3 + k) % 4 - 1 : 0; };
  // PTX ISA 9.7.14.3: lanes 0 and 1 of four have the factors of rows lane / 4 and lane / 4 + 8, and
  // lane 0 that of column lane / 4.
  for (int lane = 0; lane < 32; ++lane)
    for (int k = 0; k < 2; ++k) {
      F(lane, 0, k) = 127 + ofA(lane / 4 + 8 * (lane % 2), k);
      F(lane, 1, k) = 127 + ofB(lane / 4, k);
    }
  Outcome done = kernel(narrow<Mma, Scaled>, "narrow", "sm_120a")(simulator(), A, B, F, C);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int l = 0; l < 64; ++l)
        sum += double(A(i, l)) * double(B(j, l)) * std::exp2(ofA(i, l / 32) + ofB(j, l / 32));
      ASSERT_EQ(double(C(i, j)), sum) << i << " " << j;
    }
}
void mistakes_device(Tensor x) {
  TiledMMA plain = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{});
  with_metadata(plain, 1);
  with_factors(plain, 1, 2);
  make_tiled_mma(SM120_16x8x32_TN<half_t, half_t, float>{});
  x(0) = 1.0f;
}
void mistakes(Tensor x) { launch(mistakes_device, {.block = 1}, x); }
/// What a kernel of this target prints while it is traced.
std::string printedAtom(void (*host)(Tensor), const char *arch) {
  std::vector<float> x(1);
  std::string ptx;
  testing::internal::CaptureStdout();
  Outcome done = kernel(host, "printed", arch).ptx(ptx, x);
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(done) << done.text();
  return text;
}
void printed_device(Tensor x) {
  print(MMA_Atom<SM120_16x8x32_TN<float_e4m3_t, float_e4m3_t, float>>{});
  print(MMA_Atom<SM120::BLOCKSCALED::SM120_16x8x32_TN_VS<float_e4m3_t, float_e5m2_t, float,
                                                         float_ue8m0_t, 32>>{});
  x(0) = 1.0f;
}
void printed(Tensor x) { launch(printed_device, {.block = 1}, x); }
} // namespace

namespace {
/// The product of a sparse A (rows, K), of which each warp takes 16 rows.
void checkSparse(void (*host)(Tensor, Tensor, Tensor, Tensor), const char *arch, int rows,
                 int columns, int K) {
  Array<half_t, 2> kept(rows, K / 2), B(columns, K);
  Array<int, 2> E(2 * rows, K / 32);
  Array<float, 2> C(rows, columns), A(rows, K);
  kept.fill([](int64_t i) { return double(i * 7 % 13) - 6; });
  B.fill([](int64_t i) { return double(i * 5 % 11) - 5; });
  for (int i = 0; i < rows; ++i)
    for (int group = 0; group < K / 4; ++group)
      for (int n = 0; n < 2; ++n)
        A(i, 4 * group + which(i, group, n)) = float(double(kept(i, 2 * group + n)));
  // PTX ISA 9.7.14.6.2.1 and 9.7.15.6: lanes 0 and 1 of four have two bits for each kept element,
  // 16 of row lane / 4 of the warp, and above those of row lane / 4 + 8.
  for (int thread = 0; thread < 2 * rows; ++thread)
    for (int k = 0; k < K / 32; ++k) {
      int lane = thread % 32, row = thread / 32 * 16 + lane / 4;
      unsigned e = 0;
      for (int half = 0; half < 2; ++half)
        for (int group = 0; group < 4; ++group)
          for (int n = 0; n < 2; ++n)
            e |= unsigned(which(row + 8 * half, k * 8 + lane % 2 * 4 + group, n))
                 << (16 * half + 4 * group + 2 * n);
      E(thread, k) = int(e);
    }
  Outcome done = kernel(host, "sparse", arch)(simulator(), kept, E, B, C);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int l = 0; l < K; ++l)
        sum += double(A(i, l)) * double(B(j, l));
      ASSERT_EQ(double(C(i, j)), sum) << i << " " << j;
    }
}
} // namespace
TEST(CuteWarps, SparseProducts) { checkSparse(sparse, "sm_80", 16, 8, 64); }
TEST(CuteWarps, SparseProductsOfAWarpgroup) { checkSparse(group_host, "sm_90a", 64, 64, 128); }
TEST(CuteWarps, EightBitsOfSm120) {
  checkNarrow<SM120_16x8x32_TN<float_e4m3_t, float_e4m3_t, float>, false>();
}
TEST(CuteWarps, EightBitsWithFactors) {
  checkNarrow<
      SM120::BLOCKSCALED::SM120_16x8x32_TN_VS<float_e4m3_t, float_e4m3_t, float, float_ue8m0_t, 32>,
      true>();
}
TEST(CuteWarps, Mistakes) {
  std::vector<float> x(1);
  std::string ptx;
  Outcome done = kernel(mistakes, "mistakes").ptx(ptx, x);
  const char *texts[] = {"with_metadata: ", "with_factors: ", "make_mma_atom: "};
  ASSERT_EQ(done.diagnostics.size(), std::size(texts)) << done.text();
  for (size_t i = 0; i < std::size(texts); ++i) {
    EXPECT_TRUE(done.diagnostics[i].text.starts_with(texts[i])) << done.diagnostics[i].str();
    EXPECT_TRUE(done.diagnostics[i].file.ends_with("WarpsTest.cpp"));
  }
}
/// nvcc's program of CUTLASS 4.7.0 prints so.
TEST(CuteWarps, AtomsAsCuteCxxPrints) {
  EXPECT_EQ(printedAtom(printed, "sm_120a"),
            "MMA_Atom\n"
            "  ThrID:      _32:_1\n"
            "  Shape_MNK:  (_16,_8,_32)\n"
            "  LayoutA_TV: ((_4,_8),(_4,_2,_2)):((_64,_1),(_16,_8,_256))\n"
            "  LayoutB_TV: ((_4,_8),(_4,_2)):((_32,_1),(_8,_128))\n"
            "  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n"
            "MMA_Atom\n"
            "  ThrID:      _32:_1\n"
            "  Shape_MNK:  (_16,_8,_32)\n"
            "  LayoutA_TV: ((_4,_8),(_4,_2,_2)):((_64,_1),(_16,_8,_256))\n"
            "  LayoutB_TV: ((_4,_8),(_4,_2)):((_32,_1),(_8,_128))\n"
            "  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n");
}
