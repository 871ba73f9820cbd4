// Addresses that follow each other: gathers and scatters of vectors, beside the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

/// y[f(i, j)] = x[f(i, j)] + 1 where a mask holds, else 7, of a tile of {R} x {C} elements. %at,
/// the offsets in elements, and %mask are made by `body` of %i and %j (i64), the numbers %p and %q,
/// of which multiples are assumed, and the row numbers that x begins with.
std::string gathered(const std::string &type, int64_t rows, int64_t columns, int64_t ofP,
                     int64_t ofQ, const std::string &body) {
  std::string text = R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<{T}>>, %py0: tile<ptr<{T}>>, %p0: tile<i32>, %q0: tile<i32>) {
    %px = assume div_by<16>, %px0 : tile<ptr<{T}>>
    %py = assume div_by<16>, %py0 : tile<ptr<{T}>>
    %p1 = assume div_by<{P}>, %p0 : tile<i32>
    %q1 = assume div_by<{Q}>, %q0 : tile<i32>
    %p2 = exti %p1 signed : tile<i32> -> tile<i64>
    %q2 = exti %q1 signed : tile<i32> -> tile<i64>
    %p3 = reshape %p2 : tile<i64> -> tile<1x1xi64>
    %q3 = reshape %q2 : tile<i64> -> tile<1x1xi64>
    %p = broadcast %p3 : tile<1x1xi64> -> tile<{S}xi64>
    %q = broadcast %q3 : tile<1x1xi64> -> tile<{S}xi64>
    %i0 = iota : tile<{R}xi32>
    %i1 = exti %i0 signed : tile<{R}xi32> -> tile<{R}xi64>
    %i2 = reshape %i1 : tile<{R}xi64> -> tile<{R}x1xi64>
    %i = broadcast %i2 : tile<{R}x1xi64> -> tile<{S}xi64>
    %j0 = iota : tile<{C}xi32>
    %j1 = reshape %j0 : tile<{C}xi32> -> tile<1x{C}xi32>
    %j2 = broadcast %j1 : tile<1x{C}xi32> -> tile<{S}xi32>
    %j = exti %j2 signed : tile<{S}xi32> -> tile<{S}xi64>
    {B}
    %b0 = reshape %px : tile<ptr<{T}>> -> tile<1x1xptr<{T}>>
    %b1 = broadcast %b0 : tile<1x1xptr<{T}>> -> tile<{S}xptr<{T}>>
    %from = offset %b1, %at : tile<{S}xptr<{T}>>, tile<{S}xi64> -> tile<{S}xptr<{T}>>
    %c0 = reshape %py : tile<ptr<{T}>> -> tile<1x1xptr<{T}>>
    %c1 = broadcast %c0 : tile<1x1xptr<{T}>> -> tile<{S}xptr<{T}>>
    %to = offset %c1, %at : tile<{S}xptr<{T}>>, tile<{S}xi64> -> tile<{S}xptr<{T}>>
    %seven = constant <{T}: {7}> : tile<{S}x{T}>
    %one = constant <{T}: {1}> : tile<{S}x{T}>
    %x, %t = load_ptr_tko weak %from, %mask, %seven : tile<{S}xptr<{T}>>, tile<{S}xi1>, tile<{S}x{T}> -> tile<{S}x{T}>, token
    %y = {add} %x, %one : tile<{S}x{T}>
    %u = store_ptr_tko weak %to, %y, {M} : tile<{S}xptr<{T}>>, tile<{S}x{T}>, tile<{S}xi1> -> token
    return
  }
}
)";
  bool isFloat = type[0] == 'f';
  std::string out = filledIn(text, {{"B", body},
                                    {"M", body.find("%stored") == body.npos ? "%mask" : "%stored"},
                                    {"T", type},
                                    {"R", str(rows)},
                                    {"S", cat(rows, "x", columns)},
                                    {"P", str(ofP)},
                                    {"Q", str(ofQ)},
                                    {"7", isFloat ? "7.0" : "7"},
                                    {"1", isFloat ? "1.0" : "1"},
                                    {"add", isFloat ? "addf" : "addi"}});
  return filledIn(out, {{"S", cat(rows, "x", columns)}, {"C", str(columns)}});
}

