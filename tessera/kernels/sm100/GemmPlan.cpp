// Configurations of Blackwell's GEMM, and their shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm100/GemmPlan.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmChecks.h"
#include "tessera/kernels/sm100/Gemm.h"

#include <bit>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm100;

GemmPlan::GemmPlan(const GemmConfig &c) : GemmMemory(c, storingWarps) {
  if (c.bias != "none")
    bias = memory.allocate(int64_t(storingWarps) * boxN() * 4, 16);
  if (c.factors)
    factors = memory.allocate(c.stages * factorBytes(), 128);
  sums = memory.barriers(2 * accumulators);
  if (c.dynamic) {
    asked = memory.barriers(2 * answersKept);
    answers = memory.allocate(answersKept * answerBytes, answerBytes);
  }
  address = memory.allocate(4, 8);
}
int GemmPlan::columns() const {
  int used = firstFactorColumn() + (c.factors ? 2 * factorColumns * factorGroups() : 0);
  return int(std::bit_ceil(unsigned(used)));
}

static bool among(const auto &value, const auto &...of) { return ((value == of) || ...); }

/// Why a block has no such tile.
static std::optional<Reason> refusedBlock(const GemmConfig &c) {
  if (c.pingpong)
    return fail(Error::GemmHopperOnly, "schedule pingpong");
  if (c.tileM != GemmPlan::tileM)
    return fail(Error::GemmRows, c.tileM);
  if (!among(c.tileN, 64, 128, 192, 256))
    return fail(Error::GemmTile, c.tileN);
  return std::nullopt;
}

static std::optional<Reason> refusedForm(const GemmConfig &c) {
  const GemmType &a = *findGemmType(c.a);
  if (c.target.suffix() == atom::Suffix::None)
    return fail(Error::TensorTarget, c.target.str());
  constexpr auto integers = atom::Requirement::exactly(100) | atom::Requirement::exactly(110);
  if (a.integer() && !integers.metBy(c.target))
    return fail(Error::GemmTensorInteger, c.target.str());
  if (a.bits() == 32 && c.major != "kk")
    return fail(Error::GemmMajorWide, c.major);
  if (c.swap || c.splitK != 1 || c.cluster != 1)
    return fail(Error::GemmHopperOnly, c.swap ? "swap" : c.splitK != 1 ? "split-k" : "cluster");
  bool isNarrow = a.bits() <= 8 && !a.integer();
  if (c.factors && (!isNarrow || c.tileN != GemmPlan::factorWords))
    return fail(Error::GemmFactorsOf, c.a, c.tileN);
  if (c.factorType() != c.factorOfTarget() && (c.factor != "f8E4M3FN" || a.bits() != 4))
    return fail(Error::GemmFactorType, c.factor, c.a);
  if (a.bits() == 4 && c.major != "kk")
    return fail(Error::GemmMajorWide, c.major);
  int whole = 8 * SmemTile::rowBytes / a.bits(), rowsOfB = GemmPlan(withTwoStages(c)).rowsOfB();
  if (c.major[1] == 'm' && rowsOfB % whole)
    return fail(Error::GemmMajorColumns, whole, rowsOfB);
  return std::nullopt;
}
static std::optional<Reason> refusedGemm(const GemmConfig &c) {
  for (auto refusedBy : {refusedForm, refusedWeights, refusedGroups, refusedBlock, refusedSizes})
    if (auto why = refusedBy(c))
      return why;
  return std::nullopt;
}

static int tileK(const GemmConfig &c) { return SmemTile::rowBytes * 8 / findGemmType(c.a)->bits(); }
static int64_t smemBytes(const GemmConfig &c) { return GemmPlan(c).memory.bytes(); }

const GemmKernel sm100::gemmKernel = {
    .tileK = tileK,
    .smemBytes = smemBytes,
    .teamsOfSlices = 1, // there are none
    .refused = refusedGemm,
    .build = sm100::buildGemm,
};
