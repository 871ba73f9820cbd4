// Products of SM100 with scale factors, and with A in tensor memory, on the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera::cute;
using tessera::tile::Array;

namespace {
constexpr auto K = UMMA::Major::K;

//===--- 8 bits, by TMA -----------------------------------------------------------------------===//

using Narrow =
    SM100_MMA_MXF8F6F4_SS<float_e4m3_t, float_e4m3_t, float, float_ue8m0_t, 128, 128, K, K>;
Layout<> shared8() {
  return UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<float_e4m3_t>{},
                                 make_shape(make_shape(128, 32), 1, 4));
}
struct Operands {
  TmaCopy A, B;
  Tensor SFA, SFB, C;
  auto members() { return std::tie(A, B, SFA, SFB, C); }
};
/// Copies the sums of a block from tensor memory to C.
void storeSums(const Tensor &sum, const Tensor &gC) {
  TiledCopy load = make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x{}, sum);
  ThrCopy of = load.get_slice(threadIdx.x);
  Tensor out = of.partition_D(gC), held = make_tensor<float>(shape(out));
  copy(load, of.partition_S(sum), held);
  copy(held, out);
  __syncthreads();
}
void eight_device(Operands of) {
  TiledMMA mma = make_tiled_mma(Narrow{});
  ThrMMA thr = mma.get_slice(0);
  auto tile = make_shape(128, 128, 128);
  auto coord = make_coord(blockIdx.x, blockIdx.y, _);
  Tensor gA = thr.partition_A(local_tile(of.A.get_tma_tensor(), tile, coord, Step<_1, X, _1>{})),
         gB = thr.partition_B(local_tile(of.B.get_tma_tensor(), tile, coord, Step<X, _1, _1>{})),
         gC = thr.partition_C(local_tile(of.C, tile, coord, Step<_1, _1, X>{}));
  Tensor sA = make_smem_tensor<float_e4m3_t>(shared8()),
         sB = make_smem_tensor<float_e4m3_t>(shared8()),
         sSFA = make_smem_tensor<float_ue8m0_t>(make_layout(512)),
         sSFB = make_smem_tensor<float_ue8m0_t>(make_layout(512));
  Pointer slot = allocate_smem<uint32_t>(1);
  BarrierArray loaded = make_barriers(1), done = make_barriers(1);
  auto [fromA, toA] =
      tma_partition(of.A, 0, make_layout(1), group_modes<0, 3>(sA), group_modes<0, 3>(gA));
  auto [fromB, toB] =
      tma_partition(of.B, 0, make_layout(1), group_modes<0, 3>(sB), group_modes<0, 3>(gB));
  Tensor fA = thr.make_fragment_A(sA), fB = thr.make_fragment_B(sB), sum = thr.make_fragment_C(gC);
  Num first = canonical_warp_idx_sync() == 0, tiles = size<1>(fromA);
  TMEM::Allocator1Sm tmem;
  If(first, [&] { tmem.allocate(256, slot); });
  If(threadIdx.x == 0, [&] { loaded[0].init(1), done[0].init(1); });
  fence_barrier_init();
  __syncthreads();
  sum = make_tensor(make_tmem_ptr<float>(slot), sum.layout());
  Tensor tSFA = make_factor_tensor<float_ue8m0_t>(slot, 128, 4),
         tSFB = make_factor_tensor<float_ue8m0_t>(slot, 132, 4);
  Copy_Atom<SM90_BULK_COPY_AUTO, float_ue8m0_t> bulk;
  For(tiles, [&, &fromA = fromA, &toA = toA, &fromB = fromB, &toB = toB](Num k) {
    auto factors = [&](const Tensor &all, Num block) {
      return local_tile(all, make_tile(512), make_coord(block * tiles + k));
    };
    If(first, [&] {
      If(elect_one_sync(), [&] {
        loaded[0].arrive_and_expect_tx(2 * 128 * 128 + 2 * 512);
        copy(bulk.with(loaded[0]), factors(of.SFA, blockIdx.x), sSFA);
        copy(bulk.with(loaded[0]), factors(of.SFB, blockIdx.y), sSFB);
      });
      copy(of.A.with(loaded[0]), fromA(_, k), toA);
      copy(of.B.with(loaded[0]), fromB(_, k), toB);
      loaded[0].wait(k % 2);
      copy(SM100_UTCCP_4x32dp128bit_1cta{}, sSFA, tSFA);
      copy(SM100_UTCCP_4x32dp128bit_1cta{}, sSFB, tSFB);
      for (int b = 0; b < size<2>(fA); ++b)
        gemm(mma.with((k > 0) | (b > 0), tSFA(_, b), tSFB(_, b)), fA(_, _, b), fB(_, _, b), sum);
      umma_arrive(done[0]);
    });
    done[0].wait(k % 2);
  });
  storeSums(sum, gC);
  If(first, [&] { tmem.free(slot, 256); });
}
void eight(Tensor A, Tensor B, Tensor SFA, Tensor SFB, Tensor C) {
  auto tile = make_shape(128, 128);
  launch(eight_device, {.grid = {size<0>(A) / 128, size<0>(B) / 128}, .block = 128},
         Operands{make_tma_atom(SM90_TMA_LOAD{}, A, shared8(), tile),
                  make_tma_atom(SM90_TMA_LOAD{}, B, shared8(), tile), SFA, SFB, C});
}

