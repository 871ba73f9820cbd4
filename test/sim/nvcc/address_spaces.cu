// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that are to shared, local or global memory, as data say.
extern "C" __global__ void address_spaces(unsigned *in, unsigned *out) {
  __shared__ unsigned shared[64];
  unsigned t = threadIdx.x, local[4];
  shared[t] = in[t] + 1;
  for (unsigned i = 0; i < 4; ++i)
    local[(i + t) % 4] = in[t] * i;
  __syncthreads();
  unsigned *from = in[t] % 3 == 0 ? &shared[t ^ 8] : in[t] % 3 == 1 ? &in[t ^ 3] : &local[t % 4];
  unsigned is = __isShared(from) + 2 * __isGlobal(from) + 4 * __isLocal(from);
  out[t] = *from * 8 + is;
}
