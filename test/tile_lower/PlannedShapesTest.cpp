// Reductions, transpositions, loops over edges and ops between forms, made for many shapes and
// types. Level 1 beside the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are small integers, whose sums are exact in any order, so that results are equal bit by
// bit.
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

/// A tile of a rank, loaded, `body` applied (%t to %r), and stored in tensors of the shapes.
std::string mapped(const std::string &type, const std::vector<int64_t> &tile,
                   const std::vector<int64_t> &tensor, const std::vector<int64_t> &resultTile,
                   const std::vector<int64_t> &resultTensor, const std::string &resultType,
                   const std::string &body) {
  auto list = [](const std::vector<int64_t> &numbers, const char *between) {
    std::string out;
    for (int64_t n : numbers)
      out += (out.empty() ? "" : between) + str(n);
    return out;
  };
  auto stridesOf = [](const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;)
      strides[d - 1] = strides[d] * shape[d];
    return strides;
  };
  auto numbers = [&](const std::vector<int64_t> &shape) {
    return cat("shape = [", list(shape, ", "), "], strides = [", list(stridesOf(shape), ", "), "]");
  };
  auto view = [&](const std::vector<int64_t> &shape, const std::string &element) {
    std::vector<int64_t> strides = stridesOf(shape);
    return cat("tensor_view<", list(shape, "x"), "x", element, ", strides=[", list(strides, ","),
               "]>");
  };
  std::string zeros, resultZeros;
  for (size_t d = 0; d < tile.size(); ++d)
    zeros += d ? ", %zero" : "%zero";
  for (size_t d = 0; d < resultTile.size(); ++d)
    resultZeros += d ? ", %zero" : "%zero";
  std::string from = cat("partition_view<tile=(", list(tile, "x"), "), padding_value = zero, ",
                         view(tensor, type), ">");
  std::string to = cat("partition_view<tile=(", list(resultTile, "x"), "), ",
                       view(resultTensor, resultType), ">");
  std::string tt = cat("tile<", list(tile, "x"), "x", type, ">");
  std::string rt = cat("tile<", list(resultTile, "x"), "x", resultType, ">");
  return cat("cuda_tile.module @m {\n  entry @k(%px0: tile<ptr<", type, ">>, %py0: tile<ptr<",
             resultType, ">>) {\n    %px = assume div_by<16>, %px0 : tile<ptr<", type,
             ">>\n    %py = assume div_by<16>, %py0 : tile<ptr<", resultType,
             ">>\n    %zero = constant <i32: 0> : tile<i32>\n    %vx = make_tensor_view %px, ",
             numbers(tensor), " : ", view(tensor, type), "\n    %vy = make_tensor_view %py, ",
             numbers(resultTensor), " : ", view(resultTensor, resultType),
             "\n    %x = make_partition_view %vx : ", from,
             "\n    %y = make_partition_view %vy : ", to, "\n    %t, %tx = load_view_tko weak %x[",
             zeros, "] : ", from, ", tile<i32> -> ", tt, ", token\n    ", body,
             "\n    %ty = store_view_tko weak %r, %y[", resultZeros, "] : ", rt, ", ", to,
             ", tile<i32> -> token\n    return\n  }\n}\n");
}
std::string tileOf(const std::vector<int64_t> &shape, const std::string &type) {
  std::string out = "tile<";
  for (int64_t n : shape)
    out += str(n) + "x";
  return out + type + ">";
}
int64_t product(const std::vector<int64_t> &shape) {
  int64_t out = 1;
  for (int64_t n : shape)
    out *= n;
  return out;
}

} // namespace

