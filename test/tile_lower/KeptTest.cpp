// Tiles that several loops load: copied once, beside the interpreter, which loads each time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

/// Each block has a row. y[row] = x[row] * 2 + the row's sum + its largest number, in three loops
/// over tiles {From}, {From} + {Step}, ... below %to, of {W} numbers, {Shift} tiles further on.
struct Rows {
  std::string type = "i32";
  int64_t width = 512, from = 0, step = 1, shift = 0;
  std::string sign = "";                          // unsigned, or nothing
  std::string paddings[3] = {"", "", ""};         // of the three loads
  std::string tokens[3] = {"%t0", "%t0", "%t0"};  // that the three loads take
  std::string indices[3] = {"%at", "%at", "%at"}; // of the three loads
  std::string between = "";                       // code before the second loop
  std::string target = "%vy";                     // what the third loop writes to, after its load

  std::string text() const {
    bool isReal = type[0] == 'f';
    std::string out = R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<{T}>>, %py0: tile<ptr<{T}>>, %to: tile<i32>, %columns0: tile<i32>, %rows: tile<i32>) {
    %px = assume div_by<16>, %px0 : tile<ptr<{T}>>
    %py = assume div_by<16>, %py0 : tile<ptr<{T}>>
    %columns1 = assume div_by<8>, %columns0 : tile<i32>
    %columns = assume bounded<0, ?>, %columns1 : tile<i32>
    %vx = make_tensor_view %px, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> {V}
    %vy = make_tensor_view %py, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> {V}
    %t0 = make_token : token
    %row, %b1, %b2 = get_tile_block_id : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %from = constant <i32: {From}> : tile<i32>
    %step = constant <i32: {Step}> : tile<i32>
    %shift = constant <i32: {Shift}> : tile<i32>
    %from2 = constant <i32: {From}> : tile<i32>
    %zeros = constant <{T}: {0}> : tile<1x{W}x{T}>
    %lows = constant <{T}: {Low}> : tile<1x{W}x{T}>
    %p0 = make_partition_view %vx : {P0}
    %sums, %read = for {Sign}%j in (%from to %to, step %step) : tile<i32> iter_values(%s = %zeros, %k = %t0) -> (tile<1x{W}x{T}>, token) {
      %at = addi %j, %shift : tile<i32>
      %next = addi %at, %one : tile<i32>
      %x, %t = load_view_tko weak %p0[%row, {I0}] token = {T0} : {P0}, tile<i32> -> tile<1x{W}x{T}>, token
      %s1 = {add} %s, %x : tile<1x{W}x{T}>
      %k1 = join_tokens %k, %t : token
      continue %s1, %k1 : tile<1x{W}x{T}>, token
    }
    %sum = reduce %sums dim=1 identities=[{0} : {T}] : tile<1x{W}x{T}> -> tile<1x{T}>
    (%l: tile<{T}>, %r: tile<{T}>) {
      %z = {add} %l, %r : tile<{T}>
      yield %z : tile<{T}>
    }
    {Between}
    %p1 = make_partition_view %vx : {P1}
    %tops = for {Sign}%j in (%from2 to %to, step %step) : tile<i32> iter_values(%s = %lows) -> (tile<1x{W}x{T}>) {
      %at = addi %j, %shift : tile<i32>
      %next = addi %at, %one : tile<i32>
      %x, %t = load_view_tko weak %p1[%row, {I1}] token = {T1} : {P1}, tile<i32> -> tile<1x{W}x{T}>, token
      %s1 = {max} %s, %x{signed} : tile<1x{W}x{T}>
      continue %s1 : tile<1x{W}x{T}>
    }
    %top = reduce %tops dim=1 identities=[{Low} : {T}] : tile<1x{W}x{T}> -> tile<1x{T}>
    (%l: tile<{T}>, %r: tile<{T}>) {
      %z = {max} %l, %r{signed} : tile<{T}>
      yield %z : tile<{T}>
    }
    %both = {add} %sum, %top : tile<1x{T}>
    %both1 = reshape %both : tile<1x{T}> -> tile<1x1x{T}>
    %both2 = broadcast %both1 : tile<1x1x{T}> -> tile<1x{W}x{T}>
    %p2 = make_partition_view %vx : {P2}
    %q = make_partition_view {Target} : {P}
    for {Sign}%j in (%from to %to, step %step) : tile<i32> {
      %at = addi %j, %shift : tile<i32>
      %next = addi %at, %one : tile<i32>
      %x, %t = load_view_tko weak %p2[%row, {I2}] token = {T2} : {P2}, tile<i32> -> tile<1x{W}x{T}>, token
      %x2 = {add} %x, %x : tile<1x{W}x{T}>
      %y = {add} %x2, %both2 : tile<1x{W}x{T}>
      %u = store_view_tko weak %y, %q[%row, %at] token = %t : tile<1x{W}x{T}>, {P}, tile<i32> -> token
    }
    return
  }
}
)";
    std::vector<std::pair<std::string, std::string>> words = {
        {"Between", between}, {"Target", target}, {"Sign", sign}};
    for (int i = 0; i < 3; ++i) {
      words.emplace_back(cat("P", i), cat("partition_view<tile=(1x{W}), ", paddings[i], "{V}>"));
      words.emplace_back(cat("I", i), indices[i]);
      words.emplace_back(cat("T", i), tokens[i]);
    }
    words.insert(words.end(), {{"P", "partition_view<tile=(1x{W}), {V}>"},
                               {"V", "tensor_view<?x?x{T}, strides=[?,1]>"},
                               {"T", type},
                               {"W", str(width)},
                               {"From", str(from)},
                               {"Step", str(step)},
                               {"Shift", str(shift)},
                               {"0", isReal ? "0.0" : "0"},
                               {"Low", isReal ? "-1000.0" : "-1000"},
                               {"add", isReal ? "addf" : "addi"},
                               {"max", isReal ? "maxf" : "maxi"},
                               {"signed", isReal ? "" : " signed"}});
    return filledIn(out, words);
  }
};

