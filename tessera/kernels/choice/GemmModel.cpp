// The arithmetic of GemmModel.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/choice/GemmModel.h"

#include "tessera/atom/Occupancy.h"
#include "tessera/kernels/sm90/GemmPlan.h"
#include "tessera/kernels/sm90/GemmSwapped.h"
#include "tessera/kernels/sm90/GemmWeights.h"

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

std::string_view GemmEstimate::limit() const {
  double loads = cache + edges, most = std::max({tensorCores, loads, memory, waits, fixed});
  return most == tensorCores ? "tensor cores"
         : most == loads     ? cache >= edges ? "L2 cache" : "edges"
         : most == memory    ? "memory"
         : most == waits     ? "stages"
                             : "launch";
}

static double tilesOf(double extent, double tile) { return std::ceil(extent / tile); }

GemmEstimate kernels::estimate(const GemmConfig &c, const GemmShape &shape, const GpuRates &gpu) {
  double m = double(shape.m), n = double(shape.n), k = double(shape.k);
  double tilesM = tilesOf(m, c.tileM * c.cluster) * c.cluster, tilesN = tilesOf(n, c.tileN),
         tilesK = tilesOf(k, c.tileK());
  double slices = std::min<double>(c.splitK, tilesK), ofSlice = tilesOf(tilesK, slices);
  double blocks = tilesM * tilesN * slices;
  double cycle = 1e-3 / gpu.gigahertz; // microseconds
  GemmEstimate e{GemmSchedule::of(c)};
  e.blocks = int64_t(blocks);

  // A multiprocessor holds two blocks where their shared memory and registers allow.
  const atom::Multiprocessor &sm = atom::multiprocessorOf(90);
  bool two = c.swap && c.tileM <= GemmPlan::tileM &&
             2 * (c.smemBytes() + sm.reservedBytes()) <= sm.sharedBytes();
  int ofCluster = c.swap ? c.splitK : c.cluster;
  double sms = ofCluster * gpu.clusters[size_t(ofCluster - 1)];
  double together = two ? 2 : 1, busiest = std::ceil(blocks / sms),
         rounds = std::ceil(blocks / (sms * together));

  // wgmma of 64 x n takes n / 2 cycles for 32 bytes of K, and at least what it reads of shared
  // memory, 128 bytes a cycle.
  double rowBytes = SmemTile::rowBytes, bank = gpu.shared;
  const GemmType &typeA = *findGemmType(c.a), &typeB = *findGemmType(c.b);
  double rowOfA = double(typeA.bytesOf(c.tileK())), rowOfB = double(typeB.bytesOf(c.tileK()));
  double wide = c.swap ? c.tileM : c.tileN, tall = c.swap ? c.tileN : c.tileM;
  double product = std::max(2 * wide, (64 + wide) * rowBytes / bank);
  bool walks = !c.swap && !c.scalesBlocks();
  double besides = (walks ? gpu.walkStage : gpu.stage) + (c.scalesBlocks() ? gpu.scaling : 0);
  if (c.groupScales) { // B is in registers
    product = rowOfA / rowBytes * std::max(2 * wide, wide * rowBytes / bank);
    constexpr double alone = 1.4; // one group of warps waits for itself; fitted
    besides += std::max(tall / 64, alone) * (typeB.bits() < 8 ? gpu.widening4 : gpu.widening8);
  }
  e.tensorCores = busiest * ofSlice * (tall / 64 * product + besides) * cycle;
  // The clock drops under a load of products.
  e.tensorCores *= 1 + gpu.heat * e.tensorCores / (e.tensorCores + gpu.heatTime);

  // For a stage, from the cache.
  double loads = c.tileM * rowOfA + c.tileN / double(c.cluster) * rowOfB;
  if (std::fmod(k * rowOfB / c.tileK(), rowBytes) != 0)
    loads *= gpu.misaligned;
  double cacheOfOne = ofSlice * busiest * loads / gpu.l2OfOne * cycle,
         cacheOfAll = blocks * ofSlice * loads / gpu.l2 * 1e-3;
  e.cache = std::max(cacheOfOne, cacheOfAll);

  // Rows of boxes beyond the last one of A and of B, which are filled with zeros on the same way.
  double beyondA = (tilesM * c.tileM - m) * rowOfA / rowBytes,
         beyondB = (tilesN * c.tileN - n) * rowOfB / rowBytes / c.cluster;
  double ofLast = std::min(beyondA, c.tileM * rowOfA / rowBytes) + beyondB;
  double ofAll = slices * (beyondA * tilesN + beyondB * tilesM);
  double again = std::max(1.0, busiest / (tilesM * tilesN)); // of the last tile's slices
  e.edges = std::max(cacheOfOne + ofSlice * again * ofLast * gpu.beyondOfOne * cycle,
                     cacheOfAll + ofSlice * ofAll / gpu.beyond * 1e-3) -
            e.cache;

  double bytes =
      (m * rowOfA + n * rowOfB) * k / c.tileK() + m * n * dsl::Element::named(c.d)->bits() / 8;
  bool cached = bytes <= gpu.l2Bytes;
  double ofEach = bytes / std::min<double>(blocks, gpu.sms);
  e.memory = std::max(bytes / (cached ? gpu.cached : gpu.memory), ofEach / gpu.memoryOfOne) * 1e-3;

  // A stage is loaded again when its load has come and was used. What other blocks loaded before
  // comes from the cache.
  double fresh = std::min(1.0, bytes / (blocks * ofSlice * loads));
  double wait =
      gpu.latency + (cached ? 0 : (gpu.memoryLatency - gpu.latency) * std::pow(fresh, gpu.fresh));
  e.waits = rounds * ofSlice / c.stages * wait * 1e-3;

  // Blocks that read the same of B are neighbours, unless each tile has a cluster.
  if (c.swap && c.splitK > 1 && tilesM > 1)
    for (double *part : {&e.cache, &e.edges, &e.memory, &e.waits})
      *part *= 1 + gpu.apart;

  double sums = double(c.tileM) * c.tileN;
  e.fixed = gpu.launch + gpu.first;
  if (c.swap) {
    e.fixed +=
        gpu.block * blocks + rounds * gpu.last * sums / (128 * 128) + (rounds - 1) * gpu.round;
  } else {
    constexpr double exponentials = 3; // measured: alpha, a bias and gelu besides the way to D
    double bits = dsl::Element::named(c.d)->bits(),
           store = gpu.walkLast * sums / (128 * 128) * bits / 16;
    if (c.activation == "gelu" || c.activation == "silu")
      store *= exponentials;
    // The cooperative form's two groups store half of a tile each.
    e.fixed += gpu.block * std::min<double>(blocks, gpu.sms) +
               (c.cluster > 1 ? gpu.walkCluster : 0) + (c.pingpong ? store : rounds * store / 2);
  }
  if (c.swap && c.splitK > 1)
    e.fixed += gpu.cluster + (two ? 0 : gpu.alone) + gpu.slice * (c.splitK - 1) +
               blocks * sums * 4 / gpu.exchange * 1e-3;
  double powers = 0;
  for (double one : {e.tensorCores, e.cache + e.edges, e.memory, e.waits})
    powers += std::pow(one, gpu.sharpness);
  e.total = std::pow(powers, 1 / gpu.sharpness) + e.fixed;
  return e;
}

