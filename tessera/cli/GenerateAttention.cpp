// tessera generate attention, attention-backward and decode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Kernels.h"
#include "tessera/kernels/attention/Attention.h"
#include "tessera/kernels/attention/AttentionBackward.h"
#include "tessera/program/Generated.h"

#include <CLI/CLI.hpp>

using namespace tessera;
using namespace tessera::cli;

namespace {
struct AttentionOptions {
  kernels::AttentionConfig config;
  std::string output = "-";
};

struct BackwardOptions {
  kernels::AttentionBackwardConfig config;
  std::string output = "-";
};

int generateAttentionBackward(const BackwardOptions &options) {
  if (std::optional<Reason> why = kernels::refused(options.config))
    return fail(cat("generate attention-backward ", why->text));
  Result<std::string> text = program::textOf(options.config, kernels::buildAttentionBackward);
  return text ? writeFile(options.output, *text) : BadInput;
}

int generateAttention(const AttentionOptions &options) {
  std::string command = options.config.splits ? "generate decode" : "generate attention";
  if (std::optional<Reason> why = kernels::refused(options.config))
    return fail(cat(command, " ", why->text));
  Result<std::string> text = program::textOf(options.config, kernels::buildAttention);
  return text ? writeFile(options.output, *text) : BadInput;
}
} // namespace

/// Options that attention of many and of few queries and its gradients have in common.
template <class Config>
static void addScores(CLI::App &command, Config &c, const std::string &types) {
  command.add_option("--element", c.element, "type of Q, K and V: " + types)->capture_default_str();
  command.add_option("--head-dim", c.headDim, "elements of a head of Q and K")
      ->capture_default_str();
  command.add_flag("--causal", c.causal, "a query attends to the keys up to its own position");
  command.add_flag("--window", c.window,
                   "a query attends only to keys within a distance of its own position (i32, an "
                   "argument of the call)");
  command.add_flag("--softcap", c.softcap,
                   "scores become cap * tanh(score / cap) (f32, an argument of the call)");
  command.add_flag("--alibi", c.alibi,
                   "a slope times the distance of the key is subtracted from scores (f32 for each "
                   "head of Q, an argument of the call)");
}

static void addDecode(CLI::App &parent, int &exit) {
  CLI::App *decode =
      parent.add_subcommand("decode", "O = softmax(scale Q K^T) V, of few queries and many keys");
  auto options = std::make_shared<AttentionOptions>();
  kernels::AttentionConfig &c = options->config;
  c.stages = c.stagesOfFew;
  c.splits = 8;
  auto groups = std::make_shared<int64_t>(0);
  addScores(*decode, c, "f16, bf16");
  addArch(*decode, c.target, "sm_90a; any other from sm_75 on, where warps multiply");
  CLI::Option *splits =
      decode
          ->add_option("--splits", c.splits,
                       "parts of the keys, one for each block of a cluster: 1, 2, 4 or 8; where "
                       "there are no clusters 1")
          ->check(CLI::IsMember({1, 2, 4, 8}))
          ->capture_default_str();
  decode
      ->add_option(
          "--groups", *groups,
          "batches times heads of K, from which --splits is chosen: the fewest that fill a "
          "GPU")
      ->check(numberFrom(1))
      ->excludes(splits);
  decode
      ->add_option(
          "--teams", c.teams,
          "clusters that share the keys of a head of K, if there are few such heads: a workspace "
          "and counters are the last arguments of the call; 0: with --groups as many as fill a GPU")
      ->check(CLI::Range(0, c.mostTeams))
      ->capture_default_str();
  decode->add_option("--tile-n", c.tileN, "keys of a step; 0: chosen by the head")
      ->capture_default_str();
  CLI::Option *stages =
      decode->add_option("--stages", c.stages, "tiles of K, and as many of V, in flight")
          ->capture_default_str();
  decode->add_flag("--lengths", c.lengths,
                   "each batch has its own number of keys (i32 for each, an argument of the call)");
  decode
      ->add_option("--page", c.pageSize,
                   "K and V lie in pages with this number of keys (lengths, and pages of each "
                   "batch, i32, are arguments of the call); 0: in one piece")
      ->capture_default_str();
  decode->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  addTimeout(*decode);
  decode->callback([options, groups, splits, stages, &exit] {
    kernels::AttentionConfig &c = options->config;
    if (!stages->count())
      c.stages = c.stagesThere();
    if (*groups)
      c.splits = kernels::partsFor(*groups);
    if (*groups && !c.teams)
      std::tie(c.splits, c.teams) = kernels::teamsFor(*groups);
    if (!splits->count())
      c.splits = c.splitsThere(c.splits);
    exit = generateAttention(*options);
  });
}