/// Empty, if three rows of `columns` numbers match with tiles up to number `to`.
std::string wrongWith(driver::Compiler &compiler, const Rows &rows, int64_t to, int64_t columns,
                      const char *instruction = "cp.async", const char *arch = "sm_90a") {
  const std::vector<Array> arrays = {integers(rows.type, 3 * columns, 1),
                                     integers(rows.type, 3 * columns, 2)};
  auto number = [](int64_t value) {
    return Number{TypeKind::I32, uint64_t(value) & lowBits(bitsOf(TypeKind::I32))};
  };
  return difference(compiler, rows.text(), arrays,
                    {.arch = arch,
                     .grid = {3, 1, 1},
                     .numbers = {number(to), number(columns), number(3)},
                     .sanitizes = true,
                     .shuffle = 5,
                     .instruction = instruction});
}

/// Whether any load became a copy.
bool keeps(driver::Compiler &compiler, const Rows &rows) {
  Compiled compiled = compile(compiler, rows.text(), "sm_90a", 1);
  EXPECT_EQ(compiled.error, "");
  return compiled.ptx.find("cp.async") != std::string::npos;
}

const std::string zero = "padding_value = zero, ";

} // namespace

/// Four iterations of 512 numbers of 32 bits are kept: loops with none, fewer, as many and more.
TEST(Kept, AnyNumberOfIterations) {
  driver::Compiler compiler;
  for (const char *arch : {"sm_80", "sm_90a"})
    for (int64_t to : {-3, 0, 1, 3, 4, 5, 9})
      EXPECT_EQ(wrongWith(compiler, {}, to, 9 * 512, "cp.async", arch), "") << to << " on " << arch;
  for (std::string type : {"f16", "f32", "i16"})
    for (int64_t width : {128, 1024, 8192})
      EXPECT_EQ(wrongWith(compiler, {.type = type, .width = width}, 2, 2 * width), "")
          << type << " " << width;
}

