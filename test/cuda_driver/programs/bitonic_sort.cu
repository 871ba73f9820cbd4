// A bitonic sort over several launches and in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <algorithm>

__global__ void step(unsigned *x, int distance, int span) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
  if (other > i && (x[i] > x[other]) == ((i & span) == 0)) {
    unsigned held = x[i];
    x[i] = x[other];
    x[other] = held;
  }
}

int main() {
  constexpr int count = 1024;
  std::vector<unsigned> in(count);
  for (int i = 0; i < count; ++i)
    in[i] = i * 2654435761u;
  unsigned *x = upload(in);
  for (int span = 2; span <= count; span *= 2)
    for (int distance = span / 2; distance; distance /= 2)
      step<<<count / 128, 128>>>(x, distance, span);
  std::sort(in.begin(), in.end());
  REQUIRE(download(x, count) == in);
  return passed();
}
