// Products that a seeded generator writes, on the simulator with its sanitizer: each gives what its
// description says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All compute C = f(A B^T) of small whole numbers, of which sums are exact. What differs is the way
// there: the instruction and the formats, tiles that divide nothing, how many warps, what is
// contiguous, loads through registers, a ring of cp.async or of TMA, filled by the warps that
// multiply or by one of its own, loops of the program and of the writer, blocks that take several
// tiles, results from registers or through shared memory. test/dsl/GeneratedTest.cpp does so with
// kernels without products. TESSERA_GENERATED names a folder for the kernels as files;
// utils/quality.py looks at their code.
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

using namespace tessera::cute;
using tessera::tile::Array;
using tessera::tile::view;

namespace {

enum class Function {
  None,
  Relu,
  Half
};

struct Description {
  int m, n, k, tileM, tileN, tileK, warpsM, warpsN, stages, bytes; // of a swizzle
  bool ring, written, persistent, through, specialised, aByColumns, bByColumns;
  Function function;

  int tiles() const { return (m + tileM - 1) / tileM * ((n + tileN - 1) / tileN); }
  int blocks() const { return persistent ? (tiles() + 1) / 2 : tiles(); }
  int steps() const { return (k + tileK - 1) / tileK; }
  std::string str() const {
    std::string text;
    auto add = [&](const char *name, int value) {
      text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
    };
    add("m", m), add("n", n), add("k", k), add("tileM", tileM), add("tileN", tileN);
    add("tileK", tileK), add("warpsM", warpsM), add("warpsN", warpsN), add("stages", stages);
    add("bytes", bytes), add("ring", ring), add("written", written), add("persistent", persistent);
    add("through", through), add("specialised", specialised), add("aByColumns", aByColumns);
    add("bByColumns", bByColumns), add("function", int(function));
    return text;
  }
};
/// That of the kernel that is traced: kernels are functions without more arguments.
const Description *now = nullptr;

/// An instruction, what it multiplies and what is stored. `M`, `N`, `K`: its extents.
template <class Op, class I, class O, int M, int N, int K> struct Product {
  using In = I;
  using Out = O;
  static constexpr int m = M, n = N, k = K;
  static MMAAtom atom() { return Op{}; }
};

//===--- what all kernels share ---------------------------------------------------------------===//

Num apply(const Num &x) {
  switch (now->function) {
  case Function::None: return x;
  case Function::Relu: return max(x, 0);
  case Function::Half: return x * 0.5f;
  }
  return x;
}
float apply(float x) {
  return now->function == Function::Relu   ? std::max(x, 0.f)
         : now->function == Function::Half ? x * 0.5f
                                           : x;
}

/// `body(row, column)` for the tiles of this block.
template <class Body> void forTiles(Body body) {
  const int down = (now->m + now->tileM - 1) / now->tileM;
  if (!now->persistent)
    return body(Num(blockIdx.x) % down, Num(blockIdx.x) / down, Num(0));
  Num turn = 0;
  For(Range(blockIdx.x, now->tiles(), gridDim.x), turn, [&](Num t, Num &turn) {
    body(t % down, t / down, turn);
    turn = turn + 1;
  });
}
/// `body(i)` for the steps of K.
template <class Body> void forSteps(Body body) {
  if (now->written)
    for (int i = 0; i < now->steps(); ++i)
      body(Num(i));
  else
    For(now->steps(), [&](Num i) { body(i); });
}

/// Stores the sums of a tile of `threads` threads.
template <class P>
void store(ThrMMA thr, const Num &thread, int threads, Tensor sums, Tensor mC, const Num &row,
           const Num &column, Tensor shared) {
  auto tile = make_shape(now->tileM, now->tileN);
  Tensor gC = local_tile(mC, tile, make_coord(row, column));
  Tensor cC = local_tile(make_identity_tensor(shape(mC)), tile, make_coord(row, column));
  using Out = typename P::Out;
  Tensor out = make_fragment_like<Out>(thr.partition_C(gC));
  transform(sums, out, [](Num x) { return convert<Out>(apply(x)); });
  if (!now->through)
    return copy_if(in_bounds(thr.partition_C(cC), shape(mC)), out, thr.partition_C(gC));
  copy(out, thr.partition_C(shared));
  named_barrier_sync(1, threads);
  Layout<> by = make_layout(make_shape(threads / 8, 8), LayoutRight{});
  Tensor from = local_partition(shared, by, thread), to = local_partition(gC, by, thread),
         coords = local_partition(cC, by, thread);
  copy_if(in_bounds(coords, shape(mC)), from, to);
  named_barrier_sync(1, threads); // before the next tile
}

//===--- products of warps: mma.sync and fma --------------------------------------------------===//

template <class P> int threadsOf() {
  const bool fma = P::m == 1;
  return now->warpsM * now->warpsN * (fma ? 1 : 32);
}

/// Loads of a thread: so many neighbours at once, of rows or of columns.
template <class In> TiledCopy loads(int threads, bool byColumns, int tile) {
  const int wide = now->ring ? 16 / int(sizeof(In)) : 1;
  const int along = std::min((byColumns ? tile : now->tileK) / wide, threads);
  auto threadShape =
      byColumns ? make_shape(along, threads / along) : make_shape(threads / along, along);
  Layout<> order = byColumns ? make_layout(threadShape) : make_layout(threadShape, LayoutRight{});
  Layout<> values = byColumns ? make_layout(make_shape(wide, 1)) : make_layout(make_shape(1, wide));
  if (now->ring)
    return make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, In>{}, order, values);
  return make_tiled_copy(Copy_Atom<UniversalCopy<In>, In>{}, order, values);
}

