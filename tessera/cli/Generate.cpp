// tessera generate: the IR of ready kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/kernels/Gemm.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;

namespace {
struct GemmOptions {
  kernels::GemmConfig config;
  std::string output = "-";
};

int generateGemm(const GemmOptions &options) {
  if (std::optional<Reason> why = kernels::refused(options.config))
    return fail("generate gemm " + why->text);
  driver::Compiler compiler;
  dsl::Builder builder(&compiler.context());
  kernels::buildGemm(builder, options.config);
  if (failed(mlir::verify(*builder.module)))
    return BadInput;
  std::string text;
  llvm::raw_string_ostream(text) << *builder.module << "\n";
  return writeFile(options.output, text);
}
} // namespace

void cli::addGenerate(CLI::App &app, int &exit) {
  CLI::App *command = app.add_subcommand("generate", "writes the IR of a ready kernel");
  command->require_subcommand(1);
  CLI::App *gemm = command->add_subcommand("gemm", "D = activation(alpha A B^T + beta C + bias) on Hopper");
  auto options = std::make_shared<GemmOptions>();
  kernels::GemmConfig &c = options->config;
  gemm->add_option_function<std::string>("--ab", [&c](const std::string &type) { c.a = c.b = type; },
                                         "element type of A and B: f16, bf16, tf32 (f32 in memory), f8E4M3FN, f8E5M2, i8, u8")
      ->default_str(c.a);
  gemm->add_option("--a", c.a, "of A, where B has another of 8 bits")->capture_default_str();
  gemm->add_option("--b", c.b, "of B, where A has another of 8 bits")->capture_default_str();
  gemm->add_option("--d", c.d, "element type of D: f16, bf16 or f32; i32 for integers")->capture_default_str();
  gemm->add_option("--major", c.major, "contiguous mode of A and of B: k, or m for M (N), of 16 bits")->capture_default_str();
  gemm->add_option("--tile-n", c.tileN, "columns of a block")->capture_default_str();
  gemm->add_option("--stages", c.stages, "tiles of K in flight")->capture_default_str();
  gemm->add_option("--cluster", c.cluster, "blocks that share a tile of B by multicast")->capture_default_str();
  gemm->add_option("--group", c.group, "rows of tiles that are walked together")->capture_default_str();
  gemm->add_option("--sms", c.sms, "multiprocessors of the device")->capture_default_str();
  gemm->add_option("--split-k", c.splitK, "slices of K, each summed by a block of its own")->capture_default_str();
  gemm->add_flag("--scales", c.scales, "times a scale of A and one of B (f32, in device memory)");
  gemm->add_flag("--alpha", c.alpha, "times alpha (f32, an argument of the call)");
  gemm->add_flag("--c", c.c, "plus beta * C (beta f32, an argument of the call; C like D)");
  gemm->add_option("--bias", c.bias, "plus a number for each column: none, f32, or D's type")->capture_default_str();
  gemm->add_option("--activation", c.activation, "none, relu, gelu (tanh form) or silu")->capture_default_str();
  gemm->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  gemm->callback([options, &exit] { exit = generateGemm(*options); });
}
