// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of 16 classes: lanes of a class send one of them.
extern "C" __global__ void histogram_match(const unsigned *in, unsigned *counts) {
  unsigned kind = in[blockIdx.x * 256 + threadIdx.x] & 15;
  unsigned peers = __match_any_sync(~0u, kind);
  if (__ffs(peers) - 1 == threadIdx.x % 32)
    atomicAdd(&counts[kind], __popc(peers));
}
