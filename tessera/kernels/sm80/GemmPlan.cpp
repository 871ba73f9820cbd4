// Tiles that there are, their shared memory, and which one suits a shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/GemmPlan.h"

#include "tessera/atom/Instructions.h"
#include "tessera/atom/Occupancy.h"
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmChecks.h"

#include <algorithm>
#include <tuple>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

//===--- tiles --------------------------------------------------------------------------------===//

// A warp has at most 64 x 64 sums, 128 registers of a lane; on Turing 64 x 32.
static constexpr TileOfWarps tiles[] = {
    {32, 64, 2, 2, true},    {32, 128, 1, 4, true},   {64, 64, 2, 2, true},
    {64, 128, 2, 2, false},  {64, 128, 2, 4, true},   {128, 64, 2, 2, true},
    {128, 128, 2, 2, false}, {128, 128, 2, 4, true},  {64, 256, 1, 4, false},
    {256, 64, 4, 1, false},  {128, 256, 2, 4, false}, {256, 128, 4, 2, false},
};

bool GemmPlan::copiesAsync(const atom::Target &target) {
  return atom::hasInstruction(target, "cp.async.ca.shared.global");
}
const TileOfWarps *GemmPlan::find(const GemmConfig &c) {
  bool takesRegisters = !copiesAsync(c.target) || c.groupScales || c.factors; // besides the sums
  // With factors there are two sums of each; ptxas takes more registers for Blackwell.
  const int mostSums = c.factors && c.target.number() >= 100 ? 32 : 128;
  for (const TileOfWarps &tile : tiles) {
    const int sums = tile.rows() * tile.columns() / atom::Threads::ofWarp;
    if (tile.tileM == c.tileM && tile.tileN == c.tileN && (tile.onTuring || !takesRegisters) &&
        sums <= mostSums)
      return &tile;
  }
  return nullptr;
}

GemmPlan::GemmPlan(const GemmConfig &c)
    : c(c), tile(*find(c)), a{c.tileM, kBytesOf(c), findGemmType(c.a)->bits(), c.major[0] == 'k'},
      b{c.tileN, kBytesOf(c), findGemmType(c.b)->bits(), c.major[1] == 'k'} {
  if (c.groupScales) // bytes, of which i4 has two numbers
    b.kBytes = c.tileK() * b.bits / 8, b.bits = 8;
  stages = memory.allocate(int64_t(c.stages) * stageBytes());
  int64_t warps = tile.threads() / atom::Threads::ofWarp;
  sums = {stages.start, warps * sumsOfWarp() * 4};
  if (int64_t more = sums.end() - stages.end(); more > 0)
    memory.allocate(more, 16);
  slice = memory.allocate(c.splitK > 1 ? wordsOfSlice * 4 : 0, 4);
}

/// "32x64, 32x128, ...": each once.
static std::string tilesOf(const GemmConfig &c) {
  std::string text;
  for (const TileOfWarps &tile : tiles) {
    GemmConfig with = c;
    with.tileM = tile.tileM, with.tileN = tile.tileN;
    if (GemmPlan::find(with) == &tile)
      text += cat(text.empty() ? "" : ", ", tile.tileM, "x", tile.tileN);
  }
  return text;
}

/// The option that this form does not have; empty if there is none.
static std::string_view optionOfOthers(const GemmConfig &c) {
  return c.swap           ? "swap"
         : c.pingpong     ? "schedule pingpong"
         : c.cluster != 1 ? "cluster"
         : c.pair         ? "pair"
         : c.dynamic      ? "dynamic"
                          : "";
}