/// Bounds and steps of all kinds, some at the ends of the type, where a next number wraps around.
TEST(Kept, AnyBoundsAndSteps) {
  driver::Compiler compiler;
  constexpr int64_t most = 0x7fffffff;
  struct Case {
    int64_t from, to, step, first; // `first`: the number that is the first tile
    const char *sign = "";
  };
  for (const Case &c :
       {Case{2, 11, 3, 2}, Case{-7, 2, 2, -7}, Case{5, 2, 1, 0}, Case{most - 5, most, 2, most - 5},
        Case{most - 1, most, most, most - 1}, Case{-most - 1, -most + 6, 1, -most - 1},
        Case{-6, -1, 2, -6, "unsigned "}, Case{-6, -1, 1, -6, "unsigned "},
        Case{0, 7, most, 0, "unsigned "}, Case{3, 3, 1, 3, "unsigned "}})
    EXPECT_EQ(wrongWith(compiler,
                        {.from = c.from, .step = c.step, .shift = -c.first, .sign = c.sign}, c.to,
                        12 * 512),
              "")
        << c.from << " to " << c.to << " by " << c.step;
}

/// Rows that end within a tile: what is outside is zero, or nothing is known of it and it is not
/// stored.
TEST(Kept, RowsThatEndWithinATile) {
  driver::Compiler compiler;
  for (int64_t columns : {8, 504, 520, 1800, 3000})
    EXPECT_EQ(wrongWith(compiler, {.paddings = {zero, zero, ""}}, (columns + 511) / 512, columns),
              "")
        << columns;
}

/// A loop may write over what all loops have read.
TEST(Kept, InPlace) {
  driver::Compiler compiler;
  for (int64_t to : {1, 4, 7})
    EXPECT_EQ(wrongWith(compiler, {.target = "%vx"}, to, 7 * 512), "") << to;
}

/// What a token puts after a store is loaded again, and so are other tiles.
TEST(Kept, OnlyWhatIsTheSame) {
  driver::Compiler compiler;
  const std::string store = R"(%q1 = make_partition_view %vx : {P}
    %u1 = store_view_tko weak %zeros, %q1[%row, %from] token = %read : tile<1x{W}x{T}>, {P}, tile<i32> -> token)";
  const std::string three[3] = {"%t0", "%u1", "%u1"};
  Rows stored{.between = store};
  std::copy(three, three + 3, stored.tokens);
  EXPECT_EQ(wrongWith(compiler, stored, 6, 6 * 512), "");

  Rows alone{.between = store}; // the last two loops share nothing either
  const std::string indices[3] = {"%at", "%at", "%next"};
  std::copy(three, three + 3, alone.tokens);
  std::copy(indices, indices + 3, alone.indices);
  EXPECT_FALSE(keeps(compiler, alone));
  EXPECT_EQ(wrongWith(compiler, alone, 5, 6 * 512, ""), "");

  const std::string others[3] = {"%next", "%at", "%next"};
  Rows some;
  std::copy(others, others + 3, some.indices);
  EXPECT_EQ(wrongWith(compiler, some, 5, 6 * 512), "");

  EXPECT_TRUE(keeps(compiler, {}));
  const std::string negative = "padding_value = neg_inf, ";
  EXPECT_FALSE(keeps(compiler, {.type = "f32", .paddings = {negative, negative, negative}}));
}

/// Where a program asks for many blocks of a multiprocessor, tiles may not take their memory.
TEST(Kept, LeavesRoomForBlocks) {
  driver::Compiler compiler;
  auto sharedWith = [&](int blocks) {
    std::string text = replaced(
        Rows{}.text(), "%rows: tile<i32>) {",
        cat("%rows: tile<i32>) optimization_hints=<sm_90 = {occupancy = ", blocks, "}> {"));
    Compiled compiled = compile(compiler, text, "sm_90a", 1);
    EXPECT_EQ(compiled.error, "");
    size_t at = compiled.ptx.find(".shared .align 1024 .b8 tile_$_shared[");
    return at == std::string::npos ? 0L
                                   : std::stol(compiled.ptx.substr(compiled.ptx.find('[', at) + 1));
  };
  constexpr long ofMultiprocessor = 228 << 10, reserved = 1 << 10;
  for (int blocks : {1, 4, 8, 16, 32})
    EXPECT_LE(blocks * (sharedWith(blocks) + reserved), ofMultiprocessor) << blocks;
  EXPECT_GE(sharedWith(4), 4 * 512 * 4);
}

