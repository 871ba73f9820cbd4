// Configurations that there are, and their shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmPlan.h"

#include "tessera/kernels/Activation.h"
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm100/Gemm.h"
#include "tessera/kernels/sm100/GemmPlan.h"
#include "tessera/kernels/sm80/GemmPlan.h"
#include "tessera/kernels/sm90/GemmScales.h"
#include "tessera/kernels/sm90/GemmSwapped.h"
#include "tessera/kernels/sm90/GemmWalk.h"
#include "tessera/kernels/sm90/GemmWeights.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

//===--- shared memory ------------------------------------------------------------------------===//

SmemTile sm90::operandTile(int rows, int tileK, int bits, bool kMajor) {
  return kMajor ? SmemTile(rows, tileK, bits) : SmemTile(tileK, rows, bits).transposed();
}

GemmPlan::GemmPlan(const GemmConfig &c) : c(c) {
  a = memory.allocate(c.stages * aStage());
  b = memory.allocate(c.stages * bStage());
  d = memory.allocate(storers() * boxesStaged * dBox());
  ring = memory.barriers(2 * int64_t(c.stages));
  arrivedC = memory.barriers(c.c ? storers() * boxesStaged : 0);
  flags = memory.allocate(c.splitK > 1 ? consumers * 4 : 0, 4);
  turns = memory.barriers(c.pingpong ? consumers : 0);
}

int GemmPlan::mostSums() const {
  constexpr int usual = 128, alone = 160, besideRows = 112;
  if (c.groups == "contiguous") // whose last rows are stored from registers
    return c.pingpong ? besideRows : usual;
  return c.c || c.bias != "none" || c.activation != "none" ? usual : alone;
}

void GemmBlock::begin(const GemmParameters &parameters) {
  given = parameters;
  static_cast<ThreadIds &>(*this) = ThreadIds::here();
  plan.memory.open();
  rank = c.clusterBlocks() > 1 ? block_rank_in_cluster() : i32(0);
}

Tensor sm90::ofProduct(const GemmConfig &c, Tensor coords, const TilePosition &tile, bool isB) {
  if (c.groups == "none")
    return coords;
  if (isB || c.groups != "contiguous")
    return coords(_, _, tile.group);
  return rowsFrom(coords, tile.start);
}

TilePosition sm90::tileOfWalk(const GemmConfig &c, const GemmParameters &given, Num rank, Num t,
                              Num firstK, Num endK) {
  // So many rows of any number of columns can be counted in 32 bits; of more, those that there are.
  constexpr int always = 63;
  Operand group = c.group <= always ? Operand(c.group) : Operand(min(given.tilesM, c.group));
  Num perGroup = given.tilesN * group;
  Num first = t / perGroup * group, inside = t % perGroup;
  Num rows = min(given.tilesM - first, group);
  return {(first + inside % rows) * c.clusterBlocks() + rank, inside / rows, firstK, endK};
}

Num sm90::tilesOfProducts(const GemmConfig &c, Num tilesM, Num tilesN, const GemmExtras &extras) {
  if (c.groups == "contiguous") // each may end within a tile
    return (tilesM + *extras.products) * tilesN;
  Num tiles = tilesM * tilesN;
  return extras.products ? tiles * *extras.products : tiles;
}
Num sm90::rowsOfProduct(const GemmConfig &c, const GemmExtras &extras, Num group) {
  const Tensor &bounds = *extras.bounds;
  return c.groups == "masked" ? load(bounds, group) : load(bounds, group + 1) - load(bounds, group);
}

//===--- configurations -----------------------------------------------------------------------===//

static constexpr GemmType types[] = {
    {f16, 0}, {bf16, 1}, {tf32, 2},     {f8E4M3FN, 3},           {f8E5M2, 3},
    {i8, 4},  {u8, 4},   {f4E2M1FN, 5}, {number::Format::s4, 6},
};
const GemmType *sm90::findGemmType(std::string_view name) {
  const GemmType *found = std::ranges::find(types, name, &GemmType::name);
  return found == std::end(types) ? nullptr : found;
}

int GemmConfig::tileK() const {
  if (sm80::multipliesByWarps(target))
    return sm80::GemmPlan::kBytesOf(*this) * 8 / findGemmType(a)->bits();
  if (groupScales)
    return Weights::tileK;
  return SmemTile::rowBytes * 8 / findGemmType(a)->bits();
}
int64_t GemmConfig::smemBytes() const {
  if (hasTensorMemory())
    return sm100::GemmPlan(*this).memory.bytes();
  if (sm80::multipliesByWarps(target))
    return sm80::GemmPlan(*this).memory.bytes();
  return swap ? SwappedPlan(*this).memory.bytes() : GemmPlan(*this).memory.bytes();
}
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

std::optional<Reason> sm90::refusedGroups(const GemmConfig &c) {
  if (!among(c.groups, "none", "batches", "masked", "contiguous"))
    return fail(Error::GemmGroups, c.groups);
  if (c.groups != "none" &&
      (c.dynamic || (c.factors && c.hasTensorMemory()) || c.swap || c.splitK > 1 || c.groupScales))
    return fail(Error::GemmGroupsForm);
  if (c.groups == "contiguous" && c.c)
    return fail(Error::GemmGroupsC);
  return std::nullopt;
}

/// Why a block of Blackwell has no such tile.
static std::optional<Reason> refusedBlock(const GemmConfig &c) {
  if (c.pingpong)
    return fail(Error::GemmHopperOnly, "schedule pingpong");
  if (c.tileM != GemmPlan::tileM)
    return fail(Error::GemmRows, c.tileM);
  if (!among(c.tileN, 64, 128, 192, 256))
    return fail(Error::GemmTile, c.tileN);
  return std::nullopt;
}

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

std::optional<Reason> kernels::refused(const GemmConfig &c) {
  if (auto why = refusedTypes(c))
    return why;
  const bool byWarps = sm80::multipliesByWarps(c.target);
  if (!byWarps && !c.hasTensorMemory() && !hasGroupMma(c.target))
    return fail(Error::GemmTarget, c.target.str());
  if (!among(c.major, "kk", "km", "mk", "mm"))
    return fail(Error::GemmMajor, c.major);
  if (!c.hasTensorMemory() && findGemmType(c.a)->bits() != 16 && c.major != "kk")
    return fail(Error::GemmMajorBits, c.major);
  if (!among(c.bias, "none", "f32", c.d))
    return fail(Error::GemmBias, c.d, c.bias);
  if (!findActivation(c.activation))
    return fail(Error::GemmActivation, c.activation);
  if (byWarps)
    return sm80::refusedGemm(c);
  if (c.hasTensorMemory()) {
    if (auto why = sm100::refusedGemm(c))
      return why;
  } else if (c.pair || c.dynamic) {
    return fail(Error::GemmBlackwell, c.target.str());
  } else if (auto why = refusedScales(c)) {
    return why;
  }
  if (auto why = refusedWeights(c))
    return why;
  if (auto why = refusedGroups(c))
    return why;
  if (c.swap) {
    if (auto why = refusedSwapped(c))
      return why;
  } else if (auto why = c.hasTensorMemory() ? refusedBlock(c) : refusedTile(c))
    return why;
  if (c.swap && c.pingpong)
    return fail(Error::GemmPingpongSwap);
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