TEST(Planned, ReductionsAlongEachDimension) {
  driver::Compiler compiler;
  for (const std::vector<int64_t> &tile : std::vector<std::vector<int64_t>>{
           {8}, {512}, {32, 64}, {4, 1024}, {128, 128}, {2, 16, 64}, {2, 4, 8, 128}})
    for (size_t dim = 0; dim < tile.size(); ++dim)
      for (std::string type : {"f32", "f16", "i32", "i64"}) {
        // Sums of the rows, spread over them and added: sums that all threads have to know.
        std::vector<int64_t> sums = tile, kept = tile;
        sums.erase(sums.begin() + ptrdiff_t(dim));
        kept[dim] = 1;
        bool isFloat = type[0] == 'f';
        std::string body =
            cat("%s = reduce %t dim=", dim, " identities=[", isFloat ? "0.000000e+00" : "0", " : ",
                type, "] : ", tileOf(tile, type), " -> ", tileOf(sums, type), "\n    (%a: tile<",
                type, ">, %b: tile<", type, ">) {\n      %c = ", isFloat ? "addf" : "addi",
                " %a, %b : tile<", type, ">\n      yield %c : tile<", type,
                ">\n    }\n    %k = reshape %s : ", tileOf(sums, type), " -> ", tileOf(kept, type),
                "\n    %w = broadcast %k : ", tileOf(kept, type), " -> ", tileOf(tile, type),
                "\n    %r = ", isFloat ? "addf" : "addi", " %w, %t : ", tileOf(tile, type));
        std::vector<Array> arrays = {integers(type, product(tile), 1),
                                     newArray(kindNamed(type), size_t(product(tile)))};
        EXPECT_EQ(difference(compiler, mapped(type, tile, tile, tile, tile, type, body), arrays,
                             {.sanitizes = true}),
                  "")
            << tileOf(tile, type) << " along " << dim;
      }
}

/// Loops without products: sums of rows in parts, of two tensors, one of which has no edge. Up to
/// four iterations are made at once; there are 1 to 33.
TEST(Planned, LoadsOfSeveralIterations) {
  driver::Compiler compiler;
  for (std::string type : {"f32", "f16"})
    for (int64_t columns : {8, 512, 2048, 2056})
      for (int64_t part : {64, 512, 1024}) {
        std::string text = R"(cuda_tile.module @m {
  entry @k(%px0: tile<ptr<{T}>>, %py0: tile<ptr<{T}>>, %pz: tile<ptr<{T}>>) {
    %px = assume div_by<16>, %px0 : tile<ptr<{T}>>
    %py = assume div_by<16>, %py0 : tile<ptr<{T}>>
    %vx = make_tensor_view %px, shape = [3, {C}], strides = [{C}, 1] : tensor_view<3x{C}x{T}, strides=[{C},1]>
    %vy = make_tensor_view %py, shape = [{C}], strides = [1] : tensor_view<{C}x{T}, strides=[1]>
    %vz = make_tensor_view %pz, shape = [3, {N}], strides = [{N}, 1] : tensor_view<3x{N}x{T}, strides=[{N},1]>
    %x = make_partition_view %vx : partition_view<tile=(1x{N}), padding_value = zero, tensor_view<3x{C}x{T}, strides=[{C},1]>>
    %y = make_partition_view %vy : partition_view<tile=({N}), padding_value = zero, tensor_view<{C}x{T}, strides=[1]>>
    %z = make_partition_view %vz : partition_view<tile=(1x{N}), tensor_view<3x{N}x{T}, strides=[{N},1]>>
    %row, %j, %k = get_tile_block_id : tile<i32>
    %rows, %end = get_index_space_shape %x : partition_view<tile=(1x{N}), padding_value = zero, tensor_view<3x{C}x{T}, strides=[{C},1]>> -> tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <{T}: 0.0> : tile<1x{N}x{T}>
    %sum = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<1x{N}x{T}>) {
      %a, %ta = load_view_tko weak %x[%row, %i] : partition_view<tile=(1x{N}), padding_value = zero, tensor_view<3x{C}x{T}, strides=[{C},1]>>, tile<i32> -> tile<1x{N}x{T}>, token
      %b0, %tb = load_view_tko weak %y[%i] : partition_view<tile=({N}), padding_value = zero, tensor_view<{C}x{T}, strides=[1]>>, tile<i32> -> tile<{N}x{T}>, token
      %b = reshape %b0 : tile<{N}x{T}> -> tile<1x{N}x{T}>
      %c = subf %a, %b : tile<1x{N}x{T}>
      %next = addf %acc, %c : tile<1x{N}x{T}>
      continue %next : tile<1x{N}x{T}>
    }
    %u = store_view_tko weak %sum, %z[%row, %zero] : tile<1x{N}x{T}>, partition_view<tile=(1x{N}), tensor_view<3x{N}x{T}, strides=[{N},1]>>, tile<i32> -> token
    return
  }
}
)";
        text = filledIn(text, {{"T", type}, {"C", str(columns)}, {"N", str(part)}});
        std::vector<Array> arrays = {integers(type, 3 * columns, 1), integers(type, columns, 2),
                                     newArray(kindNamed(type), size_t(3 * part))};
        for (bool sanitizes : {false, true})
          EXPECT_EQ(difference(compiler, text, arrays,
                               {.grid = {3, 1, 1},
                                .sanitizes = sanitizes,
                                .instruction = type == "f16" ? "ld.global.v4.b32" : ""}),
                    "")
              << type << ": " << columns << " columns in parts of " << part;
      }
}

