// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps until a point leaves: lanes part after different numbers of them.
extern "C" __global__ void mandelbrot(unsigned *out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float cx = __fmaf_rn((float)x, 0.046875f, -2.0f), cy = __fmaf_rn((float)y, 0.046875f, -1.5f),
        u = 0, v = 0;
  unsigned steps = 0;
  while (steps < 200 && __fmaf_rn(u, u, __fmul_rn(v, v)) < 4.0f) {
    float next = __fadd_rn(__fmaf_rn(u, u, -__fmul_rn(v, v)), cx);
    v = __fmaf_rn(__fadd_rn(u, u), v, cy);
    u = next;
    ++steps;
  }
  out[y * 64 + x] = steps;
}