/// Two binary ops on tiles of i64 and a comparison, in one line each.
std::string made(const std::string &name, const std::string &op, const std::string &a,
                 const std::string &b) {
  return cat("%", name, " = ", op, " %", a, ", %", b, " : tile<{S}xi64>\n    ");
}
std::string compared(const std::string &name, const std::string &how, const std::string &a,
                     const std::string &b) {
  return cat("%", name, " = cmpi ", how, " %", a, ", %", b,
             ", signed : tile<{S}xi64> -> tile<{S}xi1>\n    ");
}
std::string constant(const std::string &name, int64_t number) {
  return cat("%", name, " = constant <i64: ", number, "> : tile<{S}xi64>\n    ");
}

const std::string rowsOfPitchP = made("r", "muli", "i", "p") + made("at", "addi", "r", "j");

} // namespace

/// The instruction that the PTX has to have follows from the multiples that are assumed: 16 bytes
/// need rows and an edge of multiples of 8 elements of f16.
TEST(Runs, WidthFollowsFromMultiples) {
  driver::Compiler compiler;
  struct Case {
    int64_t ofPitch, ofEdge;
    const char *load, *store;
  };
  for (const Case &c :
       {Case{8, 8, "ld.global.v4.b32", "st.global.v4.b32"},
        Case{4, 8, "ld.global.v2.b32", "st.global.v2.b32"},
        Case{8, 4, "ld.global.v2.b32", "st.global.v2.b32"},
        Case{2, 2, "ld.global.b32", "st.global.b32"}, Case{1, 8, "ld.global.b16", "st.global.b16"},
        Case{8, 1, "ld.global.b16", "st.global.b16"}})
    for (const char *instruction : {c.load, c.store}) {
      std::string body = rowsOfPitchP + compared("mask", "less_than", "j", "q");
      std::string text = gathered("f16", 16, 128, c.ofPitch, c.ofEdge, body);
      std::vector<Array> arrays = {integers("f16", 16 * 200, 1), integers("f16", 16 * 200, 2)};
      EXPECT_EQ(difference(compiler, text, arrays,
                           {.numbers = {{TypeKind::I32, uint64_t(128 + 9 * c.ofPitch)},
                                        {TypeKind::I32, uint64_t(96 - c.ofEdge)}},
                            .instruction = instruction}),
                "")
          << c.ofPitch << " and " << c.ofEdge;
    }
}

/// A tile that is transposed in memory is read along its first dimension.
TEST(Runs, AlongEachDimension) {
  driver::Compiler compiler;
  for (std::string type : {"i8", "f16", "f32", "i64"})
    for (bool alongRows : {false, true}) {
      std::string body = made("r", "muli", alongRows ? "j" : "i", "p") +
                         made("at", "addi", "r", alongRows ? "i" : "j") +
                         compared("mask", "less_than", alongRows ? "i" : "j", "q");
      std::vector<Array> arrays = {integers(type, 64 * 80, 1), integers(type, 64 * 80, 2)};
      const char *widest = type == "i64" ? "ld.global.v2" : "ld.global.v4.b32";
      EXPECT_EQ(difference(compiler, gathered(type, 64, 64, 16, 16, body), arrays,
                           {.numbers = {{TypeKind::I32, 80}, {TypeKind::I32, 48}},
                            .instruction = type == "i64" ? "" : widest}),
                "")
          << type << (alongRows ? " along rows" : " along columns");
    }
}

