// Quotients by one number have the bits of a division, which the interpreter leaves to the CPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

/// y[r] = x[r] / s[r], a row of 2048 numbers for each block.
const std::string text = R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<f32>>, %ps: tile<ptr<f32>>, %py0: tile<ptr<f32>>) {
    %px = assume div_by<16>, %px0 : tile<ptr<f32>>
    %py = assume div_by<16>, %py0 : tile<ptr<f32>>
    %vx = make_tensor_view %px, shape = [{R}, 2048], strides = [2048, 1] : tensor_view<{R}x2048xf32, strides=[2048,1]>
    %vs = make_tensor_view %ps, shape = [{R}], strides = [1] : tensor_view<{R}xf32, strides=[1]>
    %vy = make_tensor_view %py, shape = [{R}, 2048], strides = [2048, 1] : tensor_view<{R}x2048xf32, strides=[2048,1]>
    %x = make_partition_view %vx : partition_view<tile=(1x2048), tensor_view<{R}x2048xf32, strides=[2048,1]>>
    %s = make_partition_view %vs : partition_view<tile=(1), tensor_view<{R}xf32, strides=[1]>>
    %y = make_partition_view %vy : partition_view<tile=(1x2048), tensor_view<{R}x2048xf32, strides=[2048,1]>>
    %row, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %a, %ta = load_view_tko weak %x[%row, %zero] : partition_view<tile=(1x2048), tensor_view<{R}x2048xf32, strides=[2048,1]>>, tile<i32> -> tile<1x2048xf32>, token
    %b0, %tb = load_view_tko weak %s[%row] : partition_view<tile=(1), tensor_view<{R}xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token
    %b1 = reshape %b0 : tile<1xf32> -> tile<1x1xf32>
    %b = broadcast %b1 : tile<1x1xf32> -> tile<1x2048xf32>
    %q = divf %a, %b : tile<1x2048xf32>
    %u = store_view_tko weak %q, %y[%row, %zero] : tile<1x2048xf32>, partition_view<tile=(1x2048), tensor_view<{R}x2048xf32, strides=[2048,1]>>, tile<i32> -> token
    return
  }
}
)";

uint32_t bitsOfNumber(float number) { return std::bit_cast<uint32_t>(number); }

} // namespace