/// Numbers of iterations, steps and widths of the loop's number, up to the largest one; loads and
/// stores of the same loop, and loads that wait for what the loop stored before.
TEST(Planned, SeveralIterationsEndWhereTheLoopDoes) {
  driver::Compiler compiler;
  struct Bounds {
    const char *type, *compare;
    int64_t lower, upper, step;
  };
  for (const Bounds &b :
       {Bounds{"i32", "", 0, 0, 1}, Bounds{"i32", "", 0, 1, 1}, Bounds{"i32", "", 0, 3, 1},
        Bounds{"i32", "", 0, 4, 1}, Bounds{"i32", "", 2, 9, 1}, Bounds{"i32", "", 0, 16, 3},
        Bounds{"i32", "", 5, 2, 1}, Bounds{"i8", "", 100, 127, 7}, Bounds{"i8", "", -128, 127, 85},
        Bounds{"i8", "unsigned ", 120, -1, 30}, Bounds{"i16", "", 32700, 32767, 13},
        Bounds{"i32", "", 2147483600, 2147483647, 12}})
    for (bool waits : {false, true}) {
      std::string text = R"(cuda_tile.module @m {
  entry @k(%px: tile<ptr<i32>>, %py: tile<ptr<i32>>, %lower: tile<{I}>, %upper: tile<{I}>, %step: tile<{I}>) {
    %t0 = make_token : token
    %j = iota : tile<256xi32>
    %b0 = reshape %px : tile<ptr<i32>> -> tile<1xptr<i32>>
    %b = broadcast %b0 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %c0 = reshape %py : tile<ptr<i32>> -> tile<1xptr<i32>>
    %c = broadcast %c0 : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %mask = constant <i32: 15> : tile<{I}>
    %one = constant <i32: 1> : tile<256xi32>
    %start = constant <i32: 0> : tile<256xi32>
    %sum, %t9 = for {U}%i in (%lower to %upper, step %step) : tile<{I}> iter_values(%acc = %start, %t1 = %t0) -> (tile<256xi32>, token) {
      %m0 = andi %i, %mask : tile<{I}>
      {W}
      %m1 = reshape %m : tile<i32> -> tile<1xi32>
      %m2 = broadcast %m1 : tile<1xi32> -> tile<256xi32>
      %scale = constant <i32: 256> : tile<256xi32>
      %m3 = muli %m2, %scale : tile<256xi32>
      %at = addi %m3, %j : tile<256xi32>
      %from = offset {B}, %at : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
      %to = offset %c, %at : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
      %x, %t2 = load_ptr_tko weak %from token={K} : tile<256xptr<i32>> -> tile<256xi32>, token
      %twice = addi %acc, %acc : tile<256xi32>
      %next = addi %twice, %x : tile<256xi32>
      %t3 = store_ptr_tko weak %to, %next token=%t2 : tile<256xptr<i32>>, tile<256xi32> -> token
      continue %next, %t3 : tile<256xi32>, token
    }
    %at9 = constant <i32: 4096> : tile<256xi32>
    %at8 = addi %at9, %j : tile<256xi32>
    %to9 = offset %c, %at8 : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %t8 = store_ptr_tko weak %to9, %sum token=%t9 : tile<256xptr<i32>>, tile<256xi32> -> token
    return
  }
}
)";
      std::string type = b.type;
      std::string widened = type == "i32"
                                ? "%zero = constant <i32: 0> : tile<i32>\n      %m = addi "
                                  "%m0, %zero : tile<i32>"
                                : "%m = exti %m0 signed : tile<{I}> -> tile<i32>";
      text = filledIn(text, {{"W", widened},
                             {"U", b.compare},
                             {"B", waits ? "%c" : "%b"},
                             {"K", waits ? "%t1" : "%t0"}});
      text = replaced(filledIn(text, {{"I", type}}), cat("<i32: 15> : tile<", type, ">"),
                      cat("<", type, ": 15> : tile<", type, ">"));
      auto number = [&](int64_t value) {
        TypeKind kind = kindNamed(type);
        return Number{kind, uint64_t(value) & lowBits(bitsOf(kind))};
      };
      std::vector<Array> arrays = {integers("i32", 4096, 1, 99), integers("i32", 4096 + 256, 2, 9)};
      EXPECT_EQ(difference(compiler, text, arrays,
                           {.numbers = {number(b.lower), number(b.upper), number(b.step)},
                            .sanitizes = true}),
                "")
          << b.compare << type << " from " << b.lower << " to " << b.upper << " by " << b.step
          << (waits ? ", waiting" : "");
    }
}

