// Pointers, copies of a promised alignment, parts of tensors and numbers, by all their names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tessera::cute;

namespace {
std::function<void(Tensor, Tensor)> body;
void device(Tensor x, Tensor y) { body(x, y); }
void host(Tensor x, Tensor y) { launch(device, {.block = 32}, x, y); }

/// A kernel of one block of 32 threads on the simulator: y of x.
template <class To = float, class From = float>
std::vector<To> run(std::function<void(Tensor, Tensor)> does, std::vector<From> x, size_t outputs) {
  body = std::move(does);
  std::vector<To> y(outputs, To(-1));
  Outcome done = kernel(host, "k")(simulator(), x, y);
  EXPECT_TRUE(done) << done.text();
  return y;
}
template <class T = float> std::vector<T> upTo(int n) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i)
    x.push_back(T(float(i)));
  return x;
}
std::string ptxOf(std::function<void(Tensor, Tensor)> does) {
  body = std::move(does);
  std::vector<float> x(1024), y(1024);
  std::string ptx;
  Outcome done = kernel(host, "k").ptx(ptx, x, y);
  EXPECT_TRUE(done) << done.text();
  return ptx;
}
bool has(const std::string &text, const char *what) { return text.find(what) != text.npos; }
} // namespace

//===--- numbers ------------------------------------------------------------------------------===//

TEST(CuteNames, NumbersInTypes) {
#define NUMBER(N) static_assert(_##N::value == N && std::is_same_v<_##N, Int<N>>);
#define EIGHT(A, B, C, D, E, F, G, H)                                                              \
  NUMBER(A) NUMBER(B) NUMBER(C) NUMBER(D) NUMBER(E) NUMBER(F) NUMBER(G) NUMBER(H)
  EIGHT(0, 1, 2, 3, 4, 5, 6, 7)
  EIGHT(8, 9, 10, 12, 16, 24, 32, 40)
  EIGHT(48, 56, 64, 72, 80, 88, 96, 104)
  EIGHT(112, 120, 128, 136, 144, 152, 160, 168)
  EIGHT(176, 184, 192, 200, 208, 216, 224, 232)
  EIGHT(240, 248, 256, 384, 512, 768, 1024, 2048)
  EIGHT(4096, 8192, 16384, 32768, 65536, 0, 1, 2)
#undef EIGHT
#undef NUMBER
}
/// Beside C's operators on the same numbers.
TEST(CuteNames, AssignmentsWithAnOperator) {
  std::vector<int> y = run<int, int>(
      [](Tensor x, Tensor y) {
        int at = 0;
        auto keep = [&](const Num &n) { y(at++) = n; };
#define KEEP(OP)                                                                                   \
  {                                                                                                \
    Num n = x(0), known = 1000;                                                                    \
    n OP x(1), known OP 7;                                                                         \
    keep(n), keep(known);                                                                          \
  }
        If(thread0(), [&] {
          KEEP(+=)
          KEEP(-=)
          KEEP(*=)
          KEEP(/=)
          KEEP(%=) KEEP(&=) KEEP(|=) KEEP(^=) KEEP(<<=) KEEP(>>=) Num n = x(0), m = ++n, k = --n;
          keep(m), keep(k), keep(~n), keep(~Num(6));
          y(at) = 5, y(at) -= n;
          ++at;
          y(at) = 5, y(at) *= n;
        });
#undef KEEP
      },
      {1000, 7}, 26);
  std::vector<int> want;
  for (int n : {1000 + 7, 1000 - 7, 1000 * 7, 1000 / 7, 1000 % 7, 1000 & 7, 1000 | 7, 1000 ^ 7,
                1000 << 7, 1000 >> 7})
    want.insert(want.end(), {n, n});
  want.insert(want.end(), {1001, 1000, ~1000, ~6, 5 - 1000, 5 * 1000});
  EXPECT_EQ(y, want);
}
TEST(CuteNames, QuotientsPowersAndShifts) {
  std::vector<float> x;
  for (int i = 0; i < 32; ++i)
    x.push_back(0.37f + 1.9f * float(i));
  std::vector<float> y = run(
      [](Tensor x, Tensor y) {
        Num v = x(threadIdx.x), i = threadIdx.x;
        y(threadIdx.x) = fast_divide(v, 3.7f);
        y(i + 32) = fast_divide(1.0f, v);
        y(i + 64) = pow(v, 1.5f);
        y(i + 96) = convert<float>(shiftr(i * 1000 - 9000, 4));
        y(i + 128) = convert<float>(shiftr(i, -4));
        y(i + 160) = convert<float>(shiftr(convert<uint32_t>(i - 1), 28));
        y(i + 192) = shfl_up_sync(v, 5);
      },
      x, 224);
  for (size_t i = 0; i < 32; ++i) {
    double v = x[i];
    EXPECT_NEAR(y[i], v / 3.7f, v / 3.7f * 0x1p-21);
    EXPECT_NEAR(y[i + 32], 1 / v, 1 / v * 0x1p-21);
    EXPECT_NEAR(y[i + 64], std::pow(v, 1.5), std::pow(v, 1.5) * 0x1p-20);
    EXPECT_EQ(y[i + 96], float((int(i) * 1000 - 9000) >> 4));
    EXPECT_EQ(y[i + 128], float(i << 4));
    EXPECT_EQ(y[i + 160], i ? 0.f : 15.f); // of the largest uint32_t
    EXPECT_EQ(y[i + 192], x[i < 5 ? i : i - 5]);
  }
}
/// Two bits after the binary point; none of the numbers is in the middle of two others.
TEST(CuteNames, NumbersOfE5M2) {
  body = [](Tensor x, Tensor y) {
    y(threadIdx.x) = convert<float>(convert<float_e5m2_t>(x(threadIdx.x)));
  };
  std::vector<float> x, y(32);
  for (int i = 0; i < 32; ++i)
    x.push_back(0.37f + 1.9f * float(i));
  Outcome done = kernel(host, "k", "sm_90")(simulator(), x, y);
  ASSERT_TRUE(done) << done.text();
  for (size_t i = 0; i < 32; ++i) {
    double unit = std::exp2(std::floor(std::log2(x[i])) - 2);
    EXPECT_EQ(y[i], std::round(x[i] / unit) * unit);
  }
}
TEST(CuteNames, LeavesOfATuple) {
  // As CuTe C++ 4.7.0 visits them.
  std::string seen;
  for_each_leaf(make_shape(_3{}, make_shape(_4{}, make_shape(_5{}), 6), _7{}),
                [&](const IntTuple &leaf) { seen += leaf.str() + " "; });
  EXPECT_EQ(seen, "3 4 5 6 7 ");
  seen.clear();
  for_each_leaf(_8{}, [&](const IntTuple &leaf) { seen += leaf.str() + " "; });
  EXPECT_EQ(seen, "8 ");
  std::vector<int> y = run<int>(
      [](Tensor x, Tensor y) {
        Num sum = 0;
        for_each_leaf(make_coord(threadIdx.x, make_coord(5, size(x))),
                      [&](const IntTuple &leaf) { sum += Num(leaf); });
        y(threadIdx.x) = sum;
      },
      upTo(100), 32);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(y[size_t(i)], i + 105);
}

