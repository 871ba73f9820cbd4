// What is printed of layouts and tuples, beside what nvcc's programs print of CuTe C++'s.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;

namespace {
template <class F> std::string printed(F f) {
  testing::internal::CaptureStdout();
  f();
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

void tensors_device(Tensor x) {
  Tensor s = make_smem_tensor<half_t>(
      tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(_64{}, _64{})));
  Tensor r = make_tensor<float>(make_shape(_4{}, _2{}));
  print(x), print("\n"), print(s), print("\n"), print(r), print("\n");
  print(local_tile(make_identity_tensor(shape(x)), make_tile(_2{}, _3{}), make_coord(1, 1)));
  print(" %d of %d, %f\n", 3, size(r), 0.5f);
}
void tensors(Tensor x) { launch(tensors_device, {.block = 32}, x); }
} // namespace

#define PRINTED(EXPRESSION, OUTPUT)                                                                \
  EXPECT_EQ(printed([] { print(EXPRESSION); }), OUTPUT) << #EXPRESSION;
TEST(CutePrinted, AsCuteCxxPrints) {
#include "test/cute_cxx/Printed.def"
}
TEST(CutePrinted, AtomsAsCuteCxxPrints) {
#include "test/cute_cxx/PrintedAtoms.def"
}
#undef PRINTED

/// CUTLASS 4.7.0 prints so of the layout in nvcc 13.0's program.
TEST(CutePrinted, TableOfALayout) {
  EXPECT_EQ(printed([] { print_layout(Layout<Shape<_2, _12>, Stride<_16, _1>>{}); }),
            R"((_2,_12):(_16,_1)
       0    1    2    3    4    5    6    7    8    9   10   11 
    +----+----+----+----+----+----+----+----+----+----+----+----+
 0  |  0 |  1 |  2 |  3 |  4 |  5 |  6 |  7 |  8 |  9 | 10 | 11 |
    +----+----+----+----+----+----+----+----+----+----+----+----+
 1  | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 |
    +----+----+----+----+----+----+----+----+----+----+----+----+
)");
  // Other ranks have a picture of ours.
  EXPECT_NE(printed([] { print_layout(Layout("8:2")); }).find("size 8"), std::string::npos);
}

TEST(CutePrinted, NumbersOfLayouts) {
  Layout<> row = Layout<Shape<_4, _8>, Stride<_8, _1>>{}, column = Layout<Shape<_4, _8>>{};
  EXPECT_EQ(max_common_vector(row, row), 32); // as nvcc's program: in the order of indices
  EXPECT_EQ(max_common_vector(column, column), 32);
  EXPECT_EQ(max_common_vector(column, Layout("(4,8):(1,8)")), 4);
  EXPECT_TRUE(congruent(row.shape(), row.stride()));
  EXPECT_FALSE(congruent(row.shape(), make_shape(4, make_shape(2, 4))));
  EXPECT_TRUE(compatible(32, row.shape()));
  EXPECT_FALSE(compatible(row.shape(), 32));
  EXPECT_TRUE(weakly_compatible(8, row.shape()));
  EXPECT_EQ(row.get_hier_coord(11).str(), "(1,3)");
  EXPECT_EQ(int(row.get_1d_coord(11)), 13);
}

/// In CuTe C++'s notation, where an address is known on the device only; numbers that C++ knows are
/// printed once, beside the rest.
TEST(CutePrinted, TensorsOfAKernel) {
  alignas(16) static float numbers[8 * 8];
  std::string ptx;
  EXPECT_EQ(printed([&] {
              kernel(tensors, "tensors", "sm_90a").ptx(ptx, tessera::tile::view(numbers, {8, 8}));
            }),
            R"(gmem_ptr[32b](?) o (?,?):(?,_1)
Sw<3,4,3>_smem_ptr[16b](?) o ((_8,_8),(_64,_1)):((_64,_512),(_1,_0))
ptr[32b](?) o (_4,_2):(_1,_4)
ArithTuple(_2,_3) o (_2,_3):(_1@0,_1@1) 3 of 8, 0.500000
)");
}