template <class P> void warps(Tensor mA, Tensor mB, Tensor mC) {
  using In = typename P::In;
  const int threads = threadsOf<P>(), stages = now->ring ? now->stages : 1;
  auto mma = make_tiled_mma(P::atom(), make_layout(make_shape(now->warpsM, now->warpsN, 1)));
  auto tileOfK = [&](int extent, bool byColumns) {
    auto shape = make_shape(extent, now->tileK, stages);
    return byColumns ? make_layout(shape) : make_ordered_layout(shape, make_tuple(1, 0, 2));
  };
  Tensor sA = make_smem_tensor<In>(tileOfK(now->tileM, now->aByColumns)),
         sB = make_smem_tensor<In>(tileOfK(now->tileN, now->bByColumns));
  Tensor sC;
  if (now->through)
    sC = make_smem_tensor<typename P::Out>(make_layout(make_shape(now->tileM, now->tileN)));
  TiledCopy loadA = loads<In>(threads, now->aByColumns, now->tileM),
            loadB = loads<In>(threads, now->bByColumns, now->tileN);
  ThrMMA thr = mma.get_slice(threadIdx.x);
  auto tile = make_shape(now->tileM, now->tileN, now->tileK);

  forTiles([&](Num row, Num column, Num) {
    auto coord = make_coord(row, column, _);
    auto parts = [&](TiledCopy load, Tensor m, Tensor s, const IntTuple &step) {
      ThrCopy of = load.get_slice(threadIdx.x);
      return std::tuple(
          of.partition_S(local_tile(m, tile, coord, step)),
          of.partition_S(local_tile(make_identity_tensor(shape(m)), tile, coord, step)),
          of.partition_D(s));
    };
    auto [gA, cA, dA] = parts(loadA, mA, sA, Step<_1, X, _1>{});
    auto [gB, cB, dB] = parts(loadB, mB, sB, Step<X, _1, _1>{});
    Tensor rA = thr.partition_fragment_A(sA(_, _, 0)), rB = thr.partition_fragment_B(sB(_, _, 0));
    Tensor pA = thr.partition_A(sA), pB = thr.partition_B(sB);
    Tensor sums = partition_fragment_C(mma, make_shape(now->tileM, now->tileN));
    clear(sums);
    auto multiply = [&](const Num &stage) {
      copy(pA(_, _, _, stage), rA), copy(pB(_, _, _, stage), rB);
      for (int block = 0; block < int(size<2>(rA)); ++block)
        gemm(mma, rA(_, _, block), rB(_, _, block), sums);
    };
    if (!now->ring) {
      forSteps([&](Num i) {
        auto load = [&](TiledCopy by, Tensor from, Tensor coords, Tensor whole, Tensor to) {
          Tensor held = make_fragment_like(from(_, _, _, 0));
          clear(held);
          copy_if(by, in_bounds(coords(_, _, _, i), shape(whole)), from(_, _, _, i), held);
          copy(by, held, to(_, _, _, 0));
        };
        load(loadA, gA, cA, mA, dA), load(loadB, gB, cB, mB, dB);
        __syncthreads();
        multiply(0);
        __syncthreads();
      });
    } else {
      // A ring: step i is in stage i % stages; past the last step nothing is loaded.
      auto fetch = [&](const Num &i) {
        If(i < now->steps(), [&] {
          Num stage = i % stages;
          copy_if(loadA, in_bounds(cA(_, _, _, i), shape(mA)), gA(_, _, _, i), dA(_, _, _, stage));
          copy_if(loadB, in_bounds(cB(_, _, _, i), shape(mB)), gB(_, _, _, i), dB(_, _, _, stage));
        });
        cp_async_fence();
      };
      for (int i = 0; i < stages - 1; ++i)
        fetch(i);
      forSteps([&](Num i) {
        cp_async_wait(stages - 2);
        __syncthreads(); // the stage of the step before is read too
        fetch(i + (stages - 1));
        multiply(i % stages);
      });
      __syncthreads();
    }
    store<P>(thr, threadIdx.x, threads, sums, mC, row, column, sC);
  });
}
template <class P> void ofWarps(Tensor A, Tensor B, Tensor C) {
  launch(warps<P>, {.grid = {now->blocks()}, .block = threadsOf<P>()}, A, B, C);
}

