// Configurations of Hopper's GEMM, and their shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmPlan.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmChecks.h"
#include "tessera/kernels/sm90/Gemm.h"
#include "tessera/kernels/sm90/GemmScales.h"
#include "tessera/kernels/sm90/GemmSwapped.h"
#include "tessera/kernels/sm90/GemmWeights.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

GemmPlan::GemmPlan(const GemmConfig &c) : GemmMemory(c, consumers) {
  flags = memory.allocate(c.splitK > 1 ? consumers * 4 : 0, 4);
  turns = memory.barriers(c.pingpong ? consumers : 0);
}

int GemmPlan::mostSums() const {
  constexpr int usual = 128, alone = 160, besideRows = 112;
  if (c.groups == "contiguous") // whose last rows are stored from registers
    return c.pingpong ? besideRows : usual;
  return c.c || c.bias != "none" || c.activation != "none" ? usual : alone;
}

static bool among(const auto &value, const auto &...of) { return ((value == of) || ...); }

/// Why the consumers of Hopper have no such tile of a product that is not swapped.
static std::optional<Reason> refusedTile(const GemmConfig &c) {
  GemmPlan plan(withTwoStages(c));
  const GemmType &b = *findGemmType(c.b);
  constexpr int rows = GemmPlan::rowsOfConsumer;
  if (c.pingpong ? !among(c.tileM, rows, 2 * rows) : c.tileM != GemmPlan::tileM)
    return fail(Error::GemmTileRows, c.pingpong ? "64 or 128" : "128",
                c.pingpong ? "ping-pong" : "cooperative", c.tileM);
  if (!among(c.cluster, 1, 2, 4, 8))
    return fail(Error::GemmCluster, c.cluster);
  // stmatrix stores 16 columns; N-major tiles are whole panels; a part of B for each block of a
  // cluster is whole rows of the swizzle.
  int step = std::max(16, 8 * c.cluster);
  if (c.major[1] == 'm')
    step = std::max(step, SmemTile::rowBytes * 8 / b.bits());
  if (c.c)
    step = std::max(step, plan.boxN()); // which is as wide as D's
  if (constexpr int most = 256; c.tileN < step || c.tileN > most || c.tileN % step)
    return fail(Error::GemmTileColumns, step, most, c.tileN);
  if (int most = 2 * plan.mostSums() / plan.rowBlocks(); c.tileN > most)
    return fail(Error::GemmTileSums, c.tileM, most, c.tileN);
  if (c.pingpong && (c.splitK > 1 || c.factors))
    return fail(Error::GemmPingpongSums);
  if (c.factors && c.tileN % 64)
    return fail(Error::GemmBlockFactorsColumns, c.tileN);
  return std::nullopt;
}

static std::optional<Reason> refusedGemm(const GemmConfig &c) {
  if (c.pair || c.dynamic)
    return fail(Error::GemmBlackwell, c.target.str());
  for (auto refusedBy : {refusedScales, refusedWeights, refusedWeightsTile, refusedGroups,
                         c.swap ? refusedSwapped : refusedTile})
    if (auto why = refusedBy(c))
      return why;
  if (c.swap && c.pingpong)
    return fail(Error::GemmPingpongSwap);
  return refusedSizes(c);
}

static int tileK(const GemmConfig &c) {
  if (c.groupScales)
    return Weights::tileK;
  return SmemTile::rowBytes * 8 / findGemmType(c.a)->bits();
}
static int64_t smemBytes(const GemmConfig &c) {
  return c.swap ? SwappedPlan(c).memory.bytes() : GemmPlan(c).memory.bytes();
}

const GemmKernel sm90::gemmKernel = {
    .tileK = tileK,
    .smemBytes = smemBytes,
    .teamsOfSlices = GemmPlan::consumers,
    .refused = refusedGemm,
    .build = sm90::buildGemm,
};
