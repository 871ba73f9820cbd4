// Copies and products by all threads of a block, on the simulator with its sanitizer, beside what
// the host computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;
using tessera::tile::view;

namespace {
std::function<void(Tensor, Tensor, Tensor)> body;
int threads = 1;
void device(Tensor x, Tensor y, Tensor z) { body(x, y, z); }
void host(Tensor x, Tensor y, Tensor z) { launch(device, {.block = threads}, x, y, z); }
template <class... A>
Outcome run(int count, std::function<void(Tensor, Tensor, Tensor)> does, A &...a) {
  body = std::move(does), threads = count;
  return kernel(host, "k")(simulator(), a...);
}
template <class T> std::vector<T> small(size_t n, int seed) {
  std::vector<T> x;
  for (size_t i = 0; i < n; ++i)
    x.push_back(T(int(i * size_t(seed) % 11) - 5));
  return x;
}

/// From global memory of dynamic strides to shared memory and back to other strides.
template <class T, uint32_t Threads, uint32_t Bits>
void copies(int m, int n, bool isRowMajor, const Layout<> &shared) {
  std::vector<T> x = small<T>(size_t(m * n), 7), y(size_t(m * n + 8 * n));
  auto from = isRowMajor ? view(x.data(), {m, n}) : view(x.data(), {m, n}, {1, m});
  auto to = view(y.data(), {m, n}, {1, m + 8});
  std::vector<int> none(4);
  Outcome done = run(
      int(Threads),
      [&](Tensor x, Tensor y, Tensor) {
        Tensor s = make_smem_tensor<T>(shared);
        auto tile = [&](Tensor t) { return local_tile(t, make_shape(m, n), make_coord(0, 0)); };
        cooperative_copy<Threads, Bits>(threadIdx.x, tile(x), s);
        __syncthreads();
        cooperative_copy<Threads>(threadIdx.x, s, tile(y));
      },
      from, to, none);
  ASSERT_TRUE(done) << m << " x " << n << ", " << shared.str() << done.text();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      EXPECT_EQ(double(y[size_t(i + j * (m + 8))]),
                double(x[size_t(isRowMajor ? i * n + j : i + j * m)]))
          << m << " x " << n << ", " << shared.str() << ", (" << i << ", " << j << ")";
}
template <class T, uint32_t Threads, uint32_t Bits> void copiesOfAllOrders(int m, int n) {
  for (bool isRowMajor : {false, true})
    for (const Layout<> &shared :
         {make_layout(make_shape(m, n)), make_layout(make_shape(m, n), LayoutRight{}),
          make_layout(make_shape(m, n), make_stride(1, m + 4)),
          make_layout(make_shape(m, n), make_stride(n + 1, 1))})
      copies<T, Threads, Bits>(m, n, isRowMajor, shared);
}
} // namespace