//===--- 4 bits, which threads copy -----------------------------------------------------------===//

template <int VS> using FactorOf = std::conditional_t<VS == 16, float_ue4m3_t, float_ue8m0_t>;
template <int VS>
using Four = SM100_MMA_MXF4_SS<float_e2m1_t, float_e2m1_t, float, FactorOf<VS>, 128, 128, VS, K, K>;
template <int VS> void four_device(Tensor A, Tensor B, Tensor SFA, Tensor SFB, Tensor C) {
  using SF = FactorOf<VS>;
  TiledMMA mma = make_tiled_mma(Four<VS>{});
  auto tile = make_shape(128, 128, 256);
  auto coord = make_coord(0, 0, _);
  ThrMMA thr = mma.get_slice(0);
  Tensor gA = thr.partition_A(local_tile(A, tile, coord, Step<_1, X, _1>{})),
         gB = thr.partition_B(local_tile(B, tile, coord, Step<X, _1, _1>{})),
         gC = thr.partition_C(local_tile(C, tile, coord, Step<_1, _1, X>{}));
  auto shared = [&](const IntTuple &part) {
    return make_smem_tensor<float_e2m1_t>(
        UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<float_e2m1_t>{}, part));
  };
  Tensor sA = shared(partition_shape_A(mma, make_shape(128, 256))),
         sB = shared(partition_shape_B(mma, make_shape(128, 256)));
  constexpr int groups = 256 / VS, factors = groups * 128;
  Tensor sSFA = make_smem_tensor<SF>(make_layout(factors)),
         sSFB = make_smem_tensor<SF>(make_layout(factors));
  Pointer slot = allocate_smem<uint32_t>(1);
  BarrierArray done = make_barriers(1);
  Tensor fA = thr.make_fragment_A(sA), fB = thr.make_fragment_B(sB), sum = thr.make_fragment_C(gC);
  Num first = canonical_warp_idx_sync() == 0;
  TMEM::Allocator1Sm tmem;
  If(first, [&] { tmem.allocate(256, slot); });
  If(threadIdx.x == 0, [&] { done[0].init(1); });
  fence_barrier_init();
  __syncthreads();
  sum = make_tensor(make_tmem_ptr<float>(slot), sum.layout());
  Tensor tSFA = make_factor_tensor<SF>(slot, 128, groups),
         tSFB = make_factor_tensor<SF>(slot, 192, groups);
  For(size<3>(gA), [&](Num k) {
    cooperative_copy<128, 128>(threadIdx.x, gA(_, _, _, k), sA);
    cooperative_copy<128, 128>(threadIdx.x, gB(_, _, _, k), sB);
    for (auto [from, to] : {std::pair(&SFA, &sSFA), {&SFB, &sSFB}})
      cooperative_copy<128, 32>(threadIdx.x, local_tile(*from, make_tile(factors), make_coord(k)),
                                *to);
    fence_view_async_shared();
    __syncthreads();
    If(first, [&] {
      copy(SM100_UTCCP_4x32dp128bit_1cta{}, sSFA, tSFA);
      copy(SM100_UTCCP_4x32dp128bit_1cta{}, sSFB, tSFB);
      for (int b = 0; b < size<2>(fA); ++b)
        gemm(mma.with((k > 0) | (b > 0), tSFA(_, b * 64 / VS), tSFB(_, b * 64 / VS)), fA(_, _, b),
             fB(_, _, b), sum);
      umma_arrive(done[0]);
    });
    done[0].wait(k % 2);
  });
  storeSums(sum, gC);
  If(first, [&] { tmem.free(slot, 256); });
}
template <int VS> void four(Tensor A, Tensor B, Tensor SFA, Tensor SFB, Tensor C) {
  launch(four_device<VS>, {.block = 128}, A, B, SFA, SFB, C);
}

