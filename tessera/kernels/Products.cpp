// Products by target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Products.h"

#include "tessera/atom/Instructions.h"

using namespace tessera;

bool kernels::multipliesByWarps(const atom::Target &target) {
  constexpr int hopper = 90, smallBlackwell = 12; // sm_120 and sm_121 have no tensor memory
  return target.number() < hopper || target.family() == smallBlackwell;
}
bool kernels::hasGroupMma(const atom::Target &target) {
  return atom::hasInstruction(target, "wgmma.mma_async");
}
bool kernels::hasTensorMemory(const atom::Target &target) {
  return target.family() == 10 || target.family() == 11;
}
