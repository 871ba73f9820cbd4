// Products and quotients of 64 and 128 bits.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void divide(const unsigned long long *x, unsigned long long *out, int count) {
  int i = threadIdx.x;
  if (i >= count)
    return;
  unsigned __int128 a = (unsigned __int128)x[i] << 64 | x[(i + 1) % count], b = x[(i + 2) % count];
  if (i % 2)
    b = b << 31 | 12345;
  unsigned __int128 q = a / b, r = a % b;
  out[i * 4] = (unsigned long long)q;
  out[i * 4 + 1] = (unsigned long long)(q >> 64);
  out[i * 4 + 2] = (unsigned long long)r;
  out[i * 4 + 3] = __umul64hi(x[i], x[(i + 1) % count]);
}

int main() {
  constexpr int count = 32;
  std::vector<unsigned long long> x(count);
  unsigned long long seed = 88172645463325252ull;
  for (auto &value : x) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    value = seed >> (seed & 31);
  }
  auto *out = upload(std::vector<unsigned long long>(count * 4));
  divide<<<1, 32>>>(upload(x), out, count);
  auto result = download(out, count * 4);
  for (int i = 0; i < count; ++i) {
    unsigned __int128 a = (unsigned __int128)x[i] << 64 | x[(i + 1) % count],
                      b = x[(i + 2) % count];
    if (i % 2)
      b = b << 31 | 12345;
    unsigned __int128 q = a / b, r = a % b;
    REQUIRE(result[i * 4] == (unsigned long long)q);
    REQUIRE(result[i * 4 + 1] == (unsigned long long)(q >> 64));
    REQUIRE(result[i * 4 + 2] == (unsigned long long)r);
    REQUIRE(result[i * 4 + 3] ==
            (unsigned long long)((unsigned __int128)x[i] * x[(i + 1) % count] >> 64));
  }
  return passed();
}