/// C = (A SFA) (B SFB)^T beside sums of the host.
template <int VS, class SF, class Matrix>
void check(void (*host)(Tensor, Tensor, Tensor, Tensor, Tensor), int m, int n, int k) {
  using Config = Sm1xxBlockScaledConfig<VS>;
  Matrix A(m, k), B(n, k);
  std::vector<SF> a(size_t(m * k / VS)), b(size_t(n * k / VS));
  Array<float, 2> C(m, n);
  A.fill([](int64_t i) { return double(i * 7 % 9) / 2 - 2; });
  B.fill([](int64_t i) { return double(i * 5 % 7) - 3; });
  auto problem = make_shape(m, n, k, 1);
  HostTensor SFA = make_tensor(a.data(), Config::tile_atom_to_shape_SFA(problem)),
             SFB = make_tensor(b.data(), Config::tile_atom_to_shape_SFB(problem));
  auto ofA = [](int i, int group) { return std::exp2(double((i + group) % 5 - 2)); };
  auto ofB = [](int i, int group) { return std::exp2(double((i * 3 + group) % 4 - 1)); };
  for (int group = 0; group < k / VS; ++group) {
    for (int i = 0; i < m; ++i)
      SFA(i, group * VS, 0) = SF(ofA(i, group));
    for (int i = 0; i < n; ++i)
      SFB(i, group * VS, 0) = SF(ofB(i, group));
  }
  Outcome done = kernel(host, "scaled", "sm_100a")(simulator(), A, B, a, b, C);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(A(i, l)) * double(B(j, l)) * ofA(i, l / VS) * ofB(j, l / VS);
      ASSERT_EQ(double(C(i, j)), sum) << i << " " << j;
    }
}

//===--- A in tensor memory -------------------------------------------------------------------===//

void inside_device(Tensor A, Tensor B, Tensor C) {
  TiledMMA mma = make_tiled_mma(SM100_MMA_F16BF16_TS<half_t, half_t, float, 128, 64, K, K>{});
  ThrMMA thr = mma.get_slice(0);
  Tensor sB = make_smem_tensor<half_t>(UMMA::tile_to_mma_shape(
      UMMA::Layout_K_SW128_Atom<half_t>{}, partition_shape_B(mma, make_shape(64, 64))));
  Pointer slot = allocate_smem<uint32_t>(1);
  BarrierArray done = make_barriers(1);
  Tensor gA = thr.partition_A(A), gB = thr.partition_B(B), gC = thr.partition_C(C);
  Tensor tA = thr.make_fragment_A(gA), fB = thr.make_fragment_B(sB), sum = thr.make_fragment_C(gC);
  Num first = canonical_warp_idx_sync() == 0;
  TMEM::Allocator1Sm tmem;
  If(first, [&] { tmem.allocate(128, slot); });
  If(threadIdx.x == 0, [&] { done[0].init(1); });
  fence_barrier_init();
  cooperative_copy<128>(threadIdx.x, gB, sB);
  fence_view_async_shared();
  __syncthreads();
  sum = make_tensor(make_tmem_ptr<float>(slot), sum.layout());
  tA = make_tensor(make_tmem_ptr<half_t>(slot) + 64 * 2, tA.layout()); // after 64 columns
  TiledCopy store = make_tmem_copy(SM100_TMEM_STORE_32dp32b8x{}, tA(_, _, 0));
  ThrCopy to = store.get_slice(threadIdx.x);
  for (int b = 0; b < size<2>(tA); ++b) {
    Tensor from = to.partition_S(gA(_, _, b)), held = make_tensor<half_t>(shape(from));
    copy(from, held);
    copy(store, held, to.partition_D(tA(_, _, b)));
  }
  __syncthreads();
  If(first, [&] {
    for (int b = 0; b < size<2>(tA); ++b)
      gemm(mma.accumulate(b ? UMMA::ScaleOut::One : UMMA::ScaleOut::Zero), tA(_, _, b), fB(_, _, b),
           sum);
    umma_arrive(done[0]);
  });
  done[0].wait(0);
  storeSums(sum, gC);
  If(first, [&] { tmem.free(slot, 128); });
}
void inside(Tensor A, Tensor B, Tensor C) {
  auto matrix = [](const Tensor &t, int rows) {
    return make_tensor(t.data(), make_layout(make_shape(rows, 64), make_stride(64, 1)));
  };
  launch(inside_device, {.block = 128}, matrix(A, 128), matrix(B, 64), matrix(C, 128));
}

