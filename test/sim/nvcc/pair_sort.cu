// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp sorts keys of 32 bits with their values by exchanges between lanes; equal keys by value.
extern "C" __global__ void pair_sort(unsigned *keys, unsigned *values) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, lane = t % 32;
  unsigned long long mine = (unsigned long long)(keys[t] & 15) << 32 | values[t];
  for (unsigned size = 2; size <= 32; size *= 2)
    for (unsigned step = size / 2; step; step /= 2) {
      unsigned long long other = __shfl_xor_sync(~0u, mine, step);
      bool isLow = !(lane & step), rises = !(lane & size);
      mine = (mine < other) == (isLow == rises) ? mine : other;
    }
  keys[t] = unsigned(mine >> 32), values[t] = unsigned(mine);
}