/// The place of the largest element: a combiner that knows two operands, and is told the order.
TEST(Planned, ReductionsOfPairs) {
  driver::Compiler compiler;
  for (std::vector<int64_t> tile : std::vector<std::vector<int64_t>>{{64}, {16, 256}, {64, 32}})
    for (size_t dim = 0; dim < tile.size(); ++dim) {
      std::vector<int64_t> out = tile;
      out.erase(out.begin() + ptrdiff_t(dim));
      std::vector<int64_t> shape(tile.size(), 1);
      shape[dim] = tile[dim];
      std::string t = tileOf(tile, "f32"), i = tileOf(tile, "i32");
      std::vector<int64_t> stored = out.empty() ? std::vector<int64_t>{1} : out;
      std::string body = cat(
          "%n0 = iota : tile<", tile[dim], "xi32>\n    %n1 = reshape %n0 : tile<", tile[dim],
          "xi32> -> ", tileOf(shape, "i32"), "\n    %n = broadcast %n1 : ", tileOf(shape, "i32"),
          " -> ", i, "\n    %v, %at = reduce %t, %n dim=", dim,
          " identities=[-1.000000e+03 : f32, 0 : i32] : ", t, ", ", i, " -> ", tileOf(out, "f32"),
          ", ", tileOf(out, "i32"),
          "\n    (%a: tile<f32>, %b: tile<f32>, %c: tile<i32>, %d: tile<i32>) {\n      %g = cmpf "
          "greater_than ordered %a, %b : tile<f32> -> tile<i1>\n      %e = select %g, %a, %b : "
          "tile<i1>, tile<f32>\n      %f = select %g, %c, %d : tile<i1>, tile<i32>\n      yield "
          "%e, %f : tile<f32>, tile<i32>\n    }\n    %r = reshape %at : ",
          tileOf(out, "i32"), " -> ", tileOf(stored, "i32"));
      std::vector<Array> arrays = {integers("f32", product(tile), 5, 9),
                                   newArray(TypeKind::I32, size_t(product(stored)))};
      EXPECT_EQ(
          difference(compiler, mapped("f32", tile, tile, stored, stored, "i32", body), arrays, {}),
          "")
          << t << " along " << dim;
    }
}

TEST(Planned, Transpositions) {
  driver::Compiler compiler;
  for (std::string type : {"i8", "f16", "f32", "i64"})
    for (auto [rows, columns] :
         {std::pair<int64_t, int64_t>{32, 32}, {64, 16}, {8, 256}, {128, 128}})
      for (int64_t less : {0, 3}) {
        std::vector<int64_t> tile = {rows, columns}, tensor = {rows - less, columns - less};
        std::vector<int64_t> other = {columns, rows}, otherTensor = {columns - less, rows - less};
        std::string body =
            cat("%r = permute %t [1, 0] : ", tileOf(tile, type), " -> ", tileOf(other, type));
        std::vector<Array> arrays = {integers(type, product(tensor), 1, 100),
                                     newArray(kindNamed(type), size_t(product(otherTensor)))};
        EXPECT_EQ(difference(compiler, mapped(type, tile, tensor, other, otherTensor, type, body),
                             arrays, {.sanitizes = true}),
                  "")
            << tileOf(tile, type) << " less " << less;
      }
}

