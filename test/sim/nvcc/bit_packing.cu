// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of different lengths one after the other in a row of bits: unary codes of 1 to 13 bits.
extern "C" __global__ void bit_packing(const unsigned *in, unsigned *out, unsigned *bits) {
  __shared__ unsigned ends[128], packed[64];
  unsigned t = threadIdx.x, length = in[t] % 13 + 1,
           code = (1u << (length - 1)) | (in[t] >> 28 & 1);
  ends[t] = length;
  if (t < 64)
    packed[t] = 0;
  __syncthreads();
  for (unsigned step = 1; step < 128; step *= 2) {
    unsigned more = t >= step ? ends[t - step] : 0;
    __syncthreads();
    ends[t] += more;
    __syncthreads();
  }
  unsigned at = ends[t] - length;
  unsigned long long placed = (unsigned long long)code << at % 32;
  atomicOr(&packed[at / 32], (unsigned)placed);
  if (placed >> 32)
    atomicOr(&packed[at / 32 + 1], (unsigned)(placed >> 32));
  __syncthreads();
  if (t < 64)
    out[t] = packed[t];
  if (t == 127)
    *bits = ends[t];
}
