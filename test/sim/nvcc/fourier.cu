// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -fmad=false
// Fourier's transform of 64 numbers, half a block for each; the roots of unity are an argument.
extern "C" __global__ void fourier(const float2 *in, const float2 *roots, float2 *out) {
  __shared__ float2 row[64];
  int t = threadIdx.x, base = blockIdx.x * 64;
  for (int i = t; i < 64; i += 32)
    row[__brev(i) >> 26] = in[base + i];
  for (int size = 2; size <= 64; size *= 2) {
    __syncthreads();
    int k = t % (size / 2), low = t / (size / 2) * size + k, high = low + size / 2;
    float2 w = roots[k * (64 / size)], a = row[low], b = row[high];
    float2 c = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    row[low] = make_float2(a.x + c.x, a.y + c.y), row[high] = make_float2(a.x - c.x, a.y - c.y);
  }
  __syncthreads();
  for (int i = t; i < 64; i += 32)
    out[base + i] = row[i];
}