static void addAttention(CLI::App &parent, int &exit) {
  CLI::App *attention =
      parent.add_subcommand("attention", "O = softmax(scale Q K^T) V, the forward pass");
  auto options = std::make_shared<AttentionOptions>();
  kernels::AttentionConfig &c = options->config;
  addScores(*attention, c, "f16, bf16, f8E4M3FN");
  addArch(*attention, c.target,
          "sm_75 to sm_89, sm_90a, sm_100a, sm_103a, sm_110a, or sm_120 and later");
  attention->add_option("--result", c.result,
                        "type of O; default: as the others, of f8E4M3FN bf16");
  attention->add_flag("--varlen", c.varlen,
                      "sequences of their own lengths, one after the other (starts of those of Q, "
                      "of those of K, and the most queries of one are arguments of the call)");
  attention->add_flag(
      "--lse", c.lse,
      "write the logarithm of each query's sum of exponentials (f32 of batch, head, "
      "query, the last argument of the call)");
  attention
      ->add_option(
          "--consumers", c.consumers,
          "warpgroups that multiply, 64 queries each, on Blackwell 128; where warps multiply 64 "
          "queries of their block; 0: chosen by the head")
      ->capture_default_str();
  attention->add_option("--tile-n", c.tileN, "keys of a step; 0: chosen by the head and the mask")
      ->capture_default_str();
  CLI::Option *stages =
      attention->add_option("--stages", c.stages,
                            "tiles of K, and as many of V, in flight; default: 2, "
                            "where warps multiply 1");
  attention->add_flag_function(
      "--persistent,!--no-persistent", [&c](int64_t asked) { c.takesSeveral = asked > 0; },
      "blocks take several tiles of queries where sequences are short; default: "
      "where they have room for it, of 16 bits");
  attention->add_option("--sms", c.sms, "multiprocessors of the device")->capture_default_str();
  attention->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  addTimeout(*attention);
  attention->callback([options, stages, &exit] {
    kernels::AttentionConfig &c = options->config;
    if (stages->count() == 0 && c.multipliesByWarps())
      c.stages = c.stagesOfWarps;
    exit = generateAttention(*options);
  });
}

static void addAttentionBackward(CLI::App &parent, int &exit) {
  CLI::App *backward = parent.add_subcommand("attention-backward", "gradients of attention");
  auto options = std::make_shared<BackwardOptions>();
  kernels::AttentionBackwardConfig &c = options->config;
  addScores(*backward, c, "f16, bf16");
  backward->add_flag("--varlen", c.varlen,
                     "sequences of their own lengths, one after the other (starts of those of Q, "
                     "of those of K, and the most queries and keys of one are arguments of the "
                     "call)");
  addArch(*backward, c.target, "sm_90a, and by products of warps sm_75 to sm_89, sm_100 and later");
  CLI::Option *stages = backward->add_option(
      "--stages", c.stages,
      "tiles of queries in flight, for dK and dV; default: 3, where warps multiply 2, on sm_75 1");
  backward->add_option("-o", options->output, "where to; - is stdout")->capture_default_str();
  backward->footer("It is called with Q, K, V, O, dO, lse, dQ, dK, dV, workspace, scale, and "
                   "what of scores and sequences has arguments; `tessera generate attention --lse` "
                   "writes lse.");
  addTimeout(*backward);
  backward->callback([options, stages, &exit] {
    if (!stages->count())
      options->config.stages = options->config.stagesThere();
    exit = generateAttentionBackward(*options);
  });
}

void cli::addAttentions(CLI::App &parent, int &exit) {
  addAttention(parent, exit);
  addAttentionBackward(parent, exit);
  addDecode(parent, exit);
}
