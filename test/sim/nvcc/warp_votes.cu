// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Votes, matches, reductions and shuffles of a warp.
extern "C" __global__ void warp_votes(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t], lane = threadIdx.x % 32;
  unsigned ballot = __ballot_sync(~0u, x & 1), sum = __reduce_add_sync(~0u, x & 0xffff),
           most = __reduce_max_sync(~0u, x);
  int least = __reduce_min_sync(~0u, (int)x);
  int same;
  unsigned all = __match_all_sync(~0u, x >> 31, &same);
  unsigned rotated = __shfl_sync(~0u, x, lane + 5), segment = __shfl_up_sync(~0u, x, 3, 8);
  out[t] = ballot ^ sum ^ most ^ (unsigned)least ^ all ^ same ^ rotated ^ (segment * 3) ^
           __all_sync(~0u, x) ^ (__any_sync(~0u, x == 7) << 4);
  if (lane & 1) // half of the warp
    out[t] += __popc(__activemask()) + __shfl_xor_sync(0xaaaaaaaa, x, 2);
}
