// How many threads a row has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/rows/RowPlan.h"

#include "tessera/atom/Threads.h"
#include "tessera/kernels/rows/RowKernel.h"

#include <algorithm>
#include <bit>

using namespace tessera;
using namespace tessera::kernels::rows;

static constexpr int ofWarp = atom::Threads::ofWarp;

static int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
static int64_t wholeWarps(int64_t threads) { return ceilDiv(threads, ofWarp) * ofWarp; }

RowPlan::RowPlan(const RowConfig &c)
    : width(vectorBytes * 8 / elementOf(c, Holds::Element).bits()), cluster(1), fits(true) {
  const RowKernel &kernel = *findRowKernel(c.kernel);
  bool heads = kernel.operands.front().extent == Extent::Heads;
  // Half a head: what is turned in pairs lies half a head apart.
  int64_t columns = c.segment ? c.segment : heads ? ceilDiv(c.columns, 2) : c.columns;
  int64_t all = ceilDiv(columns, width), most = c.vectors;
  if (all <= ofWarp * most)
    threads = int(std::min<int64_t>(ofWarp, int64_t(std::bit_ceil(uint64_t(all)))));
  else if (kernel.streams)
    threads = int(std::min<int64_t>(wholeWarps(ceilDiv(all, most)), mostThreads));
  else {
    while (ceilDiv(all, most * cluster) > mostThreads && cluster < mostCluster)
      cluster *= 2;
    threads = int(wholeWarps(ceilDiv(all, most * cluster)));
    fits = threads <= mostThreadsAtAll;
  }
  vectors = int(std::min(most, ceilDiv(all, int64_t(threads) * cluster)));
  auto number = [&](auto &&holds) { return std::ranges::count_if(kernel.operands, holds); };
  auto held = number([](const RowOperand &operand) {
    return operand.extent == Extent::Matrix && operand.holds == Holds::Element;
  });
  auto ofColumns =
      number([](const RowOperand &operand) { return operand.extent == Extent::OfColumn; });
  together = std::max(1, threadsTogether / threadsOfBlock());
  if (held > 1 && kernel.exchanges)
    together = 1;
  else if (ofColumns > 1)
    together = std::max(std::min(together, 2), threadsWithColumns / threadsOfBlock());
}

int RowPlan::lanes() const { return std::min(threads, ofWarp); }
int RowPlan::warps() const { return std::max(threads / ofWarp, 1); }
int RowPlan::threadsOfBlock() const { return threads > ofWarp ? threads : threadsOfWarpRows; }
