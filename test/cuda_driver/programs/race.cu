// Two threads write one word, which the sanitizer reports; without it the program passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void race(int *x) {
  if (threadIdx.x % 32 == 0)
    x[0] = 1;
}

int main() {
  int *x = upload(std::vector<int>{0});
  race<<<1, 64>>>(x);
  REQUIRE(download(x, 1)[0] == 1);
  return passed();
}
