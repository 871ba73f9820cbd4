// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads push nodes onto a list by compare and swap; one takes them all off and marks them.
extern "C" __global__ void lock_free_stack(const unsigned *in, unsigned *next, unsigned *out) {
  __shared__ unsigned head;
  unsigned t = threadIdx.x;
  if (t == 0)
    head = 0;
  __syncthreads();
  if (in[t] & 1) {
    unsigned seen = atomicAdd(&head, 0);
    for (;;) {
      next[t] = seen;
      __threadfence_block();
      unsigned now = atomicCAS(&head, seen, t + 1);
      if (now == seen)
        break;
      seen = now;
    }
  }
  __syncthreads();
  if (t == 0) {
    unsigned length = 0;
    for (unsigned at = head; at; at = next[at - 1])
      out[at - 1] = in[at - 1] + 1, ++length;
    out[128] = length;
  }
  __syncthreads();
  next[t] = 0;
}