/// What is assumed of loaded numbers may be groups of any length, of which a part is used: pairs of
/// groups of six; of groups of three nothing.
TEST(Runs, AssumedGroupsOfAnyLength) {
  driver::Compiler compiler;
  for (int64_t length : {2, 3, 4, 6, 8}) {
    std::string text = filledIn(R"(cuda_tile.module @m {
  entry @k(%pi: tile<ptr<i32>>, %pf: tile<ptr<i32>>, %px0: tile<ptr<f16>>, %py0: tile<ptr<f16>>) {
    %px = assume div_by<16>, %px0 : tile<ptr<f16>>
    %py = assume div_by<16>, %py0 : tile<ptr<f16>>
    %j = iota : tile<1024xi32>
    %i0 = reshape %pi : tile<ptr<i32>> -> tile<1xptr<i32>>
    %i1 = broadcast %i0 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %i2 = offset %i1, %j : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %i3, %t0 = load_ptr_tko weak %i2 : tile<1024xptr<i32>> -> tile<1024xi32>, token
    %index = assume div_by<8, every {N} along 0>, %i3 : tile<1024xi32>
    %f0 = reshape %pf : tile<ptr<i32>> -> tile<1xptr<i32>>
    %f1 = broadcast %f0 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
    %f2 = offset %f1, %j : tile<1024xptr<i32>>, tile<1024xi32> -> tile<1024xptr<i32>>
    %f3, %t1 = load_ptr_tko weak %f2 : tile<1024xptr<i32>> -> tile<1024xi32>, token
    %flags = assume same_elements<[{N}]>, %f3 : tile<1024xi32>
    %zero = constant <i32: 0> : tile<1024xi32>
    %mask = cmpi not_equal %flags, %zero, signed : tile<1024xi32> -> tile<1024xi1>
    %b0 = reshape %px : tile<ptr<f16>> -> tile<1xptr<f16>>
    %b1 = broadcast %b0 : tile<1xptr<f16>> -> tile<1024xptr<f16>>
    %from = offset %b1, %j : tile<1024xptr<f16>>, tile<1024xi32> -> tile<1024xptr<f16>>
    %seven = constant <f16: 7.0> : tile<1024xf16>
    %x, %t2 = load_ptr_tko weak %from, %mask, %seven : tile<1024xptr<f16>>, tile<1024xi1>, tile<1024xf16> -> tile<1024xf16>, token
    %c0 = reshape %py : tile<ptr<f16>> -> tile<1xptr<f16>>
    %c1 = broadcast %c0 : tile<1xptr<f16>> -> tile<1024xptr<f16>>
    %to = offset %c1, %index : tile<1024xptr<f16>>, tile<1024xi32> -> tile<1024xptr<f16>>
    %u = store_ptr_tko weak %to, %x : tile<1024xptr<f16>>, tile<1024xf16> -> token
    return
  }
}
)",
                                {{"N", str(length)}});
    Array index = newArray(TypeKind::I32, 1024), flags = newArray(TypeKind::I32, 1024);
    for (int64_t i = 0; i < 1024; ++i) {
      index.setCode(size_t(i), uint64_t(i / length * 8 + i % length));
      flags.setCode(size_t(i), uint64_t(i / length * 7 % 3 != 0));
    }
    const char *load = length % 8 == 0   ? "ld.global.v4.b32"
                       : length % 4 == 0 ? "ld.global.v2.b32"
                       : length % 2 == 0 ? "ld.global.b32"
                                         : "ld.global.b16";
    EXPECT_EQ(difference(compiler, text,
                         {index, flags, integers("f16", 1024, 1),
                          newArray(TypeKind::F16, size_t(1024 / length + 1) * 8)},
                         {.instruction = load}),
              "")
        << "groups of " << length;
  }
}

/// Pointers that a loop moves on, as Triton's programs have them.
TEST(Runs, PointersThatALoopCarries) {
  driver::Compiler compiler;
  for (int64_t step : {64, 60, 1}) {
    std::string text = filledIn(R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<f16>>, %py0: tile<ptr<f16>>) {
    %px = assume div_by<16>, %px0 : tile<ptr<f16>>
    %py = assume div_by<16>, %py0 : tile<ptr<f16>>
    %j = iota : tile<1024xi32>
    %b0 = reshape %px : tile<ptr<f16>> -> tile<1xptr<f16>>
    %b1 = broadcast %b0 : tile<1xptr<f16>> -> tile<1024xptr<f16>>
    %from = offset %b1, %j : tile<1024xptr<f16>>, tile<1024xi32> -> tile<1024xptr<f16>>
    %step = constant <i32: {N}> : tile<1024xi32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %end = constant <i32: 5> : tile<i32>
    %start = constant <f16: 0.0> : tile<1024xf16>
    %sum, %last = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %start, %at = %from) -> (tile<1024xf16>, tile<1024xptr<f16>>) {
      %a, %t = load_ptr_tko weak %at : tile<1024xptr<f16>> -> tile<1024xf16>, token
      %next = addf %acc, %a : tile<1024xf16>
      %later = offset %at, %step : tile<1024xptr<f16>>, tile<1024xi32> -> tile<1024xptr<f16>>
      continue %next, %later : tile<1024xf16>, tile<1024xptr<f16>>
    }
    %c0 = reshape %py : tile<ptr<f16>> -> tile<1xptr<f16>>
    %c1 = broadcast %c0 : tile<1xptr<f16>> -> tile<1024xptr<f16>>
    %to = offset %c1, %j : tile<1024xptr<f16>>, tile<1024xi32> -> tile<1024xptr<f16>>
    %u = store_ptr_tko weak %to, %sum : tile<1024xptr<f16>>, tile<1024xf16> -> token
    return
  }
}
)",
                                {{"N", str(step)}});
    std::vector<Array> arrays = {integers("f16", 1024 + 5 * 64, 1), newArray(TypeKind::F16, 1024)};
    const char *load = step == 64   ? "ld.global.v4.b32"
                       : step == 60 ? "ld.global.v4.b16"
                                    : "ld.global.b16";
    EXPECT_EQ(difference(compiler, text, arrays, {.instruction = load}), "") << step;
  }
}

