// A product of matrices by its shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Generated.h"

#include "tessera/kernels/sm90/GemmModel.h"
#include "tessera/program/Gemm.h"
#include "tessera/ptx/Fatal.h"

namespace tessera::program {

namespace {

/// With what makes the product fast.
kernels::GemmConfig scheduled(const kernels::GemmConfig &config, const kernels::GemmShape &shape) {
  kernels::GemmConfig chosen = config;
  auto fits = [&](const kernels::GemmSchedule &schedule) {
    schedule.applyTo(chosen);
    return !kernels::workspaceOf(chosen, shape).sums && !kernels::refused(chosen);
  };
  const kernels::GemmTable table = kernels::GemmTable::builtIn();
  if (const kernels::GemmRow *row = table.exact(config, shape); row && fits(row->schedule))
    return chosen;
  for (const kernels::GemmEstimate &plan : kernels::plans(config, shape, kernels::ratesOf()))
    if (fits(plan.schedule))
      return chosen;
  return config;
}

} // namespace

Result<std::shared_ptr<Program>> gemm(std::shared_ptr<Device> device, const GemmShape &of,
                                      const LoadOptions &options) {
  kernels::GemmConfig config;
  config.a = of.a;
  config.b = of.b;
  config.d = of.d;
  if (std::optional<Reason> why = kernels::refusedTypes(config))
    return *why;
  TESSERA_TRY(kernels::GemmShape shape, kernels::GemmShape::parse(cat(of.m, "x", of.n, "x", of.k)));
  kernels::GemmConfig chosen = scheduled(config, shape);
  if (std::optional<Reason> why = kernels::refused(chosen))
    return *why;
  TESSERA_TRY(std::string text,
              ptx::withinMemory([&] { return textOf(chosen, kernels::buildGemm); }));
  return Program::load(std::move(device), text, cat("gemm ", chosen.name()), options);
}

} // namespace tessera::program
