// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one real that the library makes of exact operations alone.
extern "C" __global__ void math_singles(const float *in, float *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t], a = fabsf(x), *mine = out + 12 * t;
  mine[0] = sinf(x * 100), mine[1] = cosf(x * 1e5f), mine[2] = sinf(x), mine[3] = logf(a);
  mine[4] = log1pf(x * 0.9f), mine[5] = cosf(x), mine[6] = log10f(a), mine[7] = log2f(a + 2);
  mine[8] = sinpif(x * 3), mine[9] = cospif(x), mine[10] = hypotf(x, 0.7f), mine[11] = logf(a + 10);
}
