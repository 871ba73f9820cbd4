// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bits of three coordinates woven together and taken apart again, and Gray's code.
extern "C" __global__ void morton_codes(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  auto spread = [](unsigned x) {
    x &= 0x3ff;
    x = (x | x << 16) & 0x030000ff, x = (x | x << 8) & 0x0300f00f;
    return x = (x | x << 4) & 0x030c30c3, (x | x << 2) & 0x09249249;
  };
  auto gather = [](unsigned x) {
    x &= 0x09249249;
    x = (x | x >> 2) & 0x030c30c3, x = (x | x >> 4) & 0x0300f00f;
    return x = (x | x >> 8) & 0x030000ff, (x | x >> 16) & 0x3ff;
  };
  unsigned x = in[t], code = spread(x) | spread(x >> 10) << 1 | spread(x >> 20) << 2;
  unsigned gray = code ^ code >> 1, back = gray;
  for (int i = 1; i < 32; i *= 2)
    back ^= back >> i;
  out[2 * t] = gray;
  out[2 * t + 1] = gather(back) + gather(back >> 1) * 1024 + gather(back >> 2) * 1048576;
}
