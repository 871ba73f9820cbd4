// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-32 with a table that the block makes in shared memory.
extern "C" __global__ void crc_table(const unsigned char *in, unsigned *out) {
  __shared__ unsigned table[256];
  unsigned t = threadIdx.x, entry = t;
  for (int i = 0; i < 8; ++i)
    entry = entry & 1 ? entry >> 1 ^ 0xedb88320 : entry >> 1;
  table[t] = entry;
  __syncthreads();
  unsigned crc = ~0u;
  for (int i = 0; i < 32; ++i)
    crc = table[(crc ^ in[(blockIdx.x * 256 + t) * 32 + i]) & 255] ^ crc >> 8;
  out[blockIdx.x * 256 + t] = ~crc;
}