//===--- products of warpgroups: wgmma from a ring that TMA fills -----------------------------===//

struct Tiles {
  TmaCopy A, B;
  auto members() { return std::tie(A, B); }
};
template <class In> Layout<> ringOf(int extent, bool byColumns) {
  auto shape = make_shape(extent, now->tileK, now->stages);
  if (byColumns)
    switch (now->bytes) {
    case 128: return tile_to_shape(GMMA::Layout_MN_SW128_Atom<In>{}, shape);
    case 64: return tile_to_shape(GMMA::Layout_MN_SW64_Atom<In>{}, shape);
    default: return tile_to_shape(GMMA::Layout_MN_SW32_Atom<In>{}, shape);
    }
  switch (now->bytes) {
  case 128: return tile_to_shape(GMMA::Layout_K_SW128_Atom<In>{}, shape);
  case 64: return tile_to_shape(GMMA::Layout_K_SW64_Atom<In>{}, shape);
  default: return tile_to_shape(GMMA::Layout_K_SW32_Atom<In>{}, shape);
  }
}
constexpr int group = 128;

template <class P> void warpgroups(Tiles tma, Tensor mC) {
  using In = typename P::In;
  const int groups = now->warpsM, threads = groups * group, stages = now->stages;
  Tensor sA = make_smem_tensor<In>(ringOf<In>(now->tileM, now->aByColumns)),
         sB = make_smem_tensor<In>(ringOf<In>(now->tileN, now->bByColumns));
  Tensor sC;
  if (now->through)
    sC = make_smem_tensor<typename P::Out>(make_layout(make_shape(now->tileM, now->tileN)));
  PipelineTmaAsync ring(stages, threads / 32,
                        (now->tileM + now->tileN) * now->tileK * int(sizeof(In)));
  auto mma = make_tiled_mma(P::atom(), make_layout(make_shape(groups, 1, 1)));
  ThrMMA thr = mma.get_slice(threadIdx.x);
  auto tile = make_shape(now->tileM, now->tileN, now->tileK);
  Num warp = canonical_warp_idx_sync();
  auto at = [&](const Num &fill, int start) { // where fill number `fill` of the ring goes
    return PipelineState{fill % stages, (fill / stages % 2) ^ start, stages};
  };
  auto fill = [&](const Num &row, const Num &column, const Num &step, const Num &number) {
    auto coord = make_coord(row, column, _);
    auto load = [&](const TmaCopy &by, Tensor s, const IntTuple &projection) {
      auto [from, to] = tma_partition(
          by, 0, make_layout(1), group_modes<0, 2>(s),
          group_modes<0, 2>(local_tile(by.get_tma_tensor(), tile, coord, projection)));
      PipelineState state = at(number, 1);
      copy(by.with(ring.producer_get_barrier(state)), from(_, step), to(_, state.index));
    };
    ring.producer_acquire(at(number, 1));
    load(tma.A, sA, Step<_1, X, _1>{});
    load(tma.B, sB, Step<X, _1, _1>{});
  };
  auto consume = [&] {
    Tensor rA = thr.make_fragment_A(thr.partition_A(sA)),
           rB = thr.make_fragment_B(thr.partition_B(sB));
    forTiles([&](Num row, Num column, Num turn) {
      Tensor sums = partition_fragment_C(mma, make_shape(now->tileM, now->tileN));
      clear(sums);
      Num first = turn * now->steps();
      auto own = [&](const Num &i) { // of the warps that multiply, the first also loads
        if (!now->specialised)
          If((warp == 0) & (i < now->steps()), [&] { fill(row, column, i, first + i); });
      };
      for (int i = 0; i < stages - 1; ++i)
        own(i);
      forSteps([&](Num i) {
        own(i + (stages - 1));
        PipelineState state = at(first + i, 0);
        ring.consumer_wait(state);
        warpgroup_arrive();
        gemm(mma, rA(_, _, _, state.index), rB(_, _, _, state.index), sums);
        warpgroup_commit_batch();
        warpgroup_wait<0>();
        If(Num(threadIdx.x) % 32 == 0, [&] { ring.consumer_release(state); });
      });
      store<P>(thr, threadIdx.x, threads, sums, mC, row, column, sC);
    });
  };
  if (!now->specialised)
    return consume();
  If(
      warp == groups * 4,
      [&] {
        forTiles([&](Num row, Num column, Num turn) {
          forSteps([&](Num i) { fill(row, column, i, turn * now->steps() + i); });
        });
      },
      consume);
}
template <class P> void ofWarpgroups(Tensor A, Tensor B, Tensor C) {
  using In = typename P::In;
  Tiles tma{make_tma_copy(SM90_TMA_LOAD{}, A, ringOf<In>(now->tileM, now->aByColumns)),
            make_tma_copy(SM90_TMA_LOAD{}, B, ringOf<In>(now->tileN, now->bByColumns))};
  launch(warpgroups<P>,
         {.grid = {now->blocks()}, .block = now->warpsM * group + (now->specialised ? 32 : 0)}, tma,
         C);
}

