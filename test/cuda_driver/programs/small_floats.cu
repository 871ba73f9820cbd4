// Conversions to floats of 8 bits and bfloat16, and back, against the definition of the formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void convert(const float *in, unsigned char *e4, unsigned char *e5, unsigned short *bf,
                        float *back, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  __nv_fp8_e4m3 a(in[i]);
  __nv_fp8_e5m2 b(in[i]);
  e4[i] = a.__x;
  e5[i] = b.__x;
  __nv_bfloat16 c = __float2bfloat16_rn(in[i]);
  bf[i] = __bfloat16_as_ushort(c);
  back[3 * i] = float(a);
  back[3 * i + 1] = float(b);
  back[3 * i + 2] = __bfloat162float(c);
}
__global__ void pairs(const float4 *in, float4 *out, __nv_bfloat162 *sums, int count) {
  int i = threadIdx.x;
  if (i >= count)
    return;
  __nv_fp8x4_e4m3 packed(in[i]);
  out[i] = float4(packed);
  __nv_bfloat162 a = __floats2bfloat162_rn(in[i].x, in[i].y),
                 b = __floats2bfloat162_rn(in[i].z, in[i].w);
  sums[i] = __hmax2(__hfma2(a, b, a), __hneg2(b));
}

/// The nearest number with so many bits after the point, ties to even, clamped; exponents begin at
/// `least`.
float nearest(float x, int bits, int least, float most) {
  if (x == 0)
    return x;
  int e = 0;
  std::frexp(x, &e);
  float unit = std::ldexp(1.f, std::max(e - 1, least) - bits);
  float rounded = std::nearbyint(x / unit) * unit;
  return std::fabs(rounded) > most ? std::copysign(most, x) : rounded;
}

int main() {
  std::vector<float> in;
  for (int i = -60; i < 60; ++i)
    for (float f : {1.f, 1.0625f, 1.1875f, 1.3f, 1.75f, -1.9375f, 1.999f})
      in.push_back(std::ldexp(f, i / 4));
  in.insert(in.end(), {0.f, 448.f, 464.f, 465.f, -500.f, 57344.f, 61440.f, 1e6f, -1e9f});
  const int count = int(in.size());
  float *x = upload(in), *back = upload(std::vector<float>(3 * count));
  auto *e4 = upload(std::vector<unsigned char>(count)),
       *e5 = upload(std::vector<unsigned char>(count));
  auto *bf = upload(std::vector<unsigned short>(count));
  convert<<<(count + 127) / 128, 128>>>(x, e4, e5, bf, back, count);
  auto result = download(back, 3 * count);
  auto codes = download(e4, count);
  auto words = download(bf, count);
  for (int i = 0; i < count; ++i) {
    REQUIRE(result[3 * i] == nearest(in[i], 3, -6, 448));
    REQUIRE(result[3 * i + 1] == nearest(in[i], 2, -14, 57344));
    REQUIRE(result[3 * i + 2] == nearest(in[i], 7, -126, 3.3895e38f));
    REQUIRE((codes[i] & 0x7f) != 0x7f);
    REQUIRE(words[i] >> 15 == std::signbit(in[i]));
  }
  std::vector<float4> fours(32);
  for (int i = 0; i < 32; ++i)
    fours[i] = {number(4 * i), number(4 * i + 1), number(4 * i + 2), number(4 * i + 3)};
  float4 *f = upload(fours), *g = upload(fours);
  auto *sums = upload(std::vector<__nv_bfloat162>(32));
  pairs<<<1, 64>>>(f, g, sums, 32);
  auto fourth = download(g, 32);
  auto two = download(sums, 32);
  for (int i = 0; i < 32; ++i) {
    float4 v = fours[i], w = fourth[i];
    REQUIRE(v.x == w.x && v.y == w.y && v.z == w.z && v.w == w.w);
    REQUIRE(__low2float(two[i]) == std::max(v.x * v.z + v.x, -v.z));
    REQUIRE(__high2float(two[i]) == std::max(v.y * v.w + v.y, -v.w));
  }
  return passed();
}
