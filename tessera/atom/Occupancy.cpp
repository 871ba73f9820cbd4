// What SMs have, by compute capability, and the division of it among blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Occupancy.h"

#include <algorithm>
#include <limits>

namespace tessera::atom {

namespace {

constexpr Multiprocessor multiprocessors[] = {
    {70, 64, 32, 96, 0},   {75, 32, 16, 64, 0},   {80, 64, 32, 164, 0},  {86, 48, 16, 100, 0},
    {87, 48, 16, 164, 0},  {89, 48, 24, 100, 0},  {90, 64, 32, 228, 2},  {100, 64, 32, 228, 2},
    {103, 64, 32, 228, 2}, {110, 48, 24, 228, 1}, {120, 48, 24, 100, 1}, {121, 48, 24, 100, 1},
};
constexpr int64_t parts = 4, registersOfPart = 16384, registerStep = 256, threadsOfWarp = 32;
constexpr int64_t most = std::numeric_limits<int64_t>::max();

constexpr int64_t roundedUp(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

/// Blocks whose warps find registers: each part of the SM gives whole warps theirs, and a block is
/// refused as if its warps were spread evenly over the parts.
int64_t byRegisters(const KernelNeeds &needs, int64_t warps) {
  if (!needs.registers)
    return most;
  int64_t ofWarp = roundedUp(needs.registers * threadsOfWarp, registerStep);
  if (ofWarp * roundedUp(warps, parts) > parts * registersOfPart)
    return 0;
  return registersOfPart / ofWarp * parts / warps;
}

int64_t bySharedMemory(const KernelNeeds &needs, const Multiprocessor &sm) {
  int64_t ofBlock = roundedUp(needs.sharedBytes + sm.reservedBytes(), sm.number < 80 ? 256 : 128);
  return ofBlock ? sm.sharedBytes() / ofBlock : most;
}

} // namespace

const Multiprocessor &multiprocessorOf(int number) {
  return *std::find_if(std::begin(multiprocessors), std::end(multiprocessors),
                       [&](const Multiprocessor &row) { return row.number == number; });
}

Occupancy occupancyOf(Target target, const KernelNeeds &needs) {
  const Multiprocessor &sm = multiprocessorOf(target.number());
  int64_t warps = roundedUp(std::max<int64_t>(needs.threads, 1), threadsOfWarp) / threadsOfWarp;
  struct Bound {
    Occupancy::Limit by;
    int64_t blocks;
  };
  const Bound bounds[] = {
      {Occupancy::Warps, sm.warps / warps},
      {Occupancy::Blocks, sm.blocks},
      {Occupancy::Registers, byRegisters(needs, warps)},
      {Occupancy::SharedMemory, bySharedMemory(needs, sm)},
      {Occupancy::Barriers, needs.barriers && sm.barriersPerBlock
                                ? sm.blocks * sm.barriersPerBlock / needs.barriers
                                : most},
  };
  const Bound &least = *std::ranges::min_element(bounds, {}, &Bound::blocks);
  return {
      .blocks = least.blocks, .warps = least.blocks * warps, .most = sm.warps, .limit = least.by};
}

std::string_view nameOf(Occupancy::Limit limit) {
  constexpr std::string_view names[] = {"warps", "blocks", "registers", "shared memory",
                                        "barriers"};
  return names[limit];
}

} // namespace tessera::atom