TEST(CuteCooperative, CopiesReachEveryElementOnce) {
  copiesOfAllOrders<float, 32, 128>(16, 8);
  copiesOfAllOrders<half_t, 64, 64>(8, 24);
  copiesOfAllOrders<int8_t, 96, 128>(16, 20); // threads that do not divide the elements
  copiesOfAllOrders<double, 256, 128>(8, 8);  // more threads than elements
  copiesOfAllOrders<uint16_t, 33, 32>(7, 5);  // odd extents
}
TEST(CuteCooperative, CopiesToSwizzledMemory) {
  for (bool isRowMajor : {false, true}) {
    copies<half_t, 128, 128>(
        64, 64, isRowMajor,
        tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(_64{}, _64{})));
    copies<half_t, 128, 128>(
        64, 32, isRowMajor,
        tile_to_shape(GMMA::Layout_MN_SW64_Atom<half_t>{}, make_shape(_64{}, _32{})));
    copies<float, 64, 128>(
        8, 32, isRowMajor,
        composition(Swizzle<2, 2, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}));
    copies<float, 64, 128>(8, 32, isRowMajor,
                           composition(Swizzle<3, 0, 3>{}, Layout<Shape<_8, _32>>{}));
  }
}
/// Long vectors where tensors allow them, also by cp.async.
TEST(CuteCooperative, CopiesAreWide) {
  std::vector<float> x = small<float>(1024, 7), y(1024), none(4);
  std::string ptx;
  auto does = [](Tensor x, Tensor y, Tensor) {
    Tensor s = make_smem_tensor<float>(make_layout(make_shape(32, 32)));
    auto tile = [&](Tensor t) { return make_tensor(t.data(), make_shape(32, 32)); };
    cooperative_copy<64, 128>(threadIdx.x, tile(x), s, SM80_CP_ASYNC_CACHEALWAYS<uint128_t>{});
    cp_async_fence(), cp_async_wait<0>();
    __syncthreads();
    cooperative_copy<64, 128>(threadIdx.x, s, tile(y));
  };
  Outcome done = run(64, does, x, y, none);
  ASSERT_TRUE(done) << done.text();
  EXPECT_EQ(x, y);
  ASSERT_TRUE(kernel(host, "k").ptx(ptx, x, y, none));
  EXPECT_NE(ptx.find("cp.async.ca.shared.global"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("st.global.v4"), std::string::npos) << ptx;
}

namespace {
/// C = alpha f(A) g(B) + beta C in memory of the block, with extents that need not be those of the
/// product's tiles.
struct Gemm {
  int m, n, k;
  double alpha = 1, beta = 0;
  bool hasFunctions = false;
  bool isDynamic = false; // beta
};
template <class In, class Out, class Sum, class Mma> void product(const Mma &make, const Gemm &g) {
  std::vector<In> a = small<In>(size_t(g.m * g.k), 7), b = small<In>(size_t(g.n * g.k), 5);
  std::vector<Out> c = small<Out>(size_t(g.m * g.n), 3), before = c;
  TiledMMA mma = make();
  Outcome done = run(
      size(mma),
      [&](Tensor x, Tensor y, Tensor z) {
        TiledMMA mma = make();
        auto all = [](Tensor t, int rows, int columns) {
          return make_tensor(t.data(), make_layout(make_shape(rows, columns), LayoutRight{}));
        };
        Tensor A = make_smem_tensor<In>(make_layout(make_shape(g.m, g.k), LayoutRight{})),
               B = make_smem_tensor<In>(make_layout(make_shape(g.n, g.k), LayoutRight{})),
               C = make_smem_tensor<Out>(make_layout(make_shape(g.m, g.n)));
        auto copyAll = [&](const Tensor &from, const Tensor &to) {
          For(Range(threadIdx.x, size(from), blockDim.x), [&](Num i) { to(i) = from(i); });
        };
        copyAll(all(x, g.m, g.k), A), copyAll(all(y, g.n, g.k), B);
        if (g.beta != 0)
          copyAll(all(z, g.m, g.n), C);
        __syncthreads();
        Num alpha = convert<Sum>(Num(int(g.alpha * 4)));
        alpha = std::is_integral_v<Sum> ? alpha / 4 : alpha * 0.25;
        Num beta = convert<Sum>(Num(int(g.beta)));
        if (g.isDynamic)
          beta = beta * convert<Sum>(Num(gridDim.x));
        auto twice = [](const auto &x) { return x + x; };
        auto plusOne = [](const auto &x) { return x + convert<In>(Num(1)); };
        if (g.hasFunctions)
          cooperative_gemm(threadIdx.x, mma, alpha, A, B, beta, C, plusOne, twice, twice, twice);
        else if (g.beta != 0 || g.isDynamic)
          cooperative_gemm(threadIdx.x, mma, alpha, A, B, beta, C);
        else
          cooperative_gemm(threadIdx.x, mma, alpha, A, B, 0.0f, C);
        __syncthreads();
        copyAll(C, all(z, g.m, g.n));
      },
      a, b, c);
  ASSERT_TRUE(done) << g.m << " x " << g.n << " x " << g.k << ": " << done.text();
  for (int i = 0; i < g.m; ++i)
    for (int j = 0; j < g.n; ++j) {
      double sum = 0, one = g.hasFunctions ? 1 : 0, two = g.hasFunctions ? 2 : 1;
      for (int l = 0; l < g.k; ++l)
        sum += (double(a[size_t(i * g.k + l)]) + one) * two * double(b[size_t(j * g.k + l)]);
      double old = g.beta ? g.beta * two * double(before[size_t(i * g.n + j)]) : 0;
      EXPECT_EQ(double(c[size_t(i * g.n + j)]), two * (g.alpha * sum + old))
          << g.m << " x " << g.n << " x " << g.k << " (" << i << ", " << j << ")";
    }
}
TiledMMA halves() {
  return make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{});
}
TiledMMA floats() { return make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_8, _4, _1>>{}); }
TiledMMA doubles() {
  return make_tiled_mma(SM80_8x8x4_F64F64F64F64_TN{}, Layout<Shape<_2, _1, _1>>{});
}
TiledMMA bytes() {
  return make_tiled_mma(SM80_16x8x32_S32S8S8S32_TN{}, Layout<Shape<_1, _2, _1>>{});
}
/// A matrix through shared memory by cp.async, whole and then its first elements of each thread.
void async_device(Tensor x, Tensor y) {
  Layout<> all = Layout<Shape<_8, _64>, Stride<_64, _1>>{}, threads = Layout<Shape<_1, _32>>{};
  Tensor gx = make_tensor(x.data(), all), s = make_smem_tensor<float>(all);
  prefetch(gx(0, _));                        // 256 bytes: 4 pieces
  cooperative_prefetch<32>(threadIdx.x, gx); // 32 pieces: one a thread
  Tensor from = local_partition(gx, threads, threadIdx.x),
         through = local_partition(s, threads, threadIdx.x),
         to = local_partition(make_tensor(y.data(), all), threads, threadIdx.x);
  Tensor pred = make_tensor<bool>(shape(from));
  for (int i = 0; i < size(pred); ++i)
    pred(i) = Num(i < 12);
  copy(AutoCopyAsync{}, from, through);
  cp_async_fence(), cp_async_wait<0>();
  copy(through, to);
  copy_if(AutoCopyAsync{}, pred, to, through); // zeros elsewhere
  cp_async_fence(), cp_async_wait<0>();
  copy(through, to);
}
void async(Tensor x, Tensor y) { launch(async_device, {.block = 32}, x, y); }
void refused_device(Tensor x) {
  prefetch(x);
  prefetch(make_tensor<float>(make_shape(4)));
  copy(AutoCopyAsync{}, make_tensor<half_t>(make_shape(4)), make_tensor<float>(make_shape(4)));
}
void refused(Tensor x) { launch(refused_device, {.block = 32}, x); }
int countOf(const std::string &text, const char *part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at)
    ++count;
  return count;
}
} // namespace

