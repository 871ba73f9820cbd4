// Sums and products of halves and bfloat16, and their conversions.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void compute(const float *x, float *out, int count) {
  int i = threadIdx.x;
  if (i >= count)
    return;
  __half h = __float2half(x[i]);
  __half2 pair = __hfma2(__half2half2(h), __float2half2_rn(2), __floats2half2_rn(1, -1));
  __nv_bfloat16 b = __float2bfloat16(x[i]);
  out[i * 4] = __low2float(pair);
  out[i * 4 + 1] = __high2float(pair);
  out[i * 4 + 2] = __bfloat162float(b * b);
  out[i * 4 + 3] = float(__hmax(h, __float2half(0)) < __half(3));
}

int main() {
  constexpr int count = 32;
  std::vector<float> x = numbers(count);
  float *out = upload(std::vector<float>(count * 4));
  compute<<<1, 32>>>(upload(x), out, count);
  std::vector<float> result = download(out, count * 4);
  for (int i = 0; i < count; ++i) {
    REQUIRE(result[i * 4] == 2 * x[i] + 1);
    REQUIRE(result[i * 4 + 1] == 2 * x[i] - 1);
    REQUIRE(result[i * 4 + 2] == x[i] * x[i]);
    REQUIRE(result[i * 4 + 3] == (x[i] < 3));
  }
  return passed();
}
