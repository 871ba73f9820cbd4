// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two arrays in dynamic shared memory, whose sizes come with the launch.
extern "C" __global__ void dynamic_shared(const unsigned *in, unsigned *out, int n) {
  extern __shared__ unsigned memory[];
  unsigned *first = memory;
  unsigned short *second = (unsigned short *)(memory + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    first[i] = in[i], second[n - 1 - i] = (unsigned short)(in[i] >> 16);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = first[(i * 7) % n] + second[i];
}
