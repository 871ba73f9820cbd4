// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MurmurHash3 of 32 bits of rows of bytes, 0 to 15 of them.
extern "C" __global__ void murmur_hash(const unsigned char *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, length = t % 16, hash = t;
  const unsigned char *row = in + t * 16;
  auto mixed = [](unsigned k) {
    k *= 0xcc9e2d51;
    return (k << 15 | k >> 17) * 0x1b873593;
  };
  for (unsigned i = 0; i + 4 <= length; i += 4) {
    hash ^= mixed(*(const unsigned *)(row + i));
    hash = (hash << 13 | hash >> 19) * 5 + 0xe6546b64;
  }
  unsigned tail = 0;
  switch (length & 3) {
  case 3: tail = row[(length & ~3u) + 2] << 16; [[fallthrough]];
  case 2: tail |= row[(length & ~3u) + 1] << 8; [[fallthrough]];
  case 1: tail |= row[length & ~3u]; hash ^= mixed(tail);
  }
  hash ^= length;
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  out[t] = hash ^ hash >> 16;
}
