// The registers that a kernel begins with, and how setmaxnreg moves them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/RegisterPool.h"

#include "tessera/sim/Program.h"

#include <algorithm>

namespace tessera::sim {

namespace {
/// A multiprocessor has four parts, each with registers for every fourth warp of its blocks; a
/// thread has a multiple of eight.
uint32_t registersAtEntry(const Function &kernel, uint32_t warps) {
  constexpr uint32_t ofPart = 16384, parts = 4, unit = 8, most = 256, threads = 32;
  if (kernel.registers)
    return std::min((kernel.registers + unit - 1) / unit * unit, most);
  const bool hasThreads = kernel.required[0] || kernel.atMost[0];
  if (!kernel.blocks || !hasThreads)
    return 0;
  const uint64_t held = (uint64_t(kernel.blocks) * warps + parts - 1) / parts;
  return uint32_t(std::min<uint64_t>(ofPart / threads / held / unit * unit, most));
}
} // namespace

RegisterPool::RegisterPool(const Function &kernel, uint32_t warps)
    : entry(registersAtEntry(kernel, warps)), held(entry ? warps : 0, entry) {}

bool RegisterPool::change(uint32_t warp, uint32_t registers) {
  if (held.empty())
    return true;
  const int64_t more = int64_t(registers) - held[warp];
  if (more > rest)
    return false;
  rest -= more;
  held[warp] = registers;
  return true;
}

} // namespace tessera::sim
