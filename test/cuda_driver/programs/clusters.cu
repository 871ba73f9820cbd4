// A histogram whose bins lie in the shared memory of all blocks of a cluster. Target: sm_90
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr int bins = 128, blocksOfCluster = 4;

__global__ void histogram(const int *in, int count, int *out) {
  __shared__ int own[bins / blocksOfCluster];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins / blocksOfCluster; i += blockDim.x)
    own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    int bin = in[i], rank = bin / (bins / blocksOfCluster);
    atomicAdd(cluster.map_shared_rank(own, rank) + bin % (bins / blocksOfCluster), 1);
  }
  cluster.sync();
  int first = int(cluster.block_rank()) * (bins / blocksOfCluster);
  for (int i = threadIdx.x; i < bins / blocksOfCluster; i += blockDim.x)
    atomicAdd(out + first + i, own[i]);
}

int main() {
  constexpr int count = 4000;
  std::vector<int> in(count), expected(bins);
  for (int i = 0; i < count; ++i)
    ++expected[in[i] = int(i * 2654435761u >> 25)];
  int *from = upload(in), *to = upload(std::vector<int>(bins));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2 * blocksOfCluster);
  config.blockDim = dim3(64);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocksOfCluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int size = 0;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&size, histogram, &config));
  REQUIRE(size >= blocksOfCluster);
  CHECK(cudaLaunchKernelEx(&config, histogram, static_cast<const int *>(from), count, to));
  REQUIRE(download(to, bins) == expected);
  config.gridDim = dim3(blocksOfCluster + 1);
  REQUIRE(cudaLaunchKernelEx(&config, histogram, static_cast<const int *>(from), count, to) !=
          cudaSuccess);
  cudaGetLastError();
  return passed();
}