/// Sums, products, comparisons and choices in random order: whatever is taken to follow each other
/// has to, or the arrays differ, or an address is not aligned.
TEST(Runs, RandomIndices) {
  driver::Compiler compiler;
  std::mt19937 random(5);
  auto among = [&](std::initializer_list<int64_t> numbers) {
    return numbers.begin()[random() % numbers.size()];
  };
  for (int round = 0; round < 120; ++round) {
    int64_t rows = among({1, 4, 16}), columns = among({32, 128, 256});
    int64_t ofP = among({1, 2, 4, 8, 16}), ofQ = among({1, 2, 4, 8, 16});
    std::string type = std::vector<std::string>{"i8", "f16", "f32", "i64"}[random() % 4];
    // Numbers of columns that stay below `columns` + 64, and then rows of a pitch of 512.
    std::string body, at = "j";
    for (int op = 0, count = int(random() % 4); op < count; ++op) {
      std::string next = cat("n", op), other = cat("o", op), mask = cat("m", op);
      switch (random() % 5) {
      case 0:
        body += constant(other, among({1, 2, 4, 8, 12})) + made(next, "addi", at, other);
        break;
      case 1: // backwards: nothing rises
        body += constant(other, columns - 1) + made(next + "a", "subi", other, "j") +
                constant(next + "b", among({0, 8})) + made(next, "addi", next + "a", next + "b");
        break;
      case 2:
        body += constant(other, among({8, 20, 32})) + compared(mask, "less_than", at, other) +
                constant(next + "a", among({4, 16})) + made(next + "b", "addi", at, next + "a") +
                cat("%", next, " = select %", mask, ", %", at, ", %", next,
                    "b : tile<{S}xi1>, tile<{S}xi64>\n    ");
        break;
      case 3: body += constant(other, 1) + made(next, "muli", at, other); break;
      default:
        body += cat("%", other, " = trunci %", at, " : tile<{S}xi64> -> tile<{S}xi16>\n    %", next,
                    " = exti %", other, " signed : tile<{S}xi16> -> tile<{S}xi64>\n    ");
      }
      at = next;
    }
    std::string how = std::vector<std::string>{"less_than", "greater_than_or_equal", "greater_than",
                                               "less_than_or_equal", "not_equal"}[random() % 5];
    bool isTurned = random() % 2;
    body += constant("pitch", among({512, 516, 520})) + made("r", "muli", "i", "pitch") +
            made("s", "addi", "r", "p") + made("at", "addi", "s", at) +
            compared("mask", how, isTurned ? "q" : at, isTurned ? at : "q") +
            compared("stored", "less_than", "j", random() % 2 ? "q" : "p");
    size_t size = size_t(16 * 520 + 256 + 64 + 64);
    std::vector<Array> arrays = {integers(type, int64_t(size), 1),
                                 integers(type, int64_t(size), 2)};
    std::string text = gathered(type, rows, columns, ofP, ofQ, body);
    EXPECT_EQ(difference(compiler, text, arrays,
                         {.numbers = {{TypeKind::I32, uint64_t(ofP * among({0, 1, 3}))},
                                      {TypeKind::I32, uint64_t(ofQ * among({1, 3, 5}))}}}),
              "")
        << "round " << round << "\n"
        << text;
  }
}