//===--- what is generated --------------------------------------------------------------------===//

/// A kind of product: how it is written, and what it may be.
struct Kind {
  const char *name, *arch;
  bool group; // a warpgroup's
  int m, n, k, elementBytes;
  void (*host)(Tensor, Tensor, Tensor);
  void (*run)(unsigned seed, const Kind &);
};

template <class P> void run(unsigned seed, const Kind &kind) {
  using In = typename P::In;
  const Description &d = *now;
  Array<In, 2> A(d.aByColumns ? d.k : d.m, d.aByColumns ? d.m : d.k),
      B(d.bByColumns ? d.k : d.n, d.bByColumns ? d.n : d.k);
  Array<typename P::Out, 2> C(d.m, d.n);
  std::mt19937 numbers(seed);
  for (int64_t i = 0; i < A.size(); ++i)
    A[i] = In(float(int(numbers() % 5) - 2));
  for (int64_t i = 0; i < B.size(); ++i)
    B[i] = In(float(int(numbers() % 5) - 2));
  auto viewOf = [&](Array<In, 2> &a, int rows, bool byColumns) {
    return byColumns ? view(a.data(), {rows, d.k}, {1, rows})
                     : view(a.data(), {rows, d.k}, {d.k, 1});
  };
  auto k = kernel(kind.host, "product", kind.arch);
  auto a = viewOf(A, d.m, d.aByColumns), b = viewOf(B, d.n, d.bByColumns);
  if (const char *folder = std::getenv("TESSERA_GENERATED")) {
    std::string text;
    Outcome written = k.ir(text, a, b, C);
    ASSERT_TRUE(written) << written.text();
    std::ofstream(std::string(folder) + "/product" + (seed < 10 ? "0" : "") + std::to_string(seed) +
                  "-" + kind.arch + ".mlir")
        << text;
  }
  Outcome done = k(simulator(), a, b, C);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < d.m; ++i)
    for (int j = 0; j < d.n; ++j) {
      float sum = 0;
      for (int l = 0; l < d.k; ++l)
        sum += float(d.aByColumns ? A(l, i) : A(i, l)) * float(d.bByColumns ? B(l, j) : B(j, l));
      ASSERT_EQ(float(C(i, j)), apply(sum)) << i << ", " << j;
    }
}

