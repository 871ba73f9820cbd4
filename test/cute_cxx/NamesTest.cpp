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

//===--- pointers -----------------------------------------------------------------------------===//

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