/// The numbers 0 and 1 of one bit are 0 and -1 where they are read with a sign: an aligned pair of
/// them does not rise, and lies on both sides of 0.
TEST(Runs, NumbersOfOneBit) {
  driver::Compiler compiler;
  const std::string bit = "%bit = trunci %j : tile<{S}xi64> -> tile<{S}xi1>\n    ";
  for (std::string type : {"i8", "f32"}) {
    std::string wide = bit + "%minus = exti %bit signed : tile<{S}xi1> -> tile<{S}xi64>\n    " +
                       constant("unit", 1) + constant("pitch", 64) +
                       made("back", "addi", "minus", "unit") + made("r", "muli", "i", "pitch") +
                       made("at", "addi", "r", "back") + compared("mask", "less_than", "i", "q");
    std::string masked = bit + made("r", "muli", "i", "p") + made("at", "addi", "r", "j") +
                         "%false = constant <i1: false> : tile<{S}xi1>\n    "
                         "%mask = cmpi less_than %bit, %false, signed : tile<{S}xi1> -> "
                         "tile<{S}xi1>\n    ";
    for (const std::string &body : {wide, masked}) {
      std::vector<Array> arrays = {integers(type, 16 * 64, 1), integers(type, 16 * 64, 2)};
      EXPECT_EQ(difference(compiler, gathered(type, 16, body == wide ? 2 : 64, 16, 16, body),
                           arrays, {.numbers = {{TypeKind::I32, 64}, {TypeKind::I32, 16}}}),
                "")
          << type << body;
    }
  }
}

/// Ten values that a loop carries, each the sum of all: asked one within the other there would be
/// ten factorial ways.
TEST(Runs, ManyValuesThatDependOnEachOther) {
  driver::Compiler compiler;
  constexpr int count = 10;
  const std::string tile = "tile<256xi32>";
  auto listed = [&](auto &&one) {
    std::string out;
    for (int i = 0; i < count; ++i)
      out += cat(i ? ", " : "", one(i));
    return out;
  };
  std::string types = listed([&](int) { return tile; });
  std::string starts, sums;
  for (int i = 0; i < count; ++i) {
    starts += cat("    %c", i, " = constant <i32: ", i, "> : ", tile, "\n    %s", i,
                  " = addi %j, %c", i, " : ", tile, "\n");
    std::string sum = cat("%v", i);
    for (int k = 0; k < count; ++k) {
      sums += cat("      %a", i, "_", k, " = addi ", sum, ", %v", k, " : ", tile, "\n");
      sum = cat("%a", i, "_", k);
    }
    sums += cat("      %n", i, " = andi ", sum, ", %most : ", tile, "\n");
  }
  const std::string text = cat(
      R"(cuda_tile.module @m {
  entry @k(%px: tile<ptr<f32>>, %py: tile<ptr<f32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %end = constant <i32: 3> : tile<i32>
    %most = constant <i32: 255> : tile<256xi32>
    %j = iota : tile<256xi32>
)",
      starts,
      "    %b0 = reshape %px : tile<ptr<f32>> -> tile<1xptr<f32>>\n    %b = broadcast %b0 : ",
      "tile<1xptr<f32>> -> tile<256xptr<f32>>\n    %start = constant <f32: 0.0> : tile<256xf32>\n",
      "    %r:", count + 1, " = for %i in (%zero to %end, step %one) : tile<i32> iter_values(",
      listed([](int i) { return cat("%v", i, " = %s", i); }), ", %acc = %start) -> (", types,
      ", tile<256xf32>) {\n      %p = offset %b, %v0 : tile<256xptr<f32>>, tile<256xi32> -> ",
      "tile<256xptr<f32>>\n      %x, %t = load_ptr_tko weak %p : tile<256xptr<f32>> -> ",
      "tile<256xf32>, token\n      %next = addf %acc, %x : tile<256xf32>\n", sums,
      "      continue ", listed([](int i) { return cat("%n", i); }), ", %next : ", types,
      ", tile<256xf32>\n    }\n",
      "    %d0 = reshape %py : tile<ptr<f32>> -> tile<1xptr<f32>>\n    %d = broadcast %d0 : ",
      "tile<1xptr<f32>> -> tile<256xptr<f32>>\n    %to = offset %d, %j : tile<256xptr<f32>>, ",
      "tile<256xi32> -> tile<256xptr<f32>>\n    %u = store_ptr_tko weak %to, %r#", count,
      " : tile<256xptr<f32>>, tile<256xf32> -> token\n    return\n  }\n}\n");
  EXPECT_EQ(difference(compiler, text, {integers("f32", 512, 1), newArray(TypeKind::F32, 256)}, {}),
            "");
}