/// Rows of a block of a swapped product that cut M into equal parts: as few as 256 rows allow, and
/// some more.
static std::vector<int> heights(const GemmConfig &c, int64_t m) {
  const int64_t most = c.groupScales ? Weights::mostRows : 256, least = 64;
  std::vector<int> found;
  int64_t fewest = (m + most - 1) / most, many = std::max(fewest + 1, (m + least - 1) / least);
  // As refusedSwapped requires: integers have 8 or a multiple of 16, A contiguous in M one of 64.
  int64_t multiple = c.major[0] == 'm' ? 64 : m > 8 && findGemmType(c.a)->integer() ? 16 : 8;
  for (int64_t parts = fewest; parts <= many; ++parts) {
    int64_t rows = (m + parts - 1) / parts;
    rows = (rows + multiple - 1) / multiple * multiple;
    if (rows <= most && std::ranges::find(found, int(rows)) == found.end())
      found.push_back(int(rows));
  }
  return found;
}

std::vector<GemmEstimate> kernels::plans(const GemmConfig &c, const GemmShape &shape,
                                         const GpuRates &gpu) {
  std::vector<GemmEstimate> found;
  auto add = [&](GemmSchedule schedule, int mostStages, int64_t mostBytes) {
    GemmConfig with = c;
    for (schedule.stages = mostStages; schedule.stages >= 2; --schedule.stages) {
      schedule.applyTo(with);
      if (!refused(with) && with.smemBytes() <= mostBytes) {
        found.push_back(estimate(with, shape, gpu));
        return;
      }
    }
  };
  int64_t whole = c.target.maxDynamicShared(), half = whole / 2 - 1024;
  constexpr int rows = GemmPlan::rowsOfConsumer, most = 256, step = 16;
  for (auto [pingpong, tileM] : {std::pair(false, GemmPlan::tileM), {true, rows}, {true, 2 * rows}})
    for (int tileN = most; tileN > 0; tileN -= step)
      for (int cluster : {1, 2})
        for (int group : {8, 16})
          if (group == 8 || tilesOf(double(shape.m), tileM * cluster) > 8)
            add({false, tileM, tileN, 0, cluster, group, 1, pingpong}, 8, whole);
  // The swapped kernel hides no tile's way to D, so that it gains nothing where tiles are many.
  constexpr int64_t mostRows = 2048;
  if (shape.m <= mostRows || c.groupScales)
    for (int tileM : heights(c, shape.m))
      for (int tileN : {128, 64})
        for (int slices : {1, 2, 3, 4, 5, 6, 7, 8}) {
          GemmSchedule schedule{true, tileM, tileN, 0, 1, 8, slices};
          add(schedule, 12, whole);
          if (tileM <= GemmPlan::tileM)
            add(schedule, 8, half);
        }
  // With half of its rows empty, a block of 128 does what a swapped one of 64 does, with more
  // products and loads that bring nothing; that cost more than the model says where it was
  // measured.
  bool fills = shape.m > GemmPlan::tileM / 2;
  std::ranges::stable_sort(found, {}, [&](const GemmEstimate &e) {
    return std::pair(!fills && !e.schedule.swap, e.total);
  });
  return found;
}

std::vector<GemmSchedule> kernels::candidates(const GemmConfig &c, const GemmShape &shape,
                                              const GemmTable &table, const GpuRates &gpu) {
  std::vector<GemmSchedule> out;
  if (const GemmRow *row = table.exact(c, shape))
    out.push_back(row->schedule);
  for (const GemmEstimate &plan : plans(c, shape, gpu))
    if (std::ranges::find(out, plan.schedule) == out.end())
      out.push_back(plan.schedule);
  return out;
}
