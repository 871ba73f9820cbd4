// Traced kernels as ops of `cuda_tile`: they verify, and are what is written here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile.h"
#include "tessera/tile_bytecode/Program.h"
#include "tessera/tile_io/TileIo.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace tile = tessera::tile;
using tile::dyn;

namespace {

/// The text of the entry's body, or what is wrong.
template <class K, class... A> std::string textOf(K k, A &&...arguments) {
  tile::Outcome outcome;
  const auto *program = k.trace(outcome, arguments...);
  if (!program)
    return outcome.text();
  mlir::MLIRContext context;
  context.loadDialect<tessera::cuda_tile::CudaTileDialect>();
  auto module = tessera::tile_io::toModule(*program, context);
  if (!module || mlir::failed(mlir::verify(*module)))
    return "does not verify";
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out);
  return text;
}
void expectLines(const std::string &text, std::initializer_list<const char *> lines) {
  size_t at = 0;
  for (const char *line : lines) {
    size_t found = text.find(line, at);
    EXPECT_NE(found, text.npos) << "expects after byte " << at << ": " << line << "\nin\n" << text;
    if (found == text.npos)
      return;
    at = found;
  }
}

template <int M, int N, int K>
void gemm(tile::In<tile::f16, 2> a, tile::In<tile::f16, 2> b, tile::Out<float, M, N> c) {
  auto [i, j, _] = tile::bid();
  auto sum = tile::zeros<float, M, N>();
  tile::For(tile::ceil_div(a.shape(1), K), sum, [&](tile::Index k, auto &sum) {
    sum = mma(a.load<M, K>({i, k}), b.load<K, N>({k, j}), sum);
  });
  c.store(sum, tile::hint{.latency = 2});
}
TEST(Text, Gemm) {
  tile::Array<tile::f16, 2> a(64, 32), b(32, 64);
  tile::Array<float, 2> c(64, 64);
  auto k = tile::kernel(gemm<32, 16, 8>, "gemm");
  k.with(tile::KernelHints{.occupancy = 2});
  expectLines(textOf(k, a, b, c),
              {"entry @gemm(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: "
               "tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>",
               "optimization_hints=<default = {occupancy = 2}>",
               "get_tile_block_id",
               "assume div_by<16>, %arg0 : tile<ptr<f16>>",
               "assume bounded<0, ?>, %arg1",
               "make_tensor_view",
               "tensor_view<?x?xf16, strides=[?,1]>",
               "constant <f32: 0.000000e+00> : tile<32x16xf32>",
               "divi",
               "signed",
               "rounding<positive_inf>",
               "for %",
               "iter_values(%iterArg0 = %cst_0_f32) -> (tile<32x16xf32>)",
               "make_partition_view",
               "partition_view<tile=(32x8), padding_value = zero, "
               "tensor_view<?x?xf16, strides=[?,1]>>",
               "load_view_tko weak",
               "mmaf",
               "tile<32x8xf16>, tile<8x16xf16>, tile<32x16xf32>",
               "continue %",
               " : tile<32x16xf32>\n",
               "store_view_tko weak",
               "optimization_hints = <default = {latency = 2}>",
               "return"});
}
TEST(Text, ControlFlowReductionsAndAtomics) {
  std::vector<float> x(64), y(8);
  std::vector<int> n(1);
  auto k = tile::kernel(
      [](tile::Tensor<float, dyn> x, tile::Tile<int *> n, tile::Out<float, 8> y) {
        auto p = x.partition<8>(tile::padding::NegInf);
        auto [i, largest] = tile::While(
            tile::Index(0), tile::Tile<float>(0), [](tile::Index i, auto) { return i < 4; },
            [&](tile::Index i, auto largest) {
              auto row = p.load(i);
              p.store(row * 2.0f, i);
              return std::tuple(i + 1, max(largest, reduce_max(row), tile::nan::Propagated));
            });
        tile::If(largest > 1.0f, [&] { tile::atomic_add(n + tile::iota<int, 1>(), 1); });
        y.store(tile::partial_sum<0>(tile::full<float, 8>(largest)) + element_cast<float>(i));
      },
      "flow");
  expectLines(textOf(k, x, n, y), {"make_token",
                                   "loop iter_values(%",
                                   "cmpi less_than",
                                   "if %",
                                   "break",
                                   "load_view_tko",
                                   "token = %",
                                   "padding_value = neg_inf",
                                   "store_view_tko",
                                   "token = %",
                                   "reduce %",
                                   "dim=0 identities=[0xFF800000 : f32] : tile<8xf32> -> tile<f32>",
                                   "maxf",
                                   "maxf",
                                   "propagate_nan",
                                   "continue",
                                   "cmpf greater_than ordered",
                                   "atomic_rmw_tko acq_rel device",
                                   "scan %",
                                   "reverse=false"});
}

} // namespace
