// CUB's scan, reduction and sort of a block.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <algorithm>

constexpr int block = 64, items = 4;

__global__ void run(const int *in, int *sorted, int *scanned, int *total) {
  using Sort = cub::BlockRadixSort<int, block, items>;
  using Scan = cub::BlockScan<int, block>;
  using Reduce = cub::BlockReduce<int, block>;
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } shared;
  int mine[items], before[items];
  for (int i = 0; i < items; ++i)
    mine[i] = in[threadIdx.x * items + i];
  Scan(shared.scan).ExclusiveSum(mine, before);
  __syncthreads();
  int sum = Reduce(shared.reduce).Sum(mine);
  if (threadIdx.x == 0)
    *total = sum;
  __syncthreads();
  Sort(shared.sort).Sort(mine);
  for (int i = 0; i < items; ++i) {
    sorted[threadIdx.x * items + i] = mine[i];
    scanned[threadIdx.x * items + i] = before[i];
  }
}

int main() {
  constexpr int count = block * items;
  std::vector<int> in(count);
  for (int i = 0; i < count; ++i)
    in[i] = int(i * 7919u % 509) - 250;
  int *sorted = upload(in), *scanned = upload(in), *total = upload(std::vector<int>{0});
  run<<<1, block>>>(upload(in), sorted, scanned, total);
  std::vector<int> prefix = download(scanned, count), expected = in;
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    REQUIRE(prefix[i] == sum);
    sum += in[i];
  }
  REQUIRE(download(total, 1)[0] == sum);
  std::sort(expected.begin(), expected.end());
  REQUIRE(download(sorted, count) == expected);
  return passed();
}
