// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

// Block 0 hands a message to block 1 by a flag that is released and acquired, and so on in a chain.
extern "C" __global__ void message_passing(unsigned *message, unsigned *flags, unsigned *out) {
  unsigned b = blockIdx.x, t = threadIdx.x;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> mine(flags[b]), last(flags[b ? b - 1 : 0]);
  if (b && t == 0)
    while (!last.load(cuda::memory_order_acquire))
      ;
  __syncthreads();
  unsigned x = b ? message[(b - 1) * 64 + (t ^ 1)] : t;
  message[b * 64 + t] = x * 5 + b;
  out[b * 64 + t] = x;
  __syncthreads();
  if (t == 0)
    mine.store(1, cuda::memory_order_release);
}