/// Elements of several widths in one class: each has vectors of its own length.
TEST(Planned, WidthsOfOneLayout) {
  driver::Compiler compiler;
  for (int64_t count : {8, 64, 256, 2048})
    for (std::string from : {"i8", "i16", "i64"})
      for (std::string to : {"i8", "i32", "i64"}) {
        if (from == to)
          continue;
        bool widens = bitsOf(kindNamed(from)) < bitsOf(kindNamed(to));
        for (int64_t less : {0, 5}) {
          std::vector<int64_t> tile = {count}, tensor = {count - less};
          // What was there before is loaded too.
          std::string t = tileOf(tile, to);
          std::string body =
              cat("%w = ", widens ? "exti %t signed : " : "trunci %t : ", tileOf(tile, from),
                  " -> ", t, "\n    %o, %to = load_view_tko weak %y[%zero] : partition_view<tile=(",
                  count, "), tensor_view<", tensor[0], "x", to, ", strides=[1]>>, tile<i32> -> ", t,
                  ", token\n    %r = addi %w, %o : ", t);
          std::vector<Array> arrays = {integers(from, tensor[0], 1, 50),
                                       integers(to, tensor[0], 2, 50)};
          std::string text = mapped(from, tile, tensor, tile, tensor, to, body);
          text = replaced(text, "%r, %y[%zero]", "%r, %y[%zero] token = %to");
          EXPECT_EQ(difference(compiler, text, arrays, {}), "")
              << from << " to " << to << ", " << tensor[0] << " of " << count;
        }
      }
}

TEST(Planned, PermutationsOfHigherRanks) {
  driver::Compiler compiler;
  std::vector<int64_t> tile = {4, 8, 2, 32};
  for (std::array<int, 4> order :
       {std::array{0, 1, 3, 2}, {3, 2, 1, 0}, {1, 0, 2, 3}, {2, 3, 0, 1}, {1, 3, 0, 2}}) {
    std::vector<int64_t> other;
    for (int d : order)
      other.push_back(tile[size_t(d)]);
    std::string body = cat("%r = permute %t [", order[0], ", ", order[1], ", ", order[2], ", ",
                           order[3], "] : ", tileOf(tile, "f16"), " -> ", tileOf(other, "f16"));
    std::vector<Array> arrays = {integers("f16", product(tile), 1, 1000),
                                 newArray(TypeKind::F16, size_t(product(other)))};
    EXPECT_EQ(
        difference(compiler, mapped("f16", tile, tile, other, other, "f16", body), arrays, {}), "")
        << order[0] << order[1] << order[2] << order[3];
  }
}

/// What level 0 does to a tile that has a layout, and what becomes of its results.
TEST(Planned, OpsOfLevel0InBetween) {
  driver::Compiler compiler;
  for (int64_t columns : {16, 128}) {
    std::vector<int64_t> tile = {64, columns};
    std::string t = tileOf(tile, "f32");
    std::vector<int64_t> half = {32, columns};
    std::string h = tileOf(half, "f32");
    std::string body =
        cat("%one = constant <i32: 1> : tile<i32>\n    %h1 = extract %t[%one, %zero] : ", t, " -> ",
            h, "\n    %h0 = extract %t[%zero, %zero] : ", t, " -> ", h,
            "\n    %w = cat %h1, %h0 dim = 0 : ", h, ", ", h, " -> ", t,
            "\n    %r = addf %w, %t : ", t);
    std::vector<Array> arrays = {integers("f32", product(tile), 1),
                                 newArray(TypeKind::F32, size_t(product(tile)))};
    EXPECT_EQ(difference(compiler, mapped("f32", tile, tile, tile, tile, "f32", body), arrays,
                         {.sanitizes = true}),
              "")
        << t;
  }
}

