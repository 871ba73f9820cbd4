// Pieces of shared memory, one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/AttentionMemory.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

void AttentionMemory::placeTiles() {
  q = memory.allocate(c.splits ? 0 : bytesOf(tileQ()));
  k = memory.allocate(c.stages * bytesOf(tileK()));
  v = memory.allocate(c.stages * bytesOf(tileV()));
  turned = memory.allocate(c.isNarrow() ? c.stages * bytesOf(tileTurned()) : 0);
  o = c.persistent && !c.storesRows()
          ? memory.allocate(boxO().elements() * bits / 8 * c.consumers * (c.valueDims() / panelO()))
          : q;
  if (c.splits)
    placeFew(k.start, v.end());
  barriers = memory.barriers(1 + (c.isNarrow() ? 6 : 4) * c.stages + c.persistent);
}

void AttentionMemory::placeFew(int64_t start, int64_t end) {
  sums = {start, (statesStart() + 2 * rowsOfConsumer) * int64_t(sizeof(float))};
  if (int64_t more = sums.end() - end; more > 0)
    memory.allocate(more);
  flag = memory.allocate(c.teams > 1 ? int64_t(sizeof(int32_t)) : 0);
}
