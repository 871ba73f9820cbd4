// Ready kernels by their shapes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Generated.h"

#include "tessera/kernels/Overlap.h"
#include "tessera/kernels/attention/Attention.h"
#include "tessera/kernels/attention/AttentionBackward.h"
#include "tessera/kernels/choice/GemmModel.h"
#include "tessera/kernels/rows/Rows.h"
#include "tessera/kernels/sm80/Gemm.h"
#include "tessera/program/Errors.h"
#include "tessera/program/Ready.h"
#include "tessera/program/Source.h"
#include "tessera/ptx/Fatal.h"

#include <algorithm>
#include <limits>
#include <mutex>

namespace tessera::program {

namespace {

/// A number as the int that the kernels room takes.
int asInt(int64_t number) {
  return int(std::clamp<int64_t>(number, -1, std::numeric_limits<int>::max()));
}

/// The model's numbers for the device's GPU: built in, with its actual number of multiprocessors;
/// an H200 if there is no GPU.
kernels::GpuRates ratesOf(Device &device) {
  if (device.where() != Where::Gpu)
    return kernels::ratesOf();
  std::lock_guard lock(device.mutex);
  const run::DeviceInfo &info = device.device()->info();
  return kernels::ratesOf(info.name).of(info.name, asInt(info.multiprocessors));
}

/// The configuration with the fastest known schedule that fits it.
kernels::GemmConfig scheduled(const kernels::GemmConfig &config, const kernels::GemmShape &shape,
                              const kernels::GpuRates &rates) {
  kernels::GemmConfig chosen = config;
  auto fits = [&](const kernels::GemmSchedule &schedule) {
    schedule.applyTo(chosen);
    return !kernels::workspaceOf(chosen, shape).sums && !kernels::refused(chosen);
  };
  const kernels::GemmTable table = kernels::GemmTable::builtIn();
  if (const kernels::GemmRow *row = table.exact(config, shape); row && fits(row->schedule))
    return chosen;
  for (const kernels::GemmEstimate &plan : kernels::plans(config, shape, rates))
    if (fits(plan.schedule))
      return chosen;
  return config;
}

/// What the code is for: what was asked for, else the GPU. None on the simulator, which has every
/// kernel.
Result<std::optional<atom::Target>> targetOf(Device &device, const LoadOptions &options) {
  std::string arch = options.arch;
  std::lock_guard lock(device.mutex);
  if (!device.device())
    return std::optional<atom::Target>();
  if (arch.empty() && device.where() == Where::Gpu)
    arch = archOf(device.device()->info());
  if (arch.empty())
    return std::optional<atom::Target>();
  TESSERA_TRY(atom::Target target, atom::Target::parse(arch));
  return std::optional(target);
}

/// Of the device's GPU, or of the largest one of a target.
int multiprocessorsOf(Device &device, const atom::Target &target) {
  if (device.where() == Where::Gpu) {
    std::lock_guard lock(device.mutex);
    if (int64_t there = device.device()->info().multiprocessors; there > 0)
      return asInt(there);
  }
  return kernels::sm80::multiprocessors(target);
}

/// The configuration with the tile that is estimated to be the fastest on its target.
kernels::GemmConfig scheduledForWarps(kernels::GemmConfig config, const kernels::GemmShape &shape,
                                      Device &device) {
  config.sms = multiprocessorsOf(device, config.target);
  for (const kernels::sm80::GemmEstimate &plan : kernels::sm80::plans(config, shape))
    if (plan.splitK == 1) { // the caller gives no workspace
      plan.applyTo(config);
      break;
    }
  return config;
}

/// The configuration with a tile for tensor memory, of which nobody has timed any: the one that
/// leaves the fewest columns to the multiprocessor with the most, with as many stages as fit.
kernels::GemmConfig scheduledForTensorMemory(kernels::GemmConfig config,
                                             const kernels::GemmShape &shape, Device &device) {
  config.sms = multiprocessorsOf(device, config.target);
  constexpr int perTile = 16, mostStages = 8; // what a tile takes besides its columns
  auto up = [](int64_t of, int64_t by) { return (of + by - 1) / by; };
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int tileN : {256, 192, 128, 64}) {
    int64_t tiles = up(shape.m, config.tileM) * up(shape.n, tileN);
    if (int64_t columns = up(tiles, config.sms) * (tileN + perTile); columns < least)
      least = columns, config.tileN = tileN;
  }
  config.stages = mostStages;
  while (config.stages > 2 && kernels::refused(config))
    --config.stages;
  return config;
}

/// The program of a configuration, unless it is refused.
template <class Config>
Result<std::shared_ptr<Program>> programOf(std::shared_ptr<Device> device, const Config &config,
                                           void (*build)(const Config &), const std::string &name,
                                           const LoadOptions &options) {
  if (std::optional<Reason> why = kernels::refused(config))
    return *why;
  TESSERA_TRY(std::string text, ptx::withinMemory([&] { return textOf(config, build); }));
  return Program::load(std::move(device), text, name, options);
}

} // namespace