TEST(Quotients, ByOneNumberAreRoundedOnce) {
  driver::Compiler compiler;
  constexpr int64_t rows = 160, columns = 2048;
  std::mt19937 random(7);
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> special = {0.0F,      -0.0F,         infinity,        -infinity,
                                      NAN,       1.0F,          -1.0F,           3.0F,
                                      0x1p-149F, 0x1p-126F,     -0x3p-149F,      0x1p127F,
                                      0x1p-63F,  0x1.fffffep0F, 0x1.fffffep127F, 0x1.000002p0F};
  Array x = newArray(TypeKind::F32, size_t(rows * columns)), s = newArray(TypeKind::F32, rows);
  for (int64_t r = 0; r < rows; ++r) {
    float by =
        size_t(r) < special.size() ? special[size_t(r)] : std::bit_cast<float>(uint32_t(random()));
    if (r % 3 == 1) // of few bits, so that many quotients are exact
      by = std::ldexp(float(random() % 64 + 1), int(random() % 200) - 100);
    const uint32_t bits = random() % 22 + 1; // of a divisor whose multiples have 24 bits
    if (r % 3 == 2)
      by = std::ldexp(float((random() >> (32 - bits)) | 1), int(random() % 120) - 90);
    s.setCode(size_t(r), bitsOfNumber(by));
    for (int64_t c = 0; c < columns; ++c) {
      uint32_t code = uint32_t(random());
      if (c % 4 == 1) // quotients around 1, of which some lie near the middle between two numbers
        code = (bitsOfNumber(by) & 0xff800000U) | (code & 0x7fffffU);
      if (c % 4 == 2) // products: exact quotients, and halves of the least numbers
        code = bitsOfNumber(by * std::ldexp(float(code % 4096), int(random() % 60) - 170));
      if (c % 4 == 2 && r % 3 == 2) // in the middle between two of the least numbers
        code = bitsOfNumber(float(by * std::ldexp(double((random() >> (8 + bits)) | 1), -150)));
      if (c % 4 == 3)
        code = bitsOfNumber(special[random() % special.size()]);
      x.setCode(size_t(r * columns + c), code);
    }
  }
  // Rows that threads divide by three instructions, also numbers and quotients just within and just
  // beyond what these can.
  for (int64_t r = 0; r < rows; r += 4) {
    const float by =
        std::ldexp(1.0F + float(random() % (1 << 23)) * 0x1p-23F, int(random() % 200) - 100);
    s.setCode(size_t(r), bitsOfNumber(r % 16 == 12 ? -by : by));
    for (int64_t c = 0; c < columns; ++c) {
      float number =
          std::ldexp(by, int(random() % 8) - 4) * (1.0F + float(random() % (1 << 23)) * 0x1p-23F);
      if (r % 16 == 4) // near the ends, a few of them beyond
        number = std::ldexp(number, (by < 1.0F ? -1 : 1) * int(random() % 3) * 40);
      if (r % 16 == 8 && random() % 64 == 0)
        number = random() % 2 ? -0.0F : 0.0F;
      x.setCode(size_t(r * columns + c), bitsOfNumber(random() % 2 ? -number : number));
    }
  }
  const std::string filled = filledIn(text, {{"R", str(rows)}});
  const std::vector<Array> arrays = {x, s, newArray(TypeKind::F32, size_t(rows * columns))};
  for (auto [arch, instruction] : {std::pair("sm_80", "mul.f64"), // of numbers that are not plain
                                   {"sm_90a", "mul.f64"},
                                   {"sm_90a", "min.u32"}, // whether all are
                                   {"sm_86", "div.rn.f32"},
                                   {"sm_120a", "min.u32"}})
    EXPECT_EQ(
        difference(compiler, filled, arrays,
                   {.arch = arch, .grid = {uint32_t(rows), 1, 1}, .instruction = instruction}),
        "")
        << arch;
}

/// A row of powers, divided by its sum, as in softmax: some are zeros, or below all normal numbers,
/// or NaN.
TEST(Quotients, OfPartsByTheirSum) {
  driver::Compiler compiler;
  constexpr int64_t rows = 48, columns = 2048;
  const std::string softmax =
      replaced(replaced(text,
                        "%b0, %tb = load_view_tko weak %s[%row] : partition_view<tile=(1), "
                        "tensor_view<{R}xf32, strides=[1]>>, tile<i32> -> tile<1xf32>, token\n",
                        R"(%p = exp2 %a : tile<1x2048xf32>
    %b0 = reduce %p dim=1 identities=[0.0 : f32] : tile<1x2048xf32> -> tile<1xf32>
    (%l: tile<f32>, %r: tile<f32>) {
      %z = addf %l, %r : tile<f32>
      yield %z : tile<f32>
    }
)"),
               "divf %a, %b", "divf %p, %b");
  std::mt19937 random(11);
  Array x = newArray(TypeKind::F32, size_t(rows * columns)), s = newArray(TypeKind::F32, rows);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      // Whole powers, whose sums are exact in any order.
      float power = float(int(random() % 12) - 6);
      if (r % 3 == 1)
        power = random() % 2 ? -200.0F : power; // zero
      if (r % 3 == 2 && c % 97 == 0)
        power = -float(random() % 150); // some below 2^-100
      if (r == 47 && c == 5)
        power = NAN;
      x.setCode(size_t(r * columns + c), bitsOfNumber(power));
    }
  const std::vector<Array> arrays = {x, s, newArray(TypeKind::F32, size_t(rows * columns))};
  for (const char *arch : {"sm_86", "sm_90a"})
    EXPECT_EQ(difference(compiler, filledIn(softmax, {{"R", str(rows)}}), arrays,
                         {.arch = arch, .grid = {uint32_t(rows), 1, 1}, .instruction = "min.u32"}),
              "")
        << arch;
}
