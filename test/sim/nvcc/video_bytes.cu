// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four bytes or two halves in a register: sums, differences, means, comparisons, minima.
extern "C" __global__ void video_bytes(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = a[t], y = b[t], *mine = out + 16 * t;
  mine[0] = __vadd4(x, y), mine[1] = __vsub4(x, y), mine[2] = __vavgu4(x, y);
  mine[3] = __vmaxs4(x, y), mine[4] = __vminu4(x, y), mine[5] = __vcmpgtu4(x, y);
  mine[6] = __vsetles4(x, y), mine[7] = __vaddus4(x, y), mine[8] = __vsubss4(x, y);
  mine[9] = __vabsdiffs2(x, y), mine[10] = __vneg2(x), mine[11] = __vabsss2(y);
  mine[12] = __vsads4(x, y), mine[13] = __vhaddu2(x, y), mine[14] = __vcmpeq4(x & y, x);
  mine[15] = __viaddmin_s16x2_relu(x & 0x3fff3fff, y | 0xc000c000, 0x00500500);
}
