// tessera generate: the IR of ready kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/kernels/Attention.h"
#include "tessera/kernels/Gemm.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;

namespace {
template <class Config> struct Options {
  Config config;
  std::string output = "-";
};

/// Writes the kernel of a configuration, or says why there is none.
template <class Config>
int generate(const std::string &what, const Config &config, void (*build)(dsl::Builder &, const Config &),
             const std::string &output) {
  if (std::optional<Reason> why = kernels::refused(config))
    return fail("generate " + what + " " + why->text);
  driver::Compiler compiler;
  dsl::Builder builder(&compiler.context());
  build(builder, config);
  if (failed(mlir::verify(*builder.module)))
    return BadInput;
  std::string text;
  llvm::raw_string_ostream(text) << *builder.module << "\n";
  return writeFile(output, text);
}
} // namespace

static void addGemm(CLI::App &parent, int &exit) {
  CLI::App *gemm = parent.add_subcommand("gemm", "D = A B^T on Hopper: persistent, TMA and wgmma");
  auto options = std::make_shared<Options<kernels::GemmConfig>>();
  kernels::GemmConfig &c = options->config;
  gemm->add_option("--ab", c.ab, "element type of A and B")->capture_default_str();
  gemm->add_option("--d", c.d, "element type of D")->capture_default_str();
  gemm->add_option("--major", c.major, "contiguous mode of A and of B: k, or m for M (N), of 16 bits")->capture_default_str();
  gemm->add_option("--tile-n", c.tileN, "columns of a block")->capture_default_str();
  gemm->add_option("--stages", c.stages, "tiles of K in flight")->capture_default_str();
  gemm->add_option("--cluster", c.cluster, "blocks that share a tile of B by multicast")->capture_default_str();
  gemm->add_option("--group", c.group, "rows of tiles that are walked together")->capture_default_str();
  gemm->add_option("--sms", c.sms, "multiprocessors of the device")->capture_default_str();
  gemm->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  gemm->callback([options, &exit] { exit = generate("gemm", options->config, kernels::buildGemm, options->output); });
}

static void addAttention(CLI::App &parent, int &exit) {
  CLI::App *attention = parent.add_subcommand("attention", "O = softmax(scale Q K^T) V on Hopper, the forward pass");
  auto options = std::make_shared<Options<kernels::AttentionConfig>>();
  kernels::AttentionConfig &c = options->config;
  attention->add_option("--element", c.element, "type of Q, K, V and O")->capture_default_str();
  attention->add_option("--head-dim", c.headDim, "elements of a head")->capture_default_str();
  attention->add_flag("--causal", c.causal, "a query sees the keys up to its own");
  attention->add_option("--consumers", c.consumers, "warp groups that multiply, 64 queries each; 0: as fits the head")->capture_default_str();
  attention->add_option("--tile-n", c.tileN, "keys of a step; 0: as fits the head and the mask")->capture_default_str();
  attention->add_option("--stages", c.stages, "tiles of K, and of V, in flight")->capture_default_str();
  attention->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  attention->callback(
      [options, &exit] { exit = generate("attention", options->config, kernels::buildAttention, options->output); });
}

void cli::addGenerate(CLI::App &app, int &exit) {
  CLI::App *command = app.add_subcommand("generate", "writes the IR of a ready kernel");
  command->require_subcommand(1);
  addGemm(*command, exit);
  addAttention(*command, exit);
}