/// Chunks of rows that start at any element, or at one that is known to be aligned.
TEST(Planned, GatheredChunks) {
  driver::Compiler compiler;
  const std::string tensor = "tensor_view<20x48xf32, strides=[48,1]>",
                    from = "gather_scatter_view<tile=(16x16), padding_value = neg_inf, " + tensor +
                           ", sparse_dim=0>",
                    to = "gather_scatter_view<tile=(16x16), " + tensor + ", sparse_dim=0>";
  const std::string text =
      "cuda_tile.module @m {\n  entry @k(%p0: tile<ptr<f32>>, %q0: "
      "tile<ptr<f32>>, %n: tile<i32>, %m: tile<i32>) {\n"
      "%p = assume div_by<16>, %p0 : tile<ptr<f32>>\n"
      "%q = assume div_by<16>, %q0 : tile<ptr<f32>>\n"
      "%start = assume div_by<4>, %m : tile<i32>\n"
      "%i = iota : tile<16xi32>\n%three = constant <i32: 3> : tile<16xi32>\n"
      "%rows = xori %i, %three : tile<16xi32>\n"
      "%a = make_tensor_view %p, shape = [20, 48], strides = [48, 1] : {TENSOR}\n"
      "%b = make_tensor_view %q, shape = [20, 48], strides = [48, 1] : {TENSOR}\n"
      "%v = make_gather_scatter_view %a : {FROM}\n"
      "%w = make_gather_scatter_view %b : {TO}\n"
      "%x, %t = load_view_tko weak %v[%rows, %n] : {FROM}, tile<16xi32>, "
      "tile<i32> -> tile<16x16xf32>, token\n"
      "%u = store_view_tko weak %x, %w[%i, %start] : tile<16x16xf32>, {TO}, "
      "tile<16xi32>, tile<i32> -> token\nreturn\n  }\n}\n";
  for (auto [n, m] : {std::pair(3, 8), std::pair(40, 20), std::pair(-5, -8), std::pair(0, 44)})
    for (int level : {0, 1})
      EXPECT_EQ(
          difference(compiler, filledIn(text, {{"FROM", from}, {"TO", to}, {"TENSOR", tensor}}),
                     {integers("f32", 960, 1, 99), integers("f32", 960, 2, 99)},
                     {.level = level,
                      .numbers = {{TypeKind::I32, uint32_t(n)}, {TypeKind::I32, uint32_t(m)}}}),
          "")
          << n << ", " << m << " at level " << level;
}

namespace {

/// A kernel that loads tiles of a shape and stores what `body` makes of %x and %y: %r.
std::string partsOf(const std::string &shape, const std::string &result, const std::string &body) {
  auto view = [](const std::string &name, const std::string &pointer, const std::string &dims) {
    std::vector<int64_t> extents;
    for (size_t at = 0; at < dims.size();
         at = dims.find('x', at) == dims.npos ? dims.size() : dims.find('x', at) + 1)
      extents.push_back(std::stoll(dims.substr(at)));
    std::string list, steps;
    int64_t step = 1;
    for (size_t d = extents.size(); d-- > 0; step *= extents[d]) {
      list = cat(extents[d], list.empty() ? "" : ", ", list);
      steps = cat(step, steps.empty() ? "" : ",", steps);
    }
    std::string tensor = cat("tensor_view<", dims, "xi32, strides=[", steps, "]>");
    return cat("    %v", name, " = make_tensor_view ", pointer, ", shape = [", list,
               "], strides = [", steps, "] : ", tensor, "\n    %w", name,
               " = make_partition_view %v", name, " : partition_view<tile=(", dims, "), ", tensor,
               ">\n");
  };
  auto typeOf = [&](const std::string &dims) {
    std::string out = view("", "", dims);
    return out.substr(out.rfind("partition_view<"), out.size() - 1 - out.rfind("partition_view<"));
  };
  auto indices = [](const std::string &dims) {
    std::string out = "%zero";
    for (char c : dims)
      out += c == 'x' ? ", %zero" : "";
    return out;
  };
  std::string text = "cuda_tile.module @m {\n  entry @k(%px: tile<ptr<i32>>, %py: tile<ptr<i32>>, "
                     "%pr: tile<ptr<i32>>, %n: tile<i32>) {\n";
  for (int64_t i : {0, 1, 2, 3})
    text += cat("    ", i ? cat("%c", i) : "%zero", " = constant <i32: ", i, "> : tile<i32>\n");
  text += view("x", "%px", shape) + view("y", "%py", shape) + view("r", "%pr", result);
  for (const char *name : {"x", "y"})
    text += cat("    %", name, ", %t", name, " = load_view_tko weak %w", name, "[", indices(shape),
                "] : ", typeOf(shape), ", tile<i32> -> tile<", shape, "xi32>, token\n");
  text += body;
  return text + cat("    %u = store_view_tko weak %r, %wr[", indices(result), "] : tile<", result,
                    "xi32>, ", typeOf(result), ", tile<i32> -> token\n    return\n  }\n}\n");
}

std::string wrongParts(driver::Compiler &compiler, const std::string &shape, int64_t count,
                       const std::string &result, int64_t ofResult, const std::string &body) {
  const std::vector<Array> arrays = {integers("i32", count, 1, 1000000),
                                     integers("i32", count, 2, 1000000),
                                     newArray(TypeKind::I32, size_t(ofResult))};
  return difference(compiler, partsOf(shape, result, body), arrays,
                    {.numbers = {{TypeKind::I32, 1}}, .sanitizes = true});
}

} // namespace

