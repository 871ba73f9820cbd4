// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps take pieces of different sizes from a queue until none is left.
extern "C" __global__ void work_queue(const unsigned *in, unsigned *out, unsigned *queue,
                                      int pieces) {
  for (;;) {
    unsigned piece = 0;
    if (threadIdx.x % 32 == 0)
      piece = atomicAdd(queue, 1);
    piece = __shfl_sync(~0u, piece, 0);
    if (piece >= pieces)
      break;
    unsigned sum = 0;
    for (unsigned i = threadIdx.x % 32; i <= piece * 3; i += 32)
      sum += in[(piece * 7 + i) % 256];
    for (int step = 16; step; step /= 2)
      sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0)
      out[piece] = sum;
  }
}