static std::optional<Reason> refusedGemm(const GemmConfig &c) {
  using atom::Requirement;
  const GemmType &a = *findGemmType(c.a);
  bool isHalf = c.a == "f16", isSmallFloat = a.bits() == 8 && !a.integer();
  Requirement needs = Requirement::atLeast(isHalf || a.integer() ? 75
                                           : isSmallFloat        ? 89
                                                                 : 80); // PTX ISA, mma
  if (!needs.metBy(c.target))
    return fail(Error::GemmWarpType, needs.sentence(), c.a, c.target.str());
  if (std::string_view option = optionOfOthers(c); !option.empty())
    return fail(Error::GemmWarpOption, option, c.target.str());
  if (c.groupScales && c.b != "i4" && !Requirement::atLeast(89).metBy(c.target)) // cvt of f8
    return fail(Error::GemmWarpType, Requirement::atLeast(89).sentence(), c.b, c.target.str());
  if (auto why = refusedWeights(c))
    return why;
  if (!c.factors && !c.factor.empty())
    return fail(Error::GemmWarpOption, "factor", c.target.str());
  if (auto why = refusedBlockFactors(c))
    return why;
  if (auto why = refusedGroups(c))
    return why;
  if (c.groups == "contiguous" && c.major[0] != 'k')
    return fail(Error::GemmWarpStarts, c.target.str(), c.major);
  if (c.splitK < 1)
    return fail(Error::GemmSplit, c.splitK);
  if (!GemmPlan::find(c))
    return fail(Error::GemmWarpTile, tilesOf(c), c.target.str(), cat(c.tileM, "x", c.tileN));
  if (c.stages < 2)
    return fail(Error::GemmStages, c.stages);
  if (c.stages != 2 && !GemmPlan::copiesAsync(c.target))
    return fail(Error::GemmWarpStages, c.target.str(), c.stages);
  if (int64_t most = c.target.maxDynamicShared(); c.smemBytes() > most)
    return fail(Error::GemmShared, c.stages, c.tileN, c.smemBytes(), most);
  if (c.group < 1)
    return fail(Error::GemmGroup, c.group);
  if (c.sms < 1)
    return fail(Error::GemmGrid, 1, c.sms);
  return std::nullopt;
}

static int tileK(const GemmConfig &c) {
  return GemmPlan::kBytesOf(c) * 8 / findGemmType(c.a)->bits();
}
static int64_t smemBytes(const GemmConfig &c) { return GemmPlan(c).memory.bytes(); }

const GemmKernel sm80::gemmKernel = {
    .tileK = tileK,
    .smemBytes = smemBytes,
    .teamsOfSlices = 1, // the block
    .refused = refusedGemm,
    .build = sm80::buildGemm,
};

//===--- which tile ---------------------------------------------------------------------------===//

