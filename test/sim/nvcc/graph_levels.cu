// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth first search: how far each node of a graph is from node 0; each has four neighbours.
extern "C" __global__ void graph_levels(const unsigned *neighbours, int *levels) {
  __shared__ int level[256], more;
  int t = threadIdx.x;
  level[t] = t ? -1 : 0;
  __syncthreads();
  for (int depth = 0;; ++depth) {
    if (t == 0)
      more = 0;
    __syncthreads();
    if (*(volatile int *)&level[t] == depth)
      for (int i = 0; i < 4; ++i) {
        unsigned to = neighbours[4 * t + i] % 256;
        if (to % 16 && atomicCAS(&level[to], -1, depth + 1) == -1)
          atomicExch(&more, 1);
      }
    __syncthreads();
    bool again = more;
    __syncthreads();
    if (!again)
      break;
  }
  levels[t] = level[t];
}
