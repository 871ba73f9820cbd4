// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One piece of dynamic shared memory seen as bytes, halves, words and doubles.
extern "C" __global__ void shared_views(const unsigned *in, unsigned *out) {
  extern __shared__ double memory[];
  unsigned t = threadIdx.x;
  unsigned *words = (unsigned *)memory;
  unsigned char *bytes = (unsigned char *)memory;
  unsigned short *halves = (unsigned short *)memory;
  words[t] = in[t];
  __syncthreads();
  unsigned char b = bytes[4 * (t ^ 1) + t % 4];
  unsigned short h = halves[2 * (127 - t) + (t & 1)];
  unsigned long long d = __double_as_longlong(memory[t / 2]);
  __syncthreads();
  bytes[t * 4 + 3 - t % 4] = b;
  __syncthreads();
  out[t] = words[t] + h * 3 + (unsigned)(d >> 20);
}
