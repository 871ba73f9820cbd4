// How many threads a row has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/rows/RowPlan.h"

#include "tessera/atom/Threads.h"
#include "tessera/kernels/rows/RowKernel.h"

#include <algorithm>
#include <bit>

using namespace tessera;
using namespace tessera::kernels::rows;

static constexpr int64_t ofWarp = atom::Threads::ofWarp;

static int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
static int64_t wholeWarps(int64_t threads) { return ceilDiv(threads, ofWarp) * ofWarp; }

RowPlan::RowPlan(const RowConfig &c)
    : width(vectorBytes * 8 / elementOf(c, Holds::Element).bits()), cluster(1), fits(true) {
  const RowKernel &kernel = *findRowKernel(c.kernel);
  bool heads = kernel.operands.front().extent == Extent::Heads;
  // Half a head: what is turned in pairs lies half a head apart.
  int64_t columns = c.segment ? c.segment : heads ? ceilDiv(c.columns, 2) : c.columns;
  int64_t all = ceilDiv(columns, width), most = c.vectors;
  pieces = kernel.streams || (kernel.ofLong && ceilDiv(all, most) > mostThreads);
  if (all <= ofWarp * most)
    // Lanes with several vectors keep more loads in flight than lanes with one.
    threads =
        int(std::bit_ceil(uint64_t(kernel.exchanges ? ceilDiv(all, most) : std::min(all, ofWarp))));
  else if (pieces)
    threads = int(std::min<int64_t>(wholeWarps(ceilDiv(all, most)), mostThreads));
  else {
    while (ceilDiv(all, most * cluster) > mostThreads && cluster < mostCluster)
      cluster *= 2;
    threads = int(wholeWarps(ceilDiv(all, most * cluster)));
    fits = threads <= mostThreadsAtAll;
  }
  vectors = int(std::min(most, ceilDiv(all, int64_t(threads) * cluster)));
  together = std::max(1, kernel.threads / threadsOfBlock());
}

int RowPlan::lanes() const { return int(std::min<int64_t>(threads, ofWarp)); }
int RowPlan::warps() const { return int(std::max<int64_t>(threads / ofWarp, 1)); }
int RowPlan::threadsOfBlock() const { return threads > ofWarp ? threads : threadsOfWarpRows; }