//===--- pointers -----------------------------------------------------------------------------===//

// In CuTe C++ this moves the tensor; here it would change nothing.
static_assert(!std::is_assignable_v<decltype(std::declval<Tensor &>().data()), Pointer>);
TEST(CuteNames, PointersToEachMemory) {
  std::vector<float> y = run(
      [](Tensor x, Tensor y) {
        Tensor from = make_tensor(make_gmem_ptr(x.data() + 32), make_shape(32));
        Tensor s = make_tensor(make_smem_ptr(allocate_smem<float>(40) + 8), make_shape(32));
        Tensor r = make_tensor<float>(make_shape(4));
        Tensor second = make_tensor(make_rmem_ptr(r.data() + 2), make_shape(2));
        s(threadIdx.x) = from(threadIdx.x);
        syncthreads();
        clear(r);
        second(1) = s(31 - Num(threadIdx.x));
        Tensor to = make_tensor(make_gmem_ptr(y.data()), Layout<Shape<_32, _4>>{});
        for (int i = 0; i < 4; ++i)
          to(threadIdx.x, i) = r(i);
      },
      upTo(64), 128);
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(y[i], i / 32 == 3 ? float(63 - i % 32) : 0.f) << i;
}
/// With a type, a pointer to other elements.
TEST(CuteNames, PointersToOtherElements) {
  std::vector<int> y = run<int>(
      [](Tensor x, Tensor y) {
        Tensor bits = make_tensor(make_gmem_ptr<int>(x.data()), make_shape(32));
        Tensor s = make_tensor(make_smem_ptr<int16_t>(allocate_smem<int>(32)), make_shape(64));
        Tensor r = make_tensor<float>(make_shape(1));
        r(0) = x(threadIdx.x);
        Tensor own = make_tensor(make_rmem_ptr<int>(r.data()), make_shape(1));
        s(Num(threadIdx.x) * 2) = bits(threadIdx.x), s(Num(threadIdx.x) * 2 + 1) = 3;
        y(threadIdx.x) = make_tensor(recast_ptr<int>(s.data()), make_shape(32))(threadIdx.x);
        y(Num(threadIdx.x) + 32) = own(0);
      },
      upTo(32), 64);
  for (size_t i = 0; i < 32; ++i) {
    int bits = std::bit_cast<int>(float(i));
    EXPECT_EQ(y[i], (bits & 0xffff) | 3 << 16);
    EXPECT_EQ(y[i + 32], bits);
  }
}
/// As in CuTe C++, where smem_ptr[32b] has Sw<3,4,3> too: a word has the halves of one row.
TEST(CuteNames, OtherElementsOfSwizzledMemory) {
  for (bool isPointer : {true, false}) {
    std::vector<int> y = run<int>(
        [&](Tensor, Tensor y) {
          Layout rows = Layout<Shape<_8, _64>, Stride<_64, _1>>{};
          Tensor s =
              make_smem_tensor<half_t>(isPointer ? Layout<>(GMMA::Layout_K_SW128_Atom<half_t>{})
                                                 : composition(Swizzle<3, 3, 3>{}, rows));
          for (int i = 0; i < 16; ++i) {
            Num n = Num(threadIdx.x) * 16 + i;
            s(n / 64, n % 64) = convert<half_t>(n);
          }
          syncthreads();
          Tensor words = recast<int>(s);
          for (int row = 0; row < 8; ++row)
            y(row * 32 + Num(threadIdx.x)) = words(row, threadIdx.x);
        },
        upTo(1), 256);
    for (int n = 0; n < 256; ++n) {
      auto half = [](int i) { return int(std::bit_cast<uint16_t>(half_t(float(i)))); };
      EXPECT_EQ(y[size_t(n)], half(2 * n) | half(2 * n + 1) << 16) << isPointer << " " << n;
    }
  }
}
/// Without the swizzle the elements are in the order of memory: in row r of 128 bytes piece p of
/// 16 bytes is the piece p ^ r of the tensor.
TEST(CuteNames, RawPointers) {
  std::vector<int> y = run<int>(
      [](Tensor, Tensor y) {
        Tensor s = make_smem_tensor<half_t>(GMMA::Layout_K_SW128_Atom<half_t>{});
        for (int i = 0; i < 16; ++i) {
          Num n = Num(threadIdx.x) * 16 + i;
          s(n / 64, n % 64) = convert<half_t>(n);
        }
        syncthreads();
        Tensor raw = make_tensor(raw_pointer_cast(s.data()), make_shape(512));
        for (int i = 0; i < 16; ++i)
          y(Num(threadIdx.x) * 16 + i) = convert<int>(Num(raw(Num(threadIdx.x) * 16 + i)));
      },
      upTo(1), 512);
  for (int n = 0; n < 512; ++n)
    EXPECT_EQ(y[size_t(n)], n / 64 * 64 + ((n / 8 % 8) ^ (n / 64)) * 8 + n % 8) << n;
}
TEST(CuteNames, AddressesInSharedMemory) {
  std::vector<int> y = run<int>(
      [](Tensor, Tensor y) {
        Tensor s = make_smem_tensor<float>(Layout("64:1"), 256);
        Num start = cast_smem_ptr_to_uint(s.data()), third = cast_smem_ptr_to_uint(s.data() + 3);
        If(thread0(), [&] {
          y(0) = third - start;
          y(1) = start % 256;
          // A uint32_t, as in CuTe C++: below 0 it wraps.
          y(2) = convert<int>(start - (start + 16) > 0);
        });
      },
      upTo(1), 3);
  EXPECT_EQ(y, (std::vector<int>{12, 0, 1}));
}