/// A loop around the loops: each of its iterations copies again.
TEST(Kept, WithinALoop) {
  driver::Compiler compiler;
  std::string text = Rows{}.text();
  text = replaced(text, "%row, %b1, %b2 = get_tile_block_id : tile<i32>\n",
                  R"(%b0, %b1, %b2 = get_tile_block_id : tile<i32>
    %n0 = constant <i32: 0> : tile<i32>
    %n1 = constant <i32: 1> : tile<i32>
    for %row in (%n0 to %rows, step %n1) : tile<i32> {
)");
  text = replaced(text, "    return\n", "    }\n    return\n");
  const std::vector<Array> arrays = {integers("i32", 3 * 6 * 512, 1),
                                     integers("i32", 3 * 6 * 512, 2)};
  for (uint64_t to : {1, 2, 6})
    EXPECT_EQ(
        difference(compiler, text, arrays,
                   {.arch = "sm_90a",
                    .numbers = {{TypeKind::I32, to}, {TypeKind::I32, 6 * 512}, {TypeKind::I32, 3}},
                    .sanitizes = true,
                    .shuffle = 3,
                    .instruction = "cp.async"}),
        "")
        << to;
}

/// Loops that run once have a version of their own. What one of the loads leaves open outside of
/// the row, another one asks to be zero.
TEST(Once, PaddingsOfAllKinds) {
  driver::Compiler compiler;
  for (const std::string &first : {std::string(), zero})
    for (const std::string &second : {std::string(), zero})
      for (int64_t columns : {8, 500, 512}) {
        Rows rows{.paddings = {first, second, ""}};
        bool isWhole = columns == 512;
        if (isWhole || (!first.empty() && !second.empty()))
          EXPECT_EQ(wrongWith(compiler, rows, 1, columns), "") << first << second << columns;
      }
  // The sum is that of a whole row, so that only the second load says what is outside.
  Rows late{.paddings = {"", zero, zero}};
  const std::string text = replaced(late.text(), "%s1 = addi %s, %x :", "%s1 = addi %s, %s :");
  const std::vector<Array> arrays = {integers("i32", 3 * 104, 1), integers("i32", 3 * 104, 2)};
  EXPECT_EQ(difference(compiler, text, arrays,
                       {.arch = "sm_90a",
                        .grid = {3, 1, 1},
                        .numbers = {{TypeKind::I32, 1}, {TypeKind::I32, 104}, {TypeKind::I32, 3}},
                        .sanitizes = true}),
            "");
}

/// Tiles that are too large to be copied are still loaded once.
TEST(Once, LargeTiles) {
  driver::Compiler compiler;
  constexpr int64_t width = 16384;
  for (int64_t to : {0, 1, 2})
    EXPECT_EQ(wrongWith(compiler, {.type = "f32", .width = width}, to, 2 * width, ""), "") << to;
  auto loadsIn = [&](int64_t tile) {
    Compiled compiled = compile(compiler, Rows{.type = "f32", .width = tile}.text(), "sm_90a", 1);
    EXPECT_EQ(compiled.error, "");
    const std::string load = "ld.global.v4";
    int64_t count = 0;
    for (size_t at = 0; (at = compiled.ptx.find(load, at)) != std::string::npos; at += load.size())
      ++count;
    return count * 4 * compiled.threads();
  };
  EXPECT_EQ(loadsIn(width), (1 + 3) * width); // once, and in each of the loops
}

/// A sum that begins with +0 is +0 where all numbers are -0.
TEST(Once, SumsOfZeros) {
  driver::Compiler compiler;
  constexpr int64_t columns = 512;
  constexpr uint64_t negativeZero = 0x80000000, notANumber = 0x7fc00000;
  Array x = newArray(TypeKind::F32, 3 * columns);
  for (size_t i = 0; i < x.size(); ++i)
    x.setCode(i, negativeZero);
  x.setCode(columns + 3, 0);              // of the second row
  x.setCode(2 * columns + 3, notANumber); // of the third
  const std::vector<Array> arrays = {x, newArray(TypeKind::F32, 3 * columns)};
  for (const char *arch : {"sm_80", "sm_90a", "sm_120a"})
    EXPECT_EQ(
        difference(compiler, Rows{.type = "f32"}.text(), arrays,
                   {.arch = arch,
                    .grid = {3, 1, 1},
                    .numbers = {{TypeKind::I32, 1}, {TypeKind::I32, columns}, {TypeKind::I32, 3}},
                    .sanitizes = true}),
        "")
        << arch;
}

/// The same for tiles of several rows, each with a sum of its own.
TEST(Once, SumsOfZerosInSeveralRows) {
  driver::Compiler compiler;
  const std::string text = R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<f32>>, %py0: tile<ptr<f32>>, %to: tile<i32>) {
    %px = assume div_by<16>, %px0 : tile<ptr<f32>>
    %py = assume div_by<16>, %py0 : tile<ptr<f32>>
    %vx = make_tensor_view %px, shape = [{R}, {C}], strides = [{C}, 1] : {V}
    %vy = make_tensor_view %py, shape = [{R}, {C}], strides = [{C}, 1] : {V}
    %x = make_partition_view %vx : {P}
    %y = make_partition_view %vy : {P}
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : {T}
    %t0 = make_token : token
    %sums = for %j in (%zero to %to, step %one) : tile<i32> iter_values(%s = %zeros) -> ({T}) {
      %a, %t = load_view_tko weak %x[%zero, %j] token = %t0 : {P}, tile<i32> -> {T}, token
      %s1 = addf %s, %a : {T}
      continue %s1 : {T}
    }
    %sum = reduce %sums dim=1 identities=[0.0 : f32] : {T} -> tile<{R}xf32>
    (%l: tile<f32>, %r: tile<f32>) {
      %z = addf %l, %r : tile<f32>
      yield %z : tile<f32>
    }
    %column = reshape %sum : tile<{R}xf32> -> tile<{R}x1xf32>
    %all = broadcast %column : tile<{R}x1xf32> -> {T}
    for %j in (%zero to %to, step %one) : tile<i32> {
      %a, %t = load_view_tko weak %x[%zero, %j] token = %t0 : {P}, tile<i32> -> {T}, token
      %b = addf %a, %all : {T}
      %u = store_view_tko weak %b, %y[%zero, %j] token = %t : {T}, {P}, tile<i32> -> token
    }
    return
  }
}
)";
  constexpr int64_t elements = 4096;
  constexpr uint64_t negativeZero = 0x80000000, one = 0x3f800000;
  for (int64_t rows : {4, 64, 256, 1024}) {
    const std::string filled = filledIn(text, {{"P", "partition_view<tile=({R}x{C}), {V}>"},
                                               {"V", "tensor_view<{R}x{C}xf32, strides=[{C},1]>"},
                                               {"T", "tile<{R}x{C}xf32>"},
                                               {"R", str(rows)},
                                               {"C", str(elements / rows)}});
    Array x = newArray(TypeKind::F32, elements);
    for (size_t i = 0; i < x.size(); ++i)
      x.setCode(i, int64_t(i) * rows / elements % 3 == 2 && i % 2 ? one : negativeZero);
    const std::vector<Array> arrays = {x, newArray(TypeKind::F32, elements)};
    EXPECT_EQ(difference(compiler, filled, arrays,
                         {.arch = "sm_90a", .numbers = {{TypeKind::I32, 1}}, .sanitizes = true}),
              "")
        << rows;
  }
}
