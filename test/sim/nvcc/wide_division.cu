// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients and remainders of 128 bits, with sign and without, and shifts of them.
extern "C" __global__ void wide_division(const ulonglong2 *in, ulonglong2 *out) {
  using wide = unsigned __int128;
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  wide x = (wide)in[2 * t].x << 64 | in[2 * t].y;
  wide y = ((wide)in[2 * t + 1].x << 64 | in[2 * t + 1].y) >> (t % 100) | 1;
  wide q = x / y, r = x % y;
  wide z =
      (wide)((__int128)x / (__int128)(y >> 3 | 1)) + (wide)((__int128)x % -(__int128)(y >> 1 | 1));
  wide s = (x << t % 128) ^ (wide)((__int128)x >> t % 127) ^ x * y;
  out[3 * t] = make_ulonglong2(q >> 64, q);
  out[3 * t + 1] = make_ulonglong2(r >> 64, r);
  out[3 * t + 2] = make_ulonglong2((z ^ s) >> 64, z ^ s);
}