//===--- copies -------------------------------------------------------------------------------===//

namespace {
/// Four elements from somewhere in x to the start of y, where nothing is known of the place.
template <class Copy> std::function<void(Tensor, Tensor)> fromAnywhere(Copy how) {
  return [how](Tensor x, Tensor y) {
    Num place = convert<int>(Num(x(0)));
    If(thread0(), [&] {
      how(make_tensor(x.data() + place, Shape<_4>{}), make_tensor(y.data(), Shape<_4>{}));
    });
  };
}
} // namespace
/// As CuTe C++: copy_aligned promises 16 bytes, the others as many bits as they say.
TEST(CuteNames, CopiesOfAPromisedAlignment) {
  auto plain = [](Tensor a, Tensor b) { copy(a, b); };
  auto aligned = [](Tensor a, Tensor b) { copy_aligned(a, b); };
  auto by128 = [](Tensor a, Tensor b) { copy(AutoVectorizingCopy{}, a, b); };
  auto by64 = [](Tensor a, Tensor b) { copy(AutoVectorizingCopyWithAssumedAlignment<64>{}, a, b); };
  auto by8 = [](Tensor a, Tensor b) { copy(DefaultCopy{}, a, b); };
  std::vector<float> x = upTo(16), want{8, 9, 10, 11};
  x[0] = 8;
  EXPECT_EQ(run(fromAnywhere(plain), x, 4), want);
  EXPECT_EQ(run(fromAnywhere(aligned), x, 4), want);
  EXPECT_EQ(run(fromAnywhere(by128), x, 4), want);
  EXPECT_EQ(run(fromAnywhere(by64), x, 4), want);
  EXPECT_EQ(run(fromAnywhere(by8), x, 4), want);
  auto loads = [&](auto how) { return ptxOf(fromAnywhere(how)); };
  EXPECT_FALSE(has(loads(plain), "ld.global.v")) << loads(plain);
  EXPECT_TRUE(has(loads(plain), "st.global.v4")); // y begins at a multiple of 16 bytes
  EXPECT_TRUE(has(loads(aligned), "ld.global.v4")) << loads(aligned);
  EXPECT_TRUE(has(loads(by128), "ld.global.v4"));
  EXPECT_TRUE(has(loads(by64), "ld.global.v2") && has(loads(by64), "st.global.v2"));
  EXPECT_FALSE(has(loads(by64), "global.v4"));
  EXPECT_FALSE(has(loads(by8), "global.v"));
}
/// Nothing is promised that the layouts do not allow: three elements need no alignment.
TEST(CuteNames, CopiesOfOddVectors) {
  auto three = [](Tensor x, Tensor y) {
    Num place = convert<int>(Num(x(0)));
    If(thread0(), [&] {
      copy_aligned(make_tensor(x.data() + place, Shape<_3>{}), make_tensor(y.data(), Shape<_3>{}));
    });
  };
  std::vector<float> x = upTo(16);
  x[0] = 5;
  EXPECT_EQ(run(three, x, 3), (std::vector<float>{5, 6, 7}));
}
/// A false promise is found where the copy is written.
TEST(CuteNames, CopiesOfAFalsePromise) {
  unsigned line = 0;
  body = [&](Tensor x, Tensor y) {
    Num place = convert<int>(Num(x(0)));
    Tensor from = make_tensor(x.data() + place, Shape<_4>{});
    line = __LINE__ + 1;
    copy_aligned(from, make_tensor(y.data(), Shape<_4>{}));
  };
  std::vector<float> x = upTo(16), y(4);
  x[0] = 5;
  Outcome done = kernel(host, "k")(simulator(), x, y);
  ASSERT_FALSE(done);
  EXPECT_TRUE(has(done.text(), ("NamesTest.cpp:" + std::to_string(line)).c_str())) << done.text();
}