void mistakes_device(Tensor x) {
  Pointer slot = allocate_smem<uint32_t>(1);
  make_factor_tensor<float_ue8m0_t>(slot, 512, 4);
  make_factor_tensor<float_ue8m0_t>(slot, 0, 6);
  Tensor tSF = make_factor_tensor<float_ue8m0_t>(slot, 0, 8);
  Tensor few = make_smem_tensor<float_ue8m0_t>(make_layout(512));
  copy(SM100_UTCCP_4x32dp128bit_1cta{}, few, tSF);
  copy(SM100_UTCCP_4x32dp128bit_1cta{}, x, tSF);
  make_tiled_mma(SM100_MMA_MXF4_SS<half_t, half_t, float, float_ue8m0_t, 128, 128, 32, K, K>{});
  TiledMMA plain = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, K, K>{});
  plain.with(true, tSF, tSF);
}
void mistakes(Tensor x) { launch(mistakes_device, {.block = 128}, x); }
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
  print(make_tiled_mma(SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, UMMA::Major::K,
                                                  UMMA::Major::K>{}));
  print(make_tiled_mma(
      SM100_MMA_F16BF16_TS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>{}));
  print(make_tiled_mma(SM100_MMA_MXF8F6F4_SS<float_e4m3_t, float_e4m3_t, float, float_ue8m0_t, 128,
                                             128, UMMA::Major::K, UMMA::Major::K>{}));
  x(0) = 1.0f;
}
void printed(Tensor x) { launch(printed_device, {.block = 1}, x); }
} // namespace