/// Parts at places that are known, along each dimension: the bits that choose a part are those of
/// registers, of threads, or of both. A place that is not known is read at run time.
TEST(PlannedShapes, PartsOfTiles) {
  driver::Compiler compiler;
  struct Case {
    std::string from, to, at;
  };
  for (const Case &c :
       {Case{"4096x2", "4096x1", "%zero, %c1"}, Case{"2x4096", "1x4096", "%c1, %zero"},
        Case{"16x16x8", "16x4x8", "%zero, %c3, %zero"}, Case{"8x8x8", "2x4x2", "%c3, %c1, %c2"},
        Case{"64x64", "64x16", "%zero, %c2"}, Case{"64x64", "16x64", "%c3, %zero"},
        Case{"4x4", "1x1", "%c2, %c3"}, Case{"8192", "2048", "%c3"},
        Case{"4096x2", "4096x1", "%zero, %n"}, Case{"64x64", "32x32", "%n, %c1"}}) {
    auto countOf = [](const std::string &shape) {
      int64_t out = 1;
      for (size_t at = 0;; at = shape.find('x', at) + 1) {
        out *= std::stoll(shape.substr(at));
        if (shape.find('x', at) == shape.npos)
          return out;
      }
    };
    std::string body =
        cat("    %r = extract %x[", c.at, "] : tile<", c.from, "xi32> -> tile<", c.to, "xi32>\n");
    EXPECT_EQ(wrongParts(compiler, c.from, countOf(c.from), c.to, countOf(c.to), body), "")
        << c.from << " " << c.to;
    // The same of numbers that are computed, beside a sum of two parts.
    std::string other = cat(
        "    %s = addi %x, %y : tile<", c.from, "xi32>\n    %e = extract %s[", c.at, "] : tile<",
        c.from, "xi32> -> tile<", c.to, "xi32>\n    %f = extract %x[", c.at, "] : tile<", c.from,
        "xi32> -> tile<", c.to, "xi32>\n    %r = addi %e, %f : tile<", c.to, "xi32>\n");
    EXPECT_EQ(wrongParts(compiler, c.from, countOf(c.from), c.to, countOf(c.to), other), "")
        << c.from << " " << c.to;
  }
}

TEST(PlannedShapes, TilesPutTogether) {
  driver::Compiler compiler;
  struct Case {
    std::string from, to;
    int64_t dim, count;
  };
  for (const Case &c : {Case{"4096x1", "4096x2", 1, 4096}, Case{"1x4096", "2x4096", 0, 4096},
                        Case{"16x4x8", "16x8x8", 1, 512}, Case{"2x2", "2x4", 1, 4},
                        Case{"64x32", "64x64", 1, 2048}, Case{"32x64", "64x64", 0, 2048},
                        Case{"128", "256", 0, 128}, Case{"8192", "16384", 0, 8192}}) {
    for (const char *second : {"%y", "%k"}) {
      std::string body = cat("    %k = constant <i32: 5> : tile<", c.from,
                             "xi32>\n    %r = cat %x, ", second, " dim = ", c.dim, " : tile<",
                             c.from, "xi32>, tile<", c.from, "xi32> -> tile<", c.to, "xi32>\n");
      EXPECT_EQ(wrongParts(compiler, c.from, c.count, c.to, 2 * c.count, body), "")
          << c.from << " " << c.to << second;
    }
  }
}