/// Products of matrices that are read by pointers: the rows of A as another array names them, B as
/// it lies or turned, with masks at all edges. Copies run ahead of the loop.
TEST(Runs, ProductsOfGatheredRows) {
  driver::Compiler compiler;
  const std::string text = R"(cuda_tile.module @m {
  entry @k(%pa0: tile<ptr<f16>>, %pb0: tile<ptr<f16>>, %pr: tile<ptr<i32>>, %pd0: tile<ptr<f32>>, %k0: tile<i32>, %n0: tile<i32>, %lda0: tile<i32>, %ldb0: tile<i32>) {
    %pa = assume div_by<16>, %pa0 : tile<ptr<f16>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<f16>>
    %pd = assume div_by<16>, %pd0 : tile<ptr<f32>>
    %k1 = assume div_by<{D}>, %k0 : tile<i32>
    %n1 = assume div_by<{D}>, %n0 : tile<i32>
    %lda1 = assume div_by<{D}>, %lda0 : tile<i32>
    %ldb1 = assume div_by<{D}>, %ldb0 : tile<i32>
    %im = iota : tile<{M}xi32>
    %in = iota : tile<{N}xi32>
    %ik = iota : tile<{K}xi32>
    %pr1 = reshape %pr : tile<ptr<i32>> -> tile<1xptr<i32>>
    %pr2 = broadcast %pr1 : tile<1xptr<i32>> -> tile<{M}xptr<i32>>
    %pr3 = offset %pr2, %im : tile<{M}xptr<i32>>, tile<{M}xi32> -> tile<{M}xptr<i32>>
    %rows, %t0 = load_ptr_tko weak %pr3 : tile<{M}xptr<i32>> -> tile<{M}xi32>, token
    %rows1 = reshape %rows : tile<{M}xi32> -> tile<{M}x1xi32>
    %rows2 = broadcast %rows1 : tile<{M}x1xi32> -> tile<{M}x{K}xi32>
    %lda2 = reshape %lda1 : tile<i32> -> tile<1x1xi32>
    %lda = broadcast %lda2 : tile<1x1xi32> -> tile<{M}x{K}xi32>
    %froma = muli %rows2, %lda : tile<{M}x{K}xi32>
    %ka1 = reshape %ik : tile<{K}xi32> -> tile<1x{K}xi32>
    %ka = broadcast %ka1 : tile<1x{K}xi32> -> tile<{M}x{K}xi32>
    %kb1 = reshape %ik : tile<{K}xi32> -> tile<{K}x1xi32>
    %kb = broadcast %kb1 : tile<{K}x1xi32> -> tile<{K}x{N}xi32>
    %nb1 = reshape %in : tile<{N}xi32> -> tile<1x{N}xi32>
    %nb = broadcast %nb1 : tile<1x{N}xi32> -> tile<{K}x{N}xi32>
    %ldb2 = reshape %ldb1 : tile<i32> -> tile<1x1xi32>
    %ldb = broadcast %ldb2 : tile<1x1xi32> -> tile<{K}x{N}xi32>
    %ns1 = reshape %n1 : tile<i32> -> tile<1x1xi32>
    %ns = broadcast %ns1 : tile<1x1xi32> -> tile<{K}x{N}xi32>
    %inb = cmpi less_than %nb, %ns, signed : tile<{K}x{N}xi32> -> tile<{K}x{N}xi1>
    %basea1 = reshape %pa : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %basea = broadcast %basea1 : tile<1x1xptr<f16>> -> tile<{M}x{K}xptr<f16>>
    %baseb1 = reshape %pb : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %baseb = broadcast %baseb1 : tile<1x1xptr<f16>> -> tile<{K}x{N}xptr<f16>>
    %zeroa = constant <f16: 0.0> : tile<{M}x{K}xf16>
    %zerob = constant <f16: 0.0> : tile<{K}x{N}xf16>
    %zero = constant <i32: 0> : tile<i32>
    %step = constant <i32: {K}> : tile<i32>
    %start = constant <f32: 0.0> : tile<{M}x{N}xf32>
    %sum = for %i in (%zero to %k1, step %step) : tile<i32> iter_values(%acc = %start) -> (tile<{M}x{N}xf32>) {
      %i1 = reshape %i : tile<i32> -> tile<1x1xi32>
      %ia = broadcast %i1 : tile<1x1xi32> -> tile<{M}x{K}xi32>
      %ib = broadcast %i1 : tile<1x1xi32> -> tile<{K}x{N}xi32>
      %ks1 = reshape %k1 : tile<i32> -> tile<1x1xi32>
      %ksa = broadcast %ks1 : tile<1x1xi32> -> tile<{M}x{K}xi32>
      %ksb = broadcast %ks1 : tile<1x1xi32> -> tile<{K}x{N}xi32>
      %coa = addi %ia, %ka : tile<{M}x{K}xi32>
      %cob = addi %ib, %kb : tile<{K}x{N}xi32>
      %ina = cmpi less_than %coa, %ksa, signed : tile<{M}x{K}xi32> -> tile<{M}x{K}xi1>
      %inbk = cmpi less_than %cob, %ksb, signed : tile<{K}x{N}xi32> -> tile<{K}x{N}xi1>
      %inb2 = andi %inb, %inbk : tile<{K}x{N}xi1>
      %ata = addi %froma, %coa : tile<{M}x{K}xi32>
      %rb = muli {R}, %ldb : tile<{K}x{N}xi32>
      %atb = addi %rb, {C} : tile<{K}x{N}xi32>
      %qa = offset %basea, %ata : tile<{M}x{K}xptr<f16>>, tile<{M}x{K}xi32> -> tile<{M}x{K}xptr<f16>>
      %qb = offset %baseb, %atb : tile<{K}x{N}xptr<f16>>, tile<{K}x{N}xi32> -> tile<{K}x{N}xptr<f16>>
      %a, %ta = load_ptr_tko weak %qa, %ina, %zeroa : tile<{M}x{K}xptr<f16>>, tile<{M}x{K}xi1>, tile<{M}x{K}xf16> -> tile<{M}x{K}xf16>, token
      %b, %tb = load_ptr_tko weak %qb, %inb2, %zerob : tile<{K}x{N}xptr<f16>>, tile<{K}x{N}xi1>, tile<{K}x{N}xf16> -> tile<{K}x{N}xf16>, token
      %next = mmaf %a, %b, %acc : tile<{M}x{K}xf16>, tile<{K}x{N}xf16>, tile<{M}x{N}xf32>
      continue %next : tile<{M}x{N}xf32>
    }
    %td = make_tensor_view %pd, shape = [{M}, {N}], strides = [{N}, 1] : tensor_view<{M}x{N}xf32, strides=[{N},1]>
    %vd = make_partition_view %td : partition_view<tile=({M}x{N}), tensor_view<{M}x{N}xf32, strides=[{N},1]>>
    %u = store_view_tko weak %sum, %vd[%zero, %zero] : tile<{M}x{N}xf32>, partition_view<tile=({M}x{N}), tensor_view<{M}x{N}xf32, strides=[{N},1]>>, tile<i32> -> token
    return
  }
}
)";
  struct Case {
    const char *arch;
    int64_t m, n, k, depth, columns;
    bool isTurned;
  };
  for (const Case &c :
       {Case{"sm_80", 64, 64, 32, 96, 64, false}, Case{"sm_80", 16, 32, 16, 40, 24, true},
        Case{"sm_90a", 128, 128, 64, 320, 128, false}, Case{"sm_90a", 128, 64, 64, 200, 40, true},
        Case{"sm_90a", 64, 256, 32, 16, 248, false}, Case{"sm_90a", 64, 32, 128, 376, 32, true}})
    for (int64_t divisor : {8, 2}) {
      int64_t height = 300, lda = c.depth + divisor,
              ldb = (c.isTurned ? c.depth : c.columns) + divisor;
      std::string filled = filledIn(text, {{"D", str(divisor)},
                                           {"M", str(c.m)},
                                           {"N", str(c.n)},
                                           {"K", str(c.k)},
                                           {"R", c.isTurned ? "%nb" : "%cob"},
                                           {"C", c.isTurned ? "%cob" : "%nb"}});
      Array rows = newArray(TypeKind::I32, size_t(c.m));
      for (int64_t i = 0; i < c.m; ++i)
        rows.setCode(size_t(i), uint64_t((i * 37 + 11) % height));
      std::vector<Array> arrays = {
          integers("f16", height * lda, 1, 2),
          integers("f16", (c.isTurned ? c.columns : c.depth) * ldb + 8, 2, 2), rows,
          newArray(TypeKind::F32, size_t(c.m * c.n))};
      for (bool sanitizes : {false, true})
        EXPECT_EQ(difference(compiler, filled, arrays,
                             {.arch = c.arch,
                              .numbers = {{TypeKind::I32, uint64_t(c.depth)},
                                          {TypeKind::I32, uint64_t(c.columns)},
                                          {TypeKind::I32, uint64_t(lda)},
                                          {TypeKind::I32, uint64_t(ldb)}},
                              .sanitizes = sanitizes,
                              .instruction = "cp.async"}),
                  "")
            << c.arch << ", " << c.m << "x" << c.n << "x" << c.k << ", multiples of " << divisor;
    }
}

