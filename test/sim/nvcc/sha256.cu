// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ unsigned rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned turned(unsigned x, int by) { return __funnelshift_r(x, x, by); }

// One block of SHA-256 for each thread: 16 words in, 8 out.
extern "C" __global__ void sha256(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, w[16];
  const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned a = start[0], b = start[1], c = start[2], d = start[3], e = start[4], f = start[5],
           g = start[6], h = start[7];
  for (int i = 0; i < 16; ++i)
    w[i] = __byte_perm(in[t * 16 + i], 0, 0x0123);
#pragma unroll 16
  for (int i = 0; i < 64; ++i) {
    unsigned x = w[i & 15];
    if (i >= 16) {
      unsigned p = w[(i + 1) & 15], q = w[(i + 14) & 15];
      x += (turned(p, 7) ^ turned(p, 18) ^ p >> 3) + w[(i + 9) & 15] +
           (turned(q, 17) ^ turned(q, 19) ^ q >> 10);
      w[i & 15] = x;
    }
    unsigned one =
        h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + x;
    unsigned two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  unsigned ends[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    out[t * 8 + i] = start[i] + ends[i];
}
