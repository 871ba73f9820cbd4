// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel asks of its place: sizes, indices, lanes, times that do not go back.
extern "C" __global__ void clocks(unsigned *out) {
  unsigned lane, warp, size, le;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%ntid.y;" : "=r"(size));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(le));
  warp = (threadIdx.x + threadIdx.y * blockDim.x) / 32;
  long long before = clock64();
  __nanosleep(20);
  bool goes = clock64() >= before;
  unsigned t = (blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.y * blockDim.x + threadIdx.x;
  out[t] = lane + warp * 100 + size * 1000 + gridDim.y * 10000 + (goes ? 1000000 : 0) +
           __popc(le) * 2000000;
}