//===--- parts --------------------------------------------------------------------------------===//

/// A part of a tensor has the layout of that part, whose values the rows of Printed.def are; and
/// its elements are where the layout says.
TEST(CuteNames, PartsOfTensors) {
  std::vector<std::string> layouts;
  std::vector<float> y = run(
      [&](Tensor x, Tensor y) {
        Layout rows = Layout<Shape<_4, _8>, Stride<_8, _1>>{};
        Tensor t = make_tensor(x.data(), rows);
        Tensor parts[] = {
            logical_divide(t, make_tile(_2{}, _4{})),
            zipped_divide(t, make_tile(_2{}, _4{})),
            flat_divide(t, make_tile(_2{}, _4{})),
            composition(t, make_tile(_2{}, Layout("2:4"))),
            coalesce(make_tensor(x.data(), make_layout(make_shape(_2{}, _1{}, _6{})))),
            flatten(zipped_divide(t, make_tile(_2{}, _4{}))),
            filter(make_tensor(x.data(), Layout("(4,3,2):(0,1,3)"))),
            filter_zeros(make_tensor(x.data(), Layout("(4,3,2):(0,1,3)"))),
            take<1, 3>(make_tensor(x.data(), make_shape(2, 3, 4))),
            select<2, 0>(make_tensor(x.data(), make_shape(2, 3, 4))),
            group_modes<1, 3>(make_tensor(x.data(), make_shape(2, 3, 4))),
            make_tensor(x.data(), make_shape(2, 3), LayoutLeft{}),
            make_tensor<float>(make_shape(2, 3), make_stride(4, 1)),
            make_tensor<float>(make_shape(2, 3), LayoutLeft{}),
            make_tensor<float>(make_shape(2, 3), LayoutRight{}),
            make_tensor_like<half_t>(make_tensor(x.data(), make_shape(2, 3), LayoutRight{}))};
        layouts.clear();
        for (const Tensor &part : parts)
          layouts.push_back(layout(part).str());
        If(thread0(), [&] {
          for (int i = 0; i < 11; ++i)
            y(i) = parts[i](size(parts[i]) - 1);
          y(11) = parts[0](make_coord(1, 1), make_coord(2, 0));
        });
        Tensor deep = make_tensor(x.data(), make_layout(make_shape(2, make_shape(3, 4))));
        EXPECT_EQ(rank(deep), 2);
        EXPECT_EQ(rank<1>(deep), 2);
        EXPECT_EQ(depth(deep), 2);
        EXPECT_EQ(int(cosize(deep)), 24);
        EXPECT_EQ((shape<1, 0>(deep).str()), "3");
        EXPECT_EQ(stride<1>(deep).str(), "(2,6)");
        EXPECT_EQ(stride(deep).str(), "(1,(2,6))");
        EXPECT_EQ(layout<1>(deep).str(), "(3,4):(2,6)");
        EXPECT_EQ(max_common_vector(deep, make_tensor(y.data(), make_shape(2, 12))), 24);
        EXPECT_EQ(max_common_vector(deep, make_tensor(y.data(), Layout("(2,12):(1,4)"))), 2);
        EXPECT_TRUE(deep.format() == x.data().format());
        EXPECT_TRUE(parts[15].format() == format_of<half_t>);
      },
      upTo(64), 12);
  EXPECT_EQ(layouts,
            (std::vector<std::string>{
                "((2,2),(4,2)):((8,16),(1,4))", "((2,4),(2,2)):((8,1),(16,4))",
                "(2,4,2,2):(8,1,16,4)", "(2,2):(8,4)", "12:1", "(2,4,2,2):(8,1,16,4)", "6:1",
                "(1,3,2):(0,1,3)", "(3,4):(2,6)", "(4,2):(6,1)", "(2,(3,4)):(1,(2,6))",
                "(2,3):(1,2)", "(2,3):(4,1)", "(2,3):(1,2)", "(2,3):(3,1)", "(2,3):(3,1)"}));
  EXPECT_EQ(y, (std::vector<float>{31, 31, 31, 12, 11, 31, 5, 5, 22, 19, 23, 8 + 16 + 2}));
}
/// get_thread_slice is get_slice, and fragments of one's own partition have its shape.
TEST(CuteNames, SlicesOfAThread) {
  std::vector<float> y = run(
      [](Tensor x, Tensor y) {
        TiledMMA mma = make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_8, _4, _1>>{});
        Tensor A = make_tensor(x.data(), Layout<Shape<_16, _4>>{}),
               B = make_tensor(x.data() + 64, Layout<Shape<_8, _4>>{}),
               C = make_tensor(y.data(), Layout<Shape<_16, _8>>{});
        ThrMMA mine = mma.get_thread_slice(threadIdx.x);
        Tensor a = mine.partition_fragment_A(A), b = mine.partition_fragment_B(B),
               c = mine.partition_fragment_C(C);
        EXPECT_EQ(shape(a).str(), partition_shape_A(mma, make_shape(_16{}, _4{})).str());
        EXPECT_EQ(shape(b).str(), partition_shape_B(mma, make_shape(_8{}, _4{})).str());
        EXPECT_EQ(shape(c).str(), partition_shape_C(mma, make_shape(_16{}, _8{})).str());
        copy(mine.partition_A(A), a), copy(mine.partition_B(B), b);
        clear(c);
        gemm(mma, a, b, c);
        // Out through a copy of its own values.
        TiledCopy out = make_tiled_copy_C(Copy_Atom<UniversalCopy<float>, float>{}, mma);
        ThrCopy thread = out.get_thread_slice(threadIdx.x);
        copy(out, thread.retile_S(c), thread.partition_D(C));
      },
      upTo(96), 128);
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n) {
      float sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += float(m + 16 * k) * float(64 + n + 8 * k);
      EXPECT_EQ(y[size_t(m + 16 * n)], sum) << m << " " << n;
    }
}
/// (thread, value, rest) of a tensor, sliced by hand as CuTe C++'s partition functions do.
TEST(CuteNames, FragmentsByHand) {
  std::vector<float> y = run(
      [](Tensor x, Tensor y) {
        TiledCopy by2 = make_tiled_copy(Copy_Atom<UniversalCopy<uint64_t>, float>{},
                                        Layout<Shape<_4, _8>>{}, Layout<Shape<_2, _1>>{});
        Layout whole = Layout<Shape<_8, _16>>{};
        Tensor from = make_tensor(x.data(), whole), to = make_tensor(y.data(), whole);
        copy(by2, by2.tidfrg_S(from)(threadIdx.x, _, repeat<2>(_)),
             by2.tidfrg_D(to)(threadIdx.x, _, repeat<2>(_)));
      },
      upTo(128), 128);
  EXPECT_EQ(y, upTo(128));
  std::vector<std::string> found, want;
  run(
      [&](Tensor x, Tensor) {
        TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{});
        Layout whole = Layout<Shape<_64, _32>>{};
        Tensor t = make_tensor(x.data(), whole);
        found = {layout(mma.thrfrg_A(t)).str(), layout(mma.thrfrg_B(t)).str(),
                 layout(mma.thrfrg_C(t)).str()};
        want = {mma.thrfrg_A(whole).str(), mma.thrfrg_B(whole).str(), mma.thrfrg_C(whole).str()};
      },
      upTo(2048), 1);
  EXPECT_EQ(found, want);
  EXPECT_NE(want[0], want[1]);
}
TEST(CuteNames, ReductionsOfABlock) {
  std::vector<float> y = run(
      [](Tensor x, Tensor y) {
        Num least = block_reduce(x(threadIdx.x), 32, [](Num a, Num b) { return min(a, b); });
        Num most = warp_reduce(x(threadIdx.x), max_fn{});
        y(threadIdx.x) = most * 100.0f + least;
      },
      upTo(32), 32);
  EXPECT_EQ(y, std::vector<float>(32, 3100));
}
/// The picture is one of ours: a cell for each index, and for each value of a thread.
TEST(CuteNames, PicturesInLatex) {
  auto count = [](const std::string &text, const std::string &what) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += what.size())
      ++n;
    return n;
  };
  testing::internal::CaptureStdout();
  print_latex(Layout<Shape<_2, _3>, Stride<_5, Int<20>>>{});
  std::string layout = testing::internal::GetCapturedStdout();
  EXPECT_EQ(count(layout, "\\begin{tikzpicture}"), 1u);
  for (const char *index : {"{0}", "{5}", "{20}", "{25}", "{40}", "{45}"})
    EXPECT_TRUE(has(layout, index)) << index << layout;
  testing::internal::CaptureStdout();
  print_latex(make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_2, _2, _1>>{}));
  std::string mma = testing::internal::GetCapturedStdout();
  for (const char *thread : {"T0", "T1", "T2", "T3"})
    EXPECT_TRUE(has(mma, thread)) << thread << mma;
}
TEST(CuteNames, ElementsPrintedByThreads) {
  testing::internal::CaptureStdout();
  run(
      [](Tensor x, Tensor) {
        If(thread(9), [&] { print(x(threadIdx.x)); });
        print(make_identity_tensor(make_shape(4, 4))(2, 3));
      },
      upTo(32), 1);
  std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(has(printed, "9.000000")) << printed;
  EXPECT_TRUE(has(printed, "(_2,_3)")) << printed;
}
