// Programs that multiply, with sizes, strides and loops to choose, and what they compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are small integers, whose sums are exact in any order, so that results are equal bit by
// bit. Sizes and strides are parameters of the kernels, as front ends have them.
#pragma once

#include "Programs.h"

#include "llvm/ADT/STLExtras.h"

namespace tessera::tile_lower::test {

using namespace tessera::tile_eval;

inline constexpr const char *tma = "cp.async.bulk.tensor";

struct Gemm {
  std::string type = "f16";
  int64_t tileM = 64, tileN = 64, tileK = 32;
  int64_t m = 64, n = 64, k = 128;
  int64_t pad = 0; // elements between rows
  bool isTransposedA = false, isTransposedB = false;
  int64_t batch = 0; // 0: matrices, else a third dimension of so many
  std::string hint = {}, tokenA = {}, entryHint = {};
  bool knowsSigns = true, knowsAlignment = true, knowsExtents = true;
};

inline int64_t ceil(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The loop over K, from %{lo} to %{hi}; with sums from `init`, of the tile %{x}, %{y}.
inline std::string loop(const std::string &name, const std::string &init, const std::string &lo,
                        const std::string &hi, const std::string &x = "%x",
                        const std::string &y = "%y") {
  return filledIn(R"(
    %{#} = for %i{#} in ({LO} to {HI}, step %one) : tile<i32> iter_values(%acc{#} = {INIT}) -> (tile<{TM}x{TN}xf32>) {
      %ta{#}, %ua{#} = load_view_tko weak %a[{B}{X}, %i{#}]{TOKEN}{HINT} : {PA}, tile<i32> -> tile<{1}{TM}x{TK}x{T}>, token
      %tb{#}, %ub{#} = load_view_tko weak %b[{B}%i{#}, {Y}] : {PB}, tile<i32> -> tile<{1}{TK}x{TN}x{T}>, token
      %ma{#} = reshape %ta{#} : tile<{1}{TM}x{TK}x{T}> -> tile<{TM}x{TK}x{T}>
      %mb{#} = reshape %tb{#} : tile<{1}{TK}x{TN}x{T}> -> tile<{TK}x{TN}x{T}>
      %next{#} = mmaf %ma{#}, %mb{#}, %acc{#} : tile<{TM}x{TK}x{T}>, tile<{TK}x{TN}x{T}>, tile<{TM}x{TN}xf32>
      continue %next{#} : tile<{TM}x{TN}xf32>
    })",
                  {{"#", name}, {"INIT", init}, {"LO", lo}, {"HI", hi}, {"X", x}, {"Y", y}});
}
inline std::string store(const std::string &value, const std::string &name,
                         const std::string &x = "%x", const std::string &y = "%y") {
  return filledIn(R"(
    %r{#} = reshape {V} : tile<{TM}x{TN}xf32> -> tile<{1}{TM}x{TN}xf32>
    %s{#} = store_view_tko weak %r{#}, %c[{B}{X}, {Y}] : tile<{1}{TM}x{TN}xf32>, {PC}, tile<i32> -> token)",
                  {{"#", name}, {"V", value}, {"X", x}, {"Y", y}});
}

/// A kernel whose body is `body`: what is between the views and the return.
inline std::string textOf(const Gemm &g, const std::string &body) {
  std::string one = g.batch ? "1x" : "", any = g.batch ? "?x" : "", outer = g.batch ? "?," : "";
  auto view = [&](bool isTransposed, const std::string &type) {
    return cat("tensor_view<", any, "?x?x", type, ", strides=[", outer,
               isTransposed ? "1,?" : "?,1", "]>");
  };
  auto make = [&](const char *name, const char *pointer, const char *rows, const char *columns,
                  bool isTransposed, const std::string &type) {
    std::string batch = g.batch ? "%batch, " : "", stride = cat("%l", pointer);
    std::string strides = cat(g.batch ? cat("%h", pointer, ", ") : "", isTransposed ? "1, " : "",
                              stride, isTransposed ? "" : ", 1");
    return cat("    %v", pointer, " = make_tensor_view %p", pointer, ", shape = [", batch, rows,
               ", ", columns, "], strides = [", strides, "] : tile<i32> -> ",
               view(isTransposed, type), "\n    ", name, " = make_partition_view %v", pointer,
               " : {P", replaced(replaced(replaced(pointer, "a", "A"), "b", "B"), "c", "C"), "}\n");
  };
  std::string text = R"(cuda_tile.module @m {
  entry @k(%pa0: tile<ptr<{T}>>, %pb0: tile<ptr<{T}>>, %pc0: tile<ptr<f32>>, %m0: tile<i32>, %n0: tile<i32>, %k0: tile<i32>, %batch0: tile<i32>, %la0: tile<i32>, %lb0: tile<i32>, %lc0: tile<i32>, %ha0: tile<i32>, %hb0: tile<i32>, %hc0: tile<i32>) optimization_hints = <{ENTRYHINT}> {
)";
  for (std::string name : {"pa", "pb"})
    text += cat("    %", name, " = assume div_by<16>, %", name, "0 : tile<ptr<{T}>>\n");
  text += "    %pc = assume div_by<4>, %pc0 : tile<ptr<f32>>\n";
  for (std::string name : {"m", "n", "k", "batch", "la", "lb", "lc", "ha", "hb", "hc"}) {
    bool isOfC = name == "lc" || name == "hc", isStride = name[0] == 'l' || name[0] == 'h';
    text +=
        cat("    %", name, "1 = assume ", g.knowsSigns ? "bounded<0, ?>" : "div_by<1>", ", %", name,
            "0 : tile<i32>\n    %", name, " = assume div_by<",
            g.knowsAlignment && !isOfC && name != "batch" && (isStride || g.knowsExtents) ? 8 : 1,
            ">, %", name, "1 : tile<i32>\n");
  }
  text += make("%a", "a", "%m", "%k", g.isTransposedA, g.type);
  text += make("%b", "b", "%k", "%n", g.isTransposedB, g.type);
  text += make("%c", "c", "%m", "%n", false, "f32");
  text += R"(    %x, %y, %z = get_tile_block_id : tile<i32>
    %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %tm = constant <i32: {TM}> : tile<i32>
    %tn = constant <i32: {TN}> : tile<i32>
    %tk = constant <i32: {TK}> : tile<i32>
    %start = constant <f32: 0.0> : tile<{TM}x{TN}xf32>
    %fresh = make_token : token
    %steps = divi %k, %tk signed rounding<positive_inf> : tile<i32>
    %half = divi %steps, %two signed : tile<i32>
    %rows = divi %m, %tm signed rounding<positive_inf> : tile<i32>
    %columns = divi %n, %tn signed rounding<positive_inf> : tile<i32>)";
  text += body + "\n    return\n  }\n}\n";
  auto partition = [&](const char *tile, bool isTransposed, const std::string &type, bool pads) {
    return cat("partition_view<tile=({1}", tile, "), ", pads ? "padding_value = zero, " : "",
               view(isTransposed, type), ">");
  };
  text = filledIn(text, {{"PA", partition("{TM}x{TK}", g.isTransposedA, g.type, true)},
                         {"PB", partition("{TK}x{TN}", g.isTransposedB, g.type, true)},
                         {"PC", partition("{TM}x{TN}", false, "f32", false)}});
  return filledIn(text, {{"TM", str(g.tileM)},
                         {"TN", str(g.tileN)},
                         {"TK", str(g.tileK)},
                         {"T", g.type},
                         {"1", one},
                         {"B", g.batch ? "%z, " : ""},
                         {"HINT", g.hint},
                         {"ENTRYHINT", g.entryHint},
                         {"TOKEN", g.tokenA}});
}

struct Run {
  std::string body;
  std::array<uint32_t, 3> grid;
  bool sanitizes = true;
  std::optional<uint64_t> shuffle = {};
  std::vector<Array> operands = {}; // A and B; empty: small integers
};

inline std::string differenceOf(driver::Compiler &compiler, const Gemm &g, const Run &run,
                                const char *instruction = tma) {
  int64_t lines = std::max<int64_t>(g.batch, 1);
  auto stride = [&](int64_t columns) { return ceil(columns, 8) * 8 + g.pad; };
  int64_t la = stride(g.isTransposedA ? g.m : g.k), lb = stride(g.isTransposedB ? g.k : g.n);
  int64_t lc = g.n + 1, ha = la * (g.isTransposedA ? g.k : g.m);
  int64_t hb = lb * (g.isTransposedB ? g.n : g.k), hc = lc * g.m;
  auto count = [&](int64_t each) { return std::max<int64_t>(lines * each, 16); };
  std::vector<Array> arrays = {integers(g.type, count(ha), 1), integers(g.type, count(hb), 2),
                               integers("f32", count(hc), 3)};
  llvm::copy(run.operands, arrays.begin());
  Setup setup{.arch = "sm_90a",
              .grid = run.grid,
              .sanitizes = run.sanitizes,
              .shuffle = run.shuffle,
              .instruction = instruction};
  for (int64_t number : {g.m, g.n, g.k, g.batch, la, lb, lc, ha, hb, hc})
    setup.numbers.push_back({TypeKind::I32, uint64_t(number)});
  return difference(compiler, textOf(g, run.body), arrays, setup);
}
inline std::array<uint32_t, 3> gridOf(const Gemm &g) {
  return {uint32_t(ceil(g.m, g.tileM)), uint32_t(ceil(g.n, g.tileN)),
          uint32_t(std::max<int64_t>(g.batch, 1))};
}
inline std::string nameOf(const Gemm &g) {
  return cat(g.type, " tile ", g.tileM, "x", g.tileN, "x", g.tileK, " of ", g.m, "x", g.n, "x", g.k,
             " pad ", g.pad, " transposed ", g.isTransposedA, g.isTransposedB, " batch ", g.batch);
}

inline const std::string oneLoop = loop("p", "%start", "%zero", "%steps") + store("%p", "p");

} // namespace tessera::tile_lower::test