namespace {
/// Of a GPU of a target, by data sheets and white papers: products of 16 bits in a cycle of a
/// multiprocessor, with sums of f32; multiprocessors. What mma.sync does on Blackwell with tensor
/// memory no sheet says: as on an A100.
struct Gpu {
  int number, products, multiprocessors;
};
constexpr Gpu gpus[] = {
    {75, 512, 40},    // T4
    {80, 1024, 108},  // A100
    {86, 512, 84},    // A40
    {87, 512, 16},    // Jetson AGX Orin
    {89, 512, 142},   // L40S
    {100, 1024, 148}, // B200
    {103, 1024, 160}, // B300
    {110, 1024, 20},  // Jetson AGX Thor
    {120, 512, 188},  // RTX PRO 6000
    {121, 512, 48},   // GB10
};
const Gpu &gpuOf(const atom::Target &target) {
  const Gpu *found = &gpus[0];
  for (const Gpu &gpu : gpus)
    if (gpu.number <= target.number())
      found = &gpu;
  return *found;
}

/// Registers of a thread: the sums, two steps of A and B, and what else there is, which ptxas makes
/// about this.
int registersOf(const TileOfWarps &tile) {
  constexpr int besides = 56, most = 255;
  int sums = tile.rows() * tile.columns() / atom::Threads::ofWarp;
  int fragments = 2 * (tile.rows() / 4 + tile.columns() / 4);
  return std::min(sums + fragments + besides, most);
}
int64_t togetherOf(const GemmConfig &c) {
  const TileOfWarps &tile = *GemmPlan::find(c);
  atom::KernelNeeds needs{
      .registers = registersOf(tile), .threads = tile.threads(), .sharedBytes = c.smemBytes()};
  return std::max<int64_t>(1, atom::occupancyOf(c.target, needs).blocks);
}
constexpr int64_t roundedUp(int64_t of, int64_t by) { return (of + by - 1) / by; }

/// What a multiprocessor does with its share of the tiles. A tile of K takes its products, with
/// half of the time in which warps read it from shared memory; its bytes from the L2 cache; and for
/// each block the time of a load divided by those on their way.
GemmEstimate estimate(const GemmConfig &c, const GemmShape &shape) {
  constexpr double bytesOfCycle = 32, sharedOfCycle = 128, cyclesOfLoad = 600, cyclesOfStart = 1500;
  constexpr int productBytes = 2; // of the numbers that Gpu::products counts
  GemmPlan plan(c);
  GemmEstimate e{.tileM = c.tileM, .tileN = c.tileN, .stages = c.stages, .splitK = c.splitK};
  int64_t tilesOfK = roundedUp(shape.k, c.tileK()), slices = std::min<int64_t>(c.splitK, tilesOfK);
  e.blocks = roundedUp(shape.m, c.tileM) * roundedUp(shape.n, c.tileN) * slices;
  e.together = togetherOf(c);
  int64_t share = roundedUp(e.blocks, c.sms), tilesK = roundedUp(tilesOfK, slices);
  e.rounds = roundedUp(share, e.together);
  double products = double(c.tileM) * c.tileN * plan.a.kBytes / productBytes;
  double reads = double(plan.tile.warpsM * plan.tile.warpsN) *
                 (plan.tile.rows() * plan.a.kBytes + plan.tile.columns() * plan.b.kBytes) /
                 sharedOfCycle;
  e.tensorCores = double(share * tilesK) * (products / gpuOf(c.target).products + reads / 2);
  e.loads = std::max(double(share * tilesK) * plan.stageBytes() / bytesOfCycle,
                     double(e.rounds * tilesK) * cyclesOfLoad / (c.stages - 1));
  double bytesOfD = double(c.tileM) * c.tileN * plan.elementD().bits() / 8;
  e.fixed = double(e.rounds) * cyclesOfStart + double(share) * bytesOfD / bytesOfCycle;
  // A block writes its sums, and the last of a tile waits and reads those of all.
  if (double bytesOfSums = double(c.tileM) * c.tileN * 4; slices > 1)
    e.fixed += (double(share) + double(slices)) * bytesOfSums / bytesOfCycle + cyclesOfStart;
  e.total = std::max(e.tensorCores, e.loads) + e.fixed;
  return e;
}
/// The tiles, stages and slices that the target has room for.
template <class F> void forTiles(const GemmConfig &of, F &&use) {
  constexpr int mostStages = 4;
  llvm::SmallVector<int> slices = {1, 2, 3, 4, 6, 8, 12, 16};
  if (!llvm::is_contained(slices, of.splitK))
    slices.push_back(of.splitK);
  GemmConfig c = of;
  for (int splitK : slices)
    for (const TileOfWarps &tile : tiles)
      for (c.stages = 2; c.stages <= mostStages; ++c.stages) {
        c.splitK = splitK, c.tileM = tile.tileM, c.tileN = tile.tileN;
        if (GemmPlan::find(c) == &tile && !refusedGemm(c))
          use(c);
      }
}
} // namespace

int sm80::multiprocessors(const atom::Target &target) { return gpuOf(target).multiprocessors; }

void GemmEstimate::applyTo(GemmConfig &c) const {
  c.tileM = tileM, c.tileN = tileN, c.stages = stages, c.splitK = splitK;
}

std::vector<GemmEstimate> sm80::plans(const GemmConfig &of, const GemmShape &shape) {
  std::vector<GemmEstimate> found;
  forTiles(of, [&](const GemmConfig &c) {
    if (c.splitK == 1 || c.splitK == of.splitK || c.splitK * c.tileK() <= shape.k)
      found.push_back(estimate(c, shape));
  });
  // Of equal ones that with more loads on their way.
  std::ranges::stable_sort(found, [](const GemmEstimate &a, const GemmEstimate &b) {
    return std::tuple(a.total, -a.stages) < std::tuple(b.total, -b.stages);
  });
  return found;
}

GemmConfig sm80::withDefaultTile(const GemmConfig &of) {
  constexpr GemmShape large{8192, 8192, 8192};
  std::vector<GemmEstimate> all = plans(of, large);
  auto found = std::ranges::find(all, of.splitK, &GemmEstimate::splitK);
  GemmConfig c = of;
  if (found != all.end())
    found->applyTo(c);
  return c;
}