template <class P> Kind kindOf(const char *name, const char *arch) {
  constexpr bool group = P::m == 64;
  if constexpr (group)
    return {name,  arch, true, P::m, P::n, P::k, int(sizeof(typename P::In)), ofWarpgroups<P>,
            run<P>};
  else
    return {name, arch, false, P::m, P::n, P::k, int(sizeof(typename P::In)), ofWarps<P>, run<P>};
}
constexpr auto K = GMMA::Major::K, MN = GMMA::Major::MN;
template <GMMA::Major A, GMMA::Major B> using Group64 = SM90_64x64x16_F32F16F16_SS<A, B>;

/// Products that leave no mode open, and of halves those of each pair of contiguous modes.
std::vector<Kind> kinds() {
  return {
      kindOf<Product<UniversalFMA<float>, float, float, 1, 1, 1>>("fma", "sm_80"),
      kindOf<Product<SM80_16x8x16_F32F16F16F32_TN, half_t, float, 16, 8, 16>>("f16", "sm_80"),
      kindOf<Product<SM80_16x8x16_F16F16F16F16_TN, half_t, half_t, 16, 8, 16>>("f16 in f16",
                                                                               "sm_80"),
      kindOf<Product<SM80_16x8x8_F32BF16BF16F32_TN, bfloat16_t, bfloat16_t, 16, 8, 8>>("bf16",
                                                                                       "sm_80"),
      kindOf<Product<SM80_16x8x8_F32TF32TF32F32_TN, tfloat32_t, float, 16, 8, 8>>("tf32", "sm_80"),
      kindOf<Product<SM80_16x8x32_S32S8S8S32_TN, int8_t, int32_t, 16, 8, 32>>("s8", "sm_80"),
      kindOf<Product<SM80_8x8x4_F64F64F64F64_TN, double, double, 8, 8, 4>>("f64", "sm_80"),
      kindOf<Product<Group64<K, K>, half_t, float, 64, 64, 16>>("wgmma kk", "sm_90a"),
      kindOf<Product<Group64<MN, K>, half_t, half_t, 64, 64, 16>>("wgmma mk", "sm_90a"),
      kindOf<Product<Group64<K, MN>, half_t, float, 64, 64, 16>>("wgmma km", "sm_90a"),
      kindOf<Product<SM90_64x32x16_F32BF16BF16_SS<MN, MN>, bfloat16_t, float, 64, 32, 16>>(
          "wgmma of bf16", "sm_90a"),
      kindOf<Product<SM90_64x96x32_F32E4M3E4M3_SS_TN<>, float_e4m3_t, float, 64, 96, 32>>(
          "wgmma of e4m3", "sm_90a"),
  };
}

