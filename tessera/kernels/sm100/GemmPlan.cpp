// Configurations of Blackwell's GEMM, and their shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm100/GemmPlan.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm100/Gemm.h"

#include <bit>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm100;

GemmPlan::GemmPlan(const GemmConfig &c) : sm90::GemmPlan(c) {
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

std::optional<Reason> sm100::refusedGemm(const GemmConfig &c) {
  const GemmType &a = *sm90::findGemmType(c.a);
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
  int whole = 8 * SmemTile::rowBytes / a.bits(),
      rowsOfB = GemmPlan(sm90::withTwoStages(c)).rowsOfB();
  if (c.major[1] == 'm' && rowsOfB % whole)
    return fail(Error::GemmMajorColumns, whole, rowsOfB);
  return std::nullopt;
}
