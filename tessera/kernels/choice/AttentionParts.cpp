// Parts of the keys of few queries, by what clusters reach on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/Attention.h"
#include "tessera/kernels/choice/GemmRates.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::kernels;

/// How many multiprocessors clusters of `blocks` blocks reach, on the GPU of most measurements.
static int64_t reachedBy(int64_t blocks) { return ratesOf().clusters[size_t(blocks - 1)] * blocks; }

int kernels::partsFor(int64_t groups) {
  constexpr int most = 8;
  const int64_t filled = reachedBy(most);
  int parts = 1;
  while (parts < most && groups * parts < filled)
    parts *= 2;
  return parts;
}
std::pair<int, int> kernels::teamsFor(int64_t groups) {
  constexpr int64_t most = 16;
  int64_t parts = std::max<int64_t>(reachedBy(1) / std::max<int64_t>(groups, 1), 1);
  int64_t splits = 1;
  while (splits < 8 && parts / splits > most)
    splits *= 2;
  if (splits > 2) // clusters of 4 and 8 reach fewer
    parts = reachedBy(splits) / groups;
  return {int(splits), int(std::clamp<int64_t>(parts / splits, 1, most))};
}
