// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock of compare and exchange guards two numbers that change together.
extern "C" __global__ void spin_lock(const unsigned *in, unsigned *lock, volatile unsigned *two) {
  unsigned x = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      two[0] = two[0] + x;
      two[1] = two[1] ^ x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}
