// Pieces of shared memory, one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/GemmMemory.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

SmemTile kernels::operandTile(int rows, int tileK, int bits, bool kMajor) {
  return kMajor ? SmemTile(rows, tileK, bits) : SmemTile(tileK, rows, bits).transposed();
}

GemmMemory::GemmMemory(const GemmConfig &c, int storers) : c(c), groupsThatStore(storers) {
  a = memory.allocate(c.stages * aStage());
  b = memory.allocate(c.stages * bStage());
  d = memory.allocate(storers * boxesStaged * dBox());
  ring = memory.barriers(2 * int64_t(c.stages));
  arrivedC = memory.barriers(c.c ? storers * boxesStaged : 0);
}