TEST(CuteScaled, EightBits) {
  check<32, float_ue8m0_t, Array<float_e4m3_t, 2>>(eight, 256, 128, 256);
}
TEST(CuteScaled, FourBitsBy32) {
  check<32, float_ue8m0_t, SubbyteArray<float_e2m1_t, 2>>(four<32>, 128, 128, 512);
}
TEST(CuteScaled, FourBitsBy16) {
  check<16, float_ue4m3_t, SubbyteArray<float_e2m1_t, 2>>(four<16>, 128, 128, 512);
}
TEST(CuteScaled, LayoutsOfFactors) {
  // nvcc's program of CUTLASS 4.7.0 prints so.
  EXPECT_EQ(Sm1xxBlockScaledConfig<16>::tile_atom_to_shape_SFB(make_shape(256, 384, 128, 2)).str(),
            "(((32,4),3),((16,4),2),(1,2)):(((16,4),1024),((0,1),512),(0,3072))");
  // Blocks of 128 rows and 4 factors, one after the other along K.
  Layout l = Sm1xxBlockScaledConfig<32>::tile_atom_to_shape_SFA(make_shape(256, 64, 256, 1));
  for (int row = 0; row < 256; ++row)
    for (int k = 0; k < 256; ++k)
      ASSERT_EQ(int64_t(l(row, k, 0)),
                row / 128 * 1024 + k / 128 * 512 + row % 32 * 16 + row / 32 % 4 * 4 + k / 32 % 4)
          << row << " " << k;
}
TEST(CuteScaled, FirstOperandInTensorMemory) {
  Array<half_t, 2> A(128, 64), B(64, 64);
  Array<float, 2> C(128, 64);
  A.fill([](int64_t i) { return double(i * 7 % 13) - 6; });
  B.fill([](int64_t i) { return double(i * 5 % 11) - 5; });
  Outcome done = kernel(inside, "inside", "sm_100a")(simulator(), A, B, C);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 128; ++i)
    for (int j = 0; j < 64; ++j) {
      double sum = 0;
      for (int l = 0; l < 64; ++l)
        sum += double(A(i, l)) * double(B(j, l));
      ASSERT_EQ(double(C(i, j)), sum) << i << " " << j;
    }
}
TEST(CuteScaled, Mistakes) {
  std::vector<float_ue8m0_t> x(512);
  std::string ptx;
  Outcome done = kernel(mistakes, "mistakes", "sm_100a").ptx(ptx, x);
  const char *texts[] = {
      "make_factor_tensor: expects a column",
      "make_factor_tensor: expects up to 4 groups, or a multiple of 4, but got 6",
      "copy: expects the 1024 factors of 128 rows and 2 times 4 groups of K",
      "copy: expects factors of shared memory",
      "make_atom: ",
      "scaled_by: "};
  ASSERT_EQ(done.diagnostics.size(), std::size(texts)) << done.text();
  for (size_t i = 0; i < std::size(texts); ++i) {
    EXPECT_TRUE(done.diagnostics[i].text.starts_with(texts[i])) << done.diagnostics[i].str();
    EXPECT_TRUE(done.diagnostics[i].file.ends_with("ScaledTest.cpp"));
  }
}
/// nvcc's program of CUTLASS 4.7.0 prints so.
TEST(CuteScaled, AtomsAsCuteCxxPrints) {
  EXPECT_EQ(printedAtom(printed, "sm_100a"), "TiledMMA\n"
                                             "  ThrLayoutVMNK:  (_2,_1,_1,_1):(_1,_0,_0,_0)\n"
                                             "  PermutationMNK: (_,_,_)\n"
                                             "MMA_Atom\n"
                                             "  ThrID:      _2:_1\n"
                                             "  Shape_MNK:  (_256,_128,_16)\n"
                                             "  LayoutA_TV: (_2,(_128,_16)):(_128,(_1,_256))\n"
                                             "  LayoutB_TV: (_2,(_64,_16)):(_64,(_1,_128))\n"
                                             "  LayoutC_TV: (_2,(_128,_128)):(_128,(_1,_256))\n"
                                             "TiledMMA\n"
                                             "  ThrLayoutVMNK:  (_1,_1,_1,_1):(_0,_0,_0,_0)\n"
                                             "  PermutationMNK: (_,_,_)\n"
                                             "MMA_Atom\n"
                                             "  ThrID:      _1:_0\n"
                                             "  Shape_MNK:  (_128,_64,_16)\n"
                                             "  LayoutA_TV: (_1,(_128,_16)):(_0,(_1,_128))\n"
                                             "  LayoutB_TV: (_1,(_64,_16)):(_0,(_1,_64))\n"
                                             "  LayoutC_TV: (_1,(_128,_64)):(_0,(_1,_128))\n"
                                             "TiledMMA\n"
                                             "  ThrLayoutVMNK:  (_1,_1,_1,_1):(_0,_0,_0,_0)\n"
                                             "  PermutationMNK: (_,_,_)\n"
                                             "MMA_Atom\n"
                                             "  ThrID:      _1:_0\n"
                                             "  Shape_MNK:  (_128,_128,_32)\n"
                                             "  LayoutA_TV: (_1,(_128,_32)):(_0,(_1,_128))\n"
                                             "  LayoutB_TV: (_1,(_128,_32)):(_0,(_1,_128))\n"
                                             "  LayoutC_TV: (_1,(_128,_128)):(_0,(_1,_128))\n");
}