/// The pointers of an operand that fewer threads copy than there are, in a layout that the mask has
/// from the load of a view: they are exchanged before these threads are alone.
TEST(Runs, OperandsWhosePointersLieOtherwise) {
  driver::Compiler compiler;
  const std::string text = R"(cuda_tile.module @m {
  entry @k(%pa0: tile<ptr<f32>>, %pb0: tile<ptr<f32>>, %pm0: tile<ptr<i32>>, %pd0: tile<ptr<f32>>) {
    %pa = assume div_by<16>, %pa0 : tile<ptr<f32>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<f32>>
    %pm = assume div_by<16>, %pm0 : tile<ptr<i32>>
    %pd = assume div_by<16>, %pd0 : tile<ptr<f32>>
    %zero = constant <i32: 0> : tile<i32>
    %va = make_tensor_view %pa, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf32, strides=[8,1]>
    %wa = make_partition_view %va : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>
    %a0, %t0 = load_view_tko weak %wa[%zero, %zero] : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> tile<16x8xf32>, token
    %vm = make_tensor_view %pm, shape = [8, 8], strides = [8, 1] : tensor_view<8x8xi32, strides=[8,1]>
    %wm = make_partition_view %vm : partition_view<tile=(8x8), tensor_view<8x8xi32, strides=[8,1]>>
    %m0, %t1 = load_view_tko weak %wm[%zero, %zero] : partition_view<tile=(8x8), tensor_view<8x8xi32, strides=[8,1]>>, tile<i32> -> tile<8x8xi32>, token
    %none = constant <i32: 0> : tile<8x8xi32>
    %mask = cmpi not_equal %m0, %none, signed : tile<8x8xi32> -> tile<8x8xi1>
    %base0 = reshape %pb : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %base = broadcast %base0 : tile<1x1xptr<f32>> -> tile<8x8xptr<f32>>
    %from = offset %base, %m0 : tile<8x8xptr<f32>>, tile<8x8xi32> -> tile<8x8xptr<f32>>
    %pad = constant <f32: 0.0> : tile<8x8xf32>
    %b0, %t2 = load_ptr_tko weak %from, %mask, %pad : tile<8x8xptr<f32>>, tile<8x8xi1>, tile<8x8xf32> -> tile<8x8xf32>, token
    %a = ftof %a0 : tile<16x8xf32> -> tile<16x8xtf32>
    %b = ftof %b0 : tile<8x8xf32> -> tile<8x8xtf32>
    %start = constant <f32: 0.0> : tile<16x8xf32>
    %d = mmaf %a, %b, %start : tile<16x8xtf32>, tile<8x8xtf32>, tile<16x8xf32>
    %vd = make_tensor_view %pd, shape = [16, 8], strides = [8, 1] : tensor_view<16x8xf32, strides=[8,1]>
    %wd = make_partition_view %vd : partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>
    %u = store_view_tko weak %d, %wd[%zero, %zero] : tile<16x8xf32>, partition_view<tile=(16x8), tensor_view<16x8xf32, strides=[8,1]>>, tile<i32> -> token
    return
  }
}
)";
  Array places = newArray(TypeKind::I32, 64);
  for (int64_t i = 0; i < 64; ++i)
    places.setCode(size_t(i), uint64_t(i * 29 % 64));
  for (const char *arch : {"sm_80", "sm_90a"})
    EXPECT_EQ(difference(compiler, text,
                         {integers("f32", 128, 1), integers("f32", 64, 2), places,
                          newArray(TypeKind::F32, 128)},
                         {.arch = arch, .sanitizes = true, .instruction = "cp.async"}),
              "")
        << arch;
}

/// A comparison that says the same of neighbours is made once for each group of them.
TEST(Runs, ComparisonsOfGroups) {
  driver::Compiler compiler;
  auto comparisons = [&](int64_t ofEdge) {
    std::string text =
        gathered("f16", 1, 1024, 8, ofEdge, rowsOfPitchP + compared("mask", "less_than", "j", "q"));
    std::string ptx = compile(compiler, text, "sm_90a", 1).ptx;
    int64_t out = 0;
    for (size_t at = 0; (at = ptx.find("\tsetp.", at)) != ptx.npos; ++at)
      ++out;
    return out;
  };
  EXPECT_EQ(comparisons(8), 1); // a thread has eight neighbours
  EXPECT_EQ(comparisons(2), 4);
  EXPECT_EQ(comparisons(1), 8);
}
