// What a configuration is called, and what all or several targets refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/GemmChecks.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmType.h"

using namespace tessera;
using namespace tessera::kernels;

std::string GemmConfig::name() const {
  std::string name = cat(swap ? "swapped_" : "", "m", tileM, "n", tileN, "k", tileK(), "_s", stages,
                         "_c", cluster, "_", a, a == b ? "" : "_" + b);
  for (auto [there, part] : {std::pair(scales, "scales"),
                             {alpha, "alpha"},
                             {c, "c"},
                             {bias != "none", "bias"},
                             {activation != "none", activation.c_str()}})
    if (there)
      name += cat("_", part);
  if (splitK > 1)
    name += cat("_split", splitK);
  if (groups != "none")
    name += cat("_", groups);
  for (auto [there, part] : {std::pair(pair, "_pair"),
                             {dynamic, "_dynamic"},
                             {factors, "_factors"},
                             {pingpong, "_pingpong"}})
    if (there)
      name += part;
  if (groupScales)
    name += cat("_group", groupScales);
  if (factorType() != factorOfTarget())
    name += cat("_", factor);
  return name;
}

static bool among(const auto &value, const auto &...of) { return ((value == of) || ...); }

std::optional<Reason> kernels::refusedTypes(const GemmConfig &c) {
  const GemmType *a = findGemmType(c.a), *b = findGemmType(c.b);
  if (!a || !b)
    return fail(Error::GemmElement, a ? c.b : c.a);
  if (c.groupScales) {
    if (a->bits() != 16 || b->bits() > 8 || !among(c.b, "i4", "f8E4M3FN", "f8E5M2"))
      return fail(Error::GemmWeights, c.a, c.b);
  } else if (c.a == "i4" || c.b == "i4") {
    return fail(Error::GemmWeightsInteger);
  } else if (a->kind != b->kind)
    return fail(Error::GemmPair, c.a, c.b);
  if (a->integer() ? c.d != "i32" : !among(c.d, "f16", "bf16", "f32"))
    return fail(a->integer() ? Error::GemmIntegerResult : Error::GemmResult, c.d);
  if (a->bits() < 8 && !(c.hasTensorMemory() && c.factors))
    return fail(Error::GemmFloat4, c.target.str());
  bool asItIs = !c.scales && !c.alpha && !c.c && c.bias == "none" && c.activation == "none";
  if (a->integer() && !asItIs)
    return fail(Error::GemmInteger);
  return std::nullopt;
}

std::optional<Reason> kernels::refusedGroups(const GemmConfig &c) {
  if (!among(c.groups, "none", "batches", "masked", "contiguous"))
    return fail(Error::GemmGroups, c.groups);
  if (c.groups != "none" &&
      (c.dynamic || (c.factors && c.hasTensorMemory()) || c.swap || c.splitK > 1 || c.groupScales))
    return fail(Error::GemmGroupsForm);
  if (c.groups == "contiguous" && c.c)
    return fail(Error::GemmGroupsC);
  return std::nullopt;
}

std::optional<Reason> kernels::refusedBlockFactors(const GemmConfig &c) {
  if (c.factorType() != c.factorOfTarget())
    return fail(Error::GemmBlockFactorType, c.factor);
  if (const GemmType &a = *findGemmType(c.a); c.factors && (a.bits() != 8 || a.integer()))
    return fail(Error::GemmBlockFactorsOf, c.a);
  return std::nullopt;
}

std::optional<Reason> kernels::refusedWeights(const GemmConfig &c) {
  if (!c.groupScales)
    return std::nullopt;
  if (!among(c.groupScales, 32, 64, 128))
    return fail(Error::GemmWeightsGroup, c.groupScales);
  if (c.factors || c.scales)
    return fail(Error::GemmWeightsScales);
  if (c.major != "kk")
    return fail(Error::GemmWeightsMajor, c.major);
  return std::nullopt;
}

std::optional<Reason> kernels::refusedSizes(const GemmConfig &c) {
  if (c.stages < 2)
    return fail(Error::GemmStages, c.stages);
  int64_t most = c.target.maxDynamicShared();
  if (c.smemBytes() > most)
    return fail(Error::GemmShared, c.stages, c.tileN, c.smemBytes(), most);
  if (!among(c.cluster, 1, 2, 4, 8))
    return fail(Error::GemmCluster, c.cluster);
  if (c.splitK < 1)
    return fail(Error::GemmSplit, c.splitK);
  if (c.group < 1)
    return fail(Error::GemmGroup, c.group);
  if (c.sms < c.clusterBlocks())
    return fail(Error::GemmGrid, c.clusterBlocks(), c.sms);
  return std::nullopt;
}