Result<std::shared_ptr<Program>> gemm(std::shared_ptr<Device> device, const GemmForm &of,
                                      const LoadOptions &options) {
  kernels::GemmConfig config;
  config.a = of.a;
  config.b = of.b;
  config.d = of.d;
  if (!of.groups.empty())
    config.groups = of.groups;
  config.factors = of.blockScales;
  config.groupScales = of.groupScales;
  if (!of.major.empty())
    config.major = of.major;
  TESSERA_TRY(std::optional<atom::Target> target, targetOf(*device, options));
  if (target)
    config.target = *target;
  if (config.factors && config.hasTensorMemory()) // whose factors of f32 are those of warps
    config.factor = "f32";
  config.swap = config.groupScales && !config.multipliesByWarps();
  if (std::optional<Reason> why = kernels::refusedTypes(config))
    return *why;
  TESSERA_TRY(kernels::GemmShape shape, kernels::GemmShape::parse(cat(of.m, "x", of.n, "x", of.k)));
  const kernels::GpuRates rates = ratesOf(*device);
  config.sms = rates.sms;
  kernels::GemmConfig chosen =
      config.multipliesByWarps() ? scheduledForWarps(config, shape, *device)
      : config.hasTensorMemory() ? scheduledForTensorMemory(config, shape, *device)
                                 : scheduled(config, shape, rates);
  return programOf(std::move(device), chosen, kernels::buildGemm, cat("gemm ", chosen.name()),
                   options);
}

static kernels::AttentionConfig configOf(const AttentionForm &of) {
  kernels::AttentionConfig config;
  config.element = of.element;
  config.headDim = of.headDim;
  config.causal = of.causal, config.window = of.window, config.softcap = of.softcap;
  config.alibi = of.alibi, config.varlen = of.varlen;
  config.lengths = of.lengths, config.pageSize = of.pageSize, config.lse = of.lse;
  config.result = of.result;
  if (of.groups)
    config.splits = kernels::partsFor(of.groups), config.stages = config.stagesOfFew;
  if (of.groups && of.workspace)
    std::tie(config.splits, config.teams) = kernels::teamsFor(of.groups);
  return config;
}
Result<AttentionWorkspace> workspaceOf(const AttentionForm &of, int64_t rows) {
  constexpr int64_t most = std::numeric_limits<int>::max(); // extents of tensors
  if (of.groups < 0 || of.groups > most || rows < 0 || rows > most)
    return fail(Error::AttentionRows, of.groups, rows);
  if (std::optional<Reason> why = kernels::refused(configOf(of)))
    return *why;
  kernels::AttentionConfig config = configOf(of).complete();
  if (config.teams == 1 || !of.groups || !rows)
    return AttentionWorkspace{};
  int64_t items = config.itemsFor(of.groups, rows), numbers;
  if (__builtin_mul_overflow(items, config.teams * config.wordsOfTeam(), &numbers))
    return fail(Error::AttentionRows, of.groups, rows);
  return AttentionWorkspace{numbers, items * config.splits};
}

Result<std::shared_ptr<Program>> attention(std::shared_ptr<Device> device, const AttentionForm &of,
                                           const LoadOptions &options) {
  kernels::AttentionConfig config = configOf(of);
  TESSERA_TRY(std::optional<atom::Target> target, targetOf(*device, options));
  if (target) {
    config.target = *target;
    config.stages = config.stagesThere(), config.splits = config.splitsThere(config.splits);
  }
  if (std::lock_guard lock(device->mutex); device->device()) {
    // On a GPU with fewer SMs than the default, blocks without an SM would run after the others,
    // and double the time.
    if (int64_t there = device->device()->info().multiprocessors; there > 0)
      config.sms = asInt(there);
  }
  return programOf(std::move(device), config, kernels::buildAttention,
                   cat("attention ", config.complete().name()), options);
}

Result<std::shared_ptr<Program>> attentionBackward(std::shared_ptr<Device> device,
                                                   const AttentionBackwardForm &of,
                                                   const LoadOptions &options) {
  kernels::AttentionBackwardConfig config;
  config.element = of.element;
  config.headDim = of.headDim;
  config.causal = of.causal, config.window = of.window, config.softcap = of.softcap;
  config.alibi = of.alibi, config.varlen = of.varlen;
  TESSERA_TRY(std::optional<atom::Target> target, targetOf(*device, options));
  if (target)
    config.target = *target;
  config.stages = config.stagesThere();
  return programOf(std::move(device), config, kernels::buildAttentionBackward,
                   cat("attention-backward ", config.name()), options);
}

Result<std::shared_ptr<Program>> rows(std::shared_ptr<Device> device, const RowForm &of,
                                      const LoadOptions &options) {
  kernels::RowConfig config;
  config.kernel = of.kernel;
  config.element = of.element;
  config.result = of.result;
  if (!of.activation.empty())
    config.activation = of.activation;
  config.columns = asInt(of.columns), config.segment = asInt(of.segment);
  TESSERA_TRY(std::optional<atom::Target> target, targetOf(*device, options));
  if (std::lock_guard lock(device->mutex); device->device()) {
    config.overlaps =
        target ? kernels::overlaps(*target) : device->device()->info().computeMajor >= 9;
    if (int64_t there = device->device()->info().multiprocessors; there > 0)
      config.sms = asInt(there);
  }
  return programOf(std::move(device), config, kernels::buildRows, config.complete().name(),
                   options);
}

} // namespace tessera::program
