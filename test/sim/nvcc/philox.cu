// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox with four words and ten rounds, as of counters and keys.
extern "C" __global__ void philox(const uint2 *keys, uint4 *out, unsigned first) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  uint2 key = keys[t];
  uint4 c = make_uint4(first + t, 0, t / 3, 7);
  for (int i = 0; i < 10; ++i) {
    unsigned high = __umulhi(0xd2511f53, c.x), low = 0xd2511f53 * c.x;
    unsigned upper = __umulhi(0xcd9e8d57, c.z), lower = 0xcd9e8d57 * c.z;
    c = make_uint4(upper ^ c.y ^ key.x, lower, high ^ c.w ^ key.y, low);
    key.x += 0x9e3779b9, key.y += 0xbb67ae85;
  }
  out[t] = c;
}
