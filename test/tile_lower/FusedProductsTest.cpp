// Products by fused multiply-adds, beside the interpreter: f64 and integers bit by bit, as sums are
// made in the order of K; narrower sums of the interpreter are rounded once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_eval;
using namespace tessera::tile_lower::test;

namespace {

struct Fused {
  std::string type, sum;
  int64_t batch, m, n, k; // 0: no batch
  std::string lhs = "%a"; // or %same, one number everywhere
  std::string acc = "%c"; // or %zero

  std::string text() const {
    std::string text = R"(cuda_tile.module @m {
  entry @k(%pa0: tile<ptr<{T}>>, %pb0: tile<ptr<{T}>>, %pc0: tile<ptr<{S}>>) {
)";
    for (const auto &[name, shape, strides, type] :
         {std::array<std::string, 4>{"a", "{M},{K}", "{K},1", "{T}"},
          {"b", "{K},{N}", "{N},1", "{T}"},
          {"c", "{M},{N}", "{N},1", "{S}"}}) {
      size_t comma = shape.find(',');
      std::string one = shape.substr(0, comma), two = shape.substr(comma + 1), three = one,
                  all = strides;
      if (batch) {
        three = cat("{Z}, ", one);
        all = cat("{", name, "},", strides);
      }
      std::string dims = batch ? cat("{Z}x", one, "x", two) : cat(one, "x", two);
      std::string view = cat("tensor_view<", dims, "x", type, ", strides=[", all, "]>");
      std::string tiles = cat("partition_view<tile=(", dims, "), ", view, ">");
      text += cat("    %p", name, " = assume div_by<16>, %p", name, "0 : tile<ptr<", type, ">>\n",
                  "    %v", name, " = make_tensor_view %p", name, ", shape = [",
                  batch ? "{Z}, " : "", one, ", ", two, "], strides = [", all, "] : ", view,
                  "\n    %w", name, " = make_partition_view %v", name, " : ", tiles, "\n    %",
                  name, ", %t", name, " = load_view_tko weak %w", name, "[{I}] : ", tiles,
                  ", tile<i32> -> tile<", dims, "x", type, ">, token\n");
    }
    text += R"(    %same = constant <{T}: {3}> : tile<{B}{M}x{K}x{T}>
    %zero = constant <{S}: {0}> : tile<{B}{M}x{N}x{S}>
    %d = {MMA} {L}, %b, {A}{signs} : tile<{B}{M}x{K}x{T}>, tile<{B}{K}x{N}x{T}>, tile<{B}{M}x{N}x{S}>
    %u = store_view_tko weak %d, %wc[{I}] token = %tc : tile<{B}{M}x{N}x{S}>, {P}, tile<i32> -> token
    return
  }
}
)";
    text = replaced(
        text, "entry @k(%pa0: tile<ptr<{T}>>, %pb0: tile<ptr<{T}>>, %pc0: tile<ptr<{S}>>) {\n",
        "entry @k(%pa0: tile<ptr<{T}>>, %pb0: tile<ptr<{T}>>, %pc0: tile<ptr<{S}>>) {\n"
        "    %i = constant <i32: 0> : tile<i32>\n");
    std::string dims = cat(batch ? "{Z}x" : "", "{M}x{N}");
    bool isInteger = type[0] == 'i';
    return filledIn(text, {{"P", cat("partition_view<tile=(", dims, "), tensor_view<", dims,
                                     "x{S}, strides=[", batch ? "{c}," : "", "{N},1]>>")},
                           {"I", batch ? "%i, %i, %i" : "%i, %i"},
                           {"MMA", isInteger ? "mmai" : "mmaf"},
                           {"signs", isInteger ? " signed unsigned" : ""},
                           {"L", lhs},
                           {"A", acc},
                           {"B", batch ? "{Z}x" : ""},
                           {"a", str(m * k)},
                           {"b", str(k * n)},
                           {"c", str(m * n)},
                           {"Z", str(batch)},
                           {"M", str(m)},
                           {"N", str(n)},
                           {"K", str(k)},
                           {"T", type},
                           {"S", sum},
                           {"3", isInteger ? "3" : "0.75"},
                           {"0", isInteger ? "0" : "0.0"}});
  }
};

/// Numbers whose products are rounded.
Array numbers(const std::string &type, int64_t count, unsigned seed) {
  Array out = newArray(kindNamed(type), size_t(count));
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < out.size(); ++i) {
    double number = double(int64_t(random())) * 0x1p-65;
    out.setCode(i, isFloat(out.kind) ? encode(out.kind, number)
                                     : random() & lowBits(bitsOf(out.kind)));
  }
  return out;
}

void check(driver::Compiler &compiler, const Fused &f, const char *arch) {
  int64_t z = std::max<int64_t>(f.batch, 1);
  const std::vector<Array> arrays = {numbers(f.type, z * f.m * f.k, 1),
                                     numbers(f.type, z * f.k * f.n, 2),
                                     numbers(f.sum, z * f.m * f.n, 3)};
  bool isExact = f.sum == "f64" || f.sum == "i32";
  EXPECT_EQ(difference(compiler, f.text(), arrays, {.arch = arch, .sanitizes = true, .shuffle = 9},
                       isExact ? Match::Equal : Match::Close),
            "")
      << f.type << " " << f.batch << " of " << f.m << "x" << f.k << " by " << f.k << "x" << f.n
      << " " << f.lhs << " " << f.acc << " on " << arch;
}

} // namespace

/// Parts with more rows, more columns, fewer than a thread has, and more of K than shared memory
/// has room for.
TEST(FusedProducts, ExtentsAndTypes) {
  driver::Compiler compiler;
  for (auto [type, sum] : {std::pair("f32", "f32"), {"f64", "f64"}})
    for (auto [batch, m, n, k] : {std::array<int64_t, 4>{0, 16, 256, 16},
                                  {0, 256, 16, 8},
                                  {0, 64, 64, 64},
                                  {0, 128, 128, 32},
                                  {0, 4, 4, 128},
                                  {0, 1, 64, 32},
                                  {0, 64, 1, 32},
                                  {0, 64, 128, 128},
                                  {4, 16, 32, 8},
                                  {16, 8, 8, 8},
                                  {2, 32, 16, 64},
                                  {0, 2, 2, 1}})
      for (const char *arch : {"sm_80", "sm_90a"})
        check(compiler, {type, sum, batch, m, n, k}, arch);
}

/// What is too small for tensor cores, or has no instruction there.
TEST(FusedProducts, OtherTypes) {
  driver::Compiler compiler;
  for (auto [type, sum] : {std::pair("f16", "f32"),
                           {"f16", "f16"},
                           {"bf16", "f32"},
                           {"f8E4M3FN", "f32"},
                           {"f8E5M2", "f16"},
                           {"i8", "i32"}})
    for (auto [batch, m, n, k] :
         {std::array<int64_t, 4>{0, 8, 64, 32}, {0, 64, 4, 16}, {2, 4, 16, 64}})
      check(compiler, {type, sum, batch, m, n, k}, "sm_90a");
}

TEST(FusedProducts, UniformOperands) {
  driver::Compiler compiler;
  for (const char *type : {"f32", "f64"})
    for (const char *lhs : {"%a", "%same"})
      for (const char *acc : {"%c", "%zero"})
        check(compiler, {type, type, 0, 32, 64, 32, lhs, acc}, "sm_90a");
}