TEST(CuteCooperative, ProductsOfWholeTiles) {
  product<half_t, float, float>(halves, {32, 32, 32});
  product<half_t, float, float>(halves, {64, 16, 48, 2, 3});
  product<float, float, float>(floats, {16, 8, 5, 0.5, 2});
  product<double, double, double>(doubles, {32, 8, 8, 3, 1});
  product<int8_t, int, int>(bytes, {32, 32, 64, 2, 1});
  product<half_t, half_t, float>(halves, {32, 16, 16, 0.25, 1, true});
}
TEST(CuteCooperative, ProductsOfRaggedExtents) {
  product<half_t, float, float>(halves, {33, 17, 31, 1, 2});
  product<half_t, float, float>(halves, {5, 70, 16});
  product<half_t, half_t, float>(halves, {47, 19, 20, 0.5, 1, true});
  product<float, float, float>(floats, {13, 7, 3, 1, 1});
  product<double, double, double>(doubles, {9, 15, 5, 2, 0});
  product<int8_t, int, int>(bytes, {17, 9, 33, 1, 1});
  product<half_t, float, float>(halves, {31, 15, 17, 1, 2, false, true});
}
/// Elements of other types than the product takes are converted, as CuTe C++ assigns them.
TEST(CuteCooperative, ProductsConvertElements) {
  product<float, half_t, float>(halves, {32, 16, 32, 1, 1});
  product<float, float, float>(halves, {30, 16, 32, 1, 1});
}
/// The second form: C is the thread's fragment, and ldmatrix loads the operands.
TEST(CuteCooperative, ProductsIntoAFragment) {
  std::vector<half_t> a = small<half_t>(32 * 32, 7), b = small<half_t>(32 * 32, 5);
  std::vector<float> c(32 * 32);
  std::string ptx;
  auto does = [](Tensor x, Tensor y, Tensor z) {
    TiledMMA mma = halves();
    Layout rows = make_layout(make_shape(32, 32), LayoutRight{});
    Tensor A = make_smem_tensor<half_t>(rows), B = make_smem_tensor<half_t>(rows);
    cooperative_copy<128, 128>(threadIdx.x, make_tensor(x.data(), rows), A);
    cooperative_copy<128, 128>(threadIdx.x, make_tensor(y.data(), rows), B);
    __syncthreads();
    Tensor C = make_tensor(z.data(), rows);
    Tensor own = partition_fragment_C(mma, make_shape(32, 32));
    clear(own);
    for (int i = 0; i < 2; ++i)
      cooperative_gemm(threadIdx.x, mma, A, B, own, identity{}, identity{}, SM75_U32x4_LDSM_N{},
                       SM75_U32x2_LDSM_N{});
    copy(own, mma.get_slice(threadIdx.x).partition_C(C));
  };
  Outcome done = run(128, does, a, b, c);
  ASSERT_TRUE(done) << done.text();
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j < 32; ++j) {
      float sum = 0;
      for (size_t l = 0; l < 32; ++l)
        sum += float(a[i * 32 + l]) * float(b[j * 32 + l]);
      EXPECT_EQ(c[i * 32 + j], 2 * sum);
    }
  ASSERT_TRUE(kernel(host, "k").ptx(ptx, a, b, c));
  EXPECT_NE(ptx.find("ldmatrix.sync.aligned.m8n8.x4"), std::string::npos);
}

TEST(CuteCooperative, AsyncCopiesAndPrefetches) {
  tessera::tile::Array<float, 2> x(8, 64), y(8, 64);
  x.fill([](int64_t i) { return double(i); });
  auto k = kernel(async, "async");
  std::string ptx;
  ASSERT_TRUE(k.ptx(ptx, x, y));
  EXPECT_EQ(countOf(ptx, "prefetch.global.L2"), 5);
  EXPECT_EQ(countOf(ptx, "cp.async.ca"), 2 * 16);
  Outcome done = k(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 64; ++j)
      EXPECT_EQ(y(i, j), i + 8 * (j / 32) < 12 ? x(i, j) : 0) << i << ", " << j;
  Outcome wrong = kernel(refused, "refused").ptx(ptx, x);
  ASSERT_EQ(wrong.diagnostics.size(), 3u) << wrong.text();
  EXPECT_EQ(wrong.diagnostics[0].text, "prefetch: expects a static shape, but got (?,?)");
  EXPECT_EQ(wrong.diagnostics[1].text, "prefetch: expects a tensor of global memory");
  EXPECT_TRUE(wrong.diagnostics[2].text.starts_with("copy: expects elements of one type"));
}