Description describe(unsigned seed, const Kind &kind) {
  std::mt19937 chance(seed * 7919 + 1);
  auto one = [&](std::initializer_list<int> of) { return of.begin()[chance() % of.size()]; };
  Description d;
  const int bytes = kind.elementBytes, wide = 16 / bytes;
  d.written = chance() % 2, d.persistent = chance() % 3 == 0, d.through = chance() % 2;
  d.function =
      kind.elementBytes == 1 && !kind.group ? Function(chance() % 2) : Function(chance() % 3);
  d.stages = one({2, 3, 4});
  d.bytes = one({32, 64, 128});
  d.specialised = chance() % 2;
  if (kind.group) {
    std::string name = kind.name;
    d.aByColumns = name.ends_with("mk") || name.ends_with("bf16");
    d.bByColumns = name.ends_with("km") || name.ends_with("bf16");
    d.ring = true;
    d.warpsM = one({1, 2}), d.warpsN = 1;
    d.tileM = 64 * d.warpsM, d.tileN = kind.n * one({1, 2});
    if (d.bByColumns) // whole swizzled rows
      while (d.tileN * bytes % d.bytes)
        d.bytes /= 2;
    d.tileK = std::max(kind.k, d.bytes / bytes) * one({1, 2});
  } else {
    const bool fma = kind.m == 1;
    d.aByColumns = fma && chance() % 2, d.bByColumns = fma && chance() % 2;
    d.ring = chance() % 2;
    d.warpsM = fma ? one({8, 16}) : one({1, 2}), d.warpsN = fma ? one({8, 16}) : one({1, 2, 4});
    d.tileM = kind.m * d.warpsM * (fma ? one({4, 8}) : one({1, 2}));
    d.tileN = kind.n * d.warpsN * (fma ? one({4, 8}) : one({1, 2, 4}));
    d.tileK = std::max(kind.k, wide) * one({1, 2});
    // A copy of all threads moves whole tiles.
    const int threads = fma ? d.warpsM * d.warpsN : d.warpsM * d.warpsN * 32;
    auto fits = [&](int tile, bool byColumns) {
      const int width = d.ring ? wide : 1,
                along = std::min((byColumns ? tile : d.tileK) / width, threads);
      return threads % along == 0 && (byColumns ? d.tileK : tile) % (threads / along) == 0;
    };
    while (!fits(d.tileM, d.aByColumns))
      d.tileM *= 2;
    while (!fits(d.tileN, d.bByColumns))
      d.tileN *= 2;
  }
  // A block of sm_80 has 163 KiB, one of sm_90 227.
  const int stage = (d.tileM + d.tileN) * d.tileK * bytes, most = kind.group ? 220'000 : 160'000;
  auto memory = [&] {
    return (d.ring ? d.stages : 1) * stage + (d.through ? d.tileM * d.tileN * 8 : 0);
  };
  d.through &= d.tileM * d.tileN <= 12'000;
  while (d.stages > 2 && memory() > most)
    --d.stages;
  // TMA and cp.async of 16 bytes take rows whose lengths are multiples of that.
  const int step = d.ring ? wide : 1;
  auto extent = [&](int of, bool whole) {
    return (of + (whole ? step : 1) - 1) / (whole ? step : 1) * (whole ? step : 1);
  };
  d.m = extent(one({1, 7, 40, 65, 130}), d.aByColumns),
  d.n = extent(one({1, 9, 33, 64, 100}), d.bByColumns);
  d.k = extent(one({1, 16, 30, 64, 100}), !d.aByColumns || !d.bByColumns);
  return d;
}

class GeneratedProducts : public testing::TestWithParam<unsigned> {};
TEST_P(GeneratedProducts, GiveWhatTheirDescriptionsSay) {
  const std::vector<Kind> all = kinds();
  for (unsigned i = 0; i < all.size() && !HasFatalFailure(); ++i) {
    const unsigned seed = GetParam() * unsigned(all.size()) + i;
    const Description d = describe(seed, all[i]);
    SCOPED_TRACE(std::string(all[i].name) + ", seed " + std::to_string(seed) + ": " + d.str());
    now = &d;
    all[i].run(seed, all[i]);
  }
  now = nullptr;
}
INSTANTIATE_TEST_SUITE_P(Rounds, GeneratedProducts,
                         testing::Range(0u, std::getenv("TESSERA_LONG") ? 100u : 6u));

} // namespace
