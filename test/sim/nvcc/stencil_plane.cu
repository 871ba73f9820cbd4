// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two steps of heat on a plane whose edge stays, a tile with its halo in shared memory.
extern "C" __global__ void stencil_plane(const float *in, float *out, int n) {
  __shared__ float a[20][20], b[20][20];
  int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 16 - 2;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
    int x = min(max(x0 + i % 20, 0), n - 1), y = min(max(y0 + i / 20, 0), n - 1);
    a[i / 20][i % 20] = in[y * n + x];
  }
  __syncthreads();
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 324; i += 256) {
    int x = 1 + i % 18, y = 1 + i / 18, gx = x0 + x, gy = y0 + y;
    bool inside = gx > 0 && gx < n - 1 && gy > 0 && gy < n - 1;
    float around =
        __fadd_rn(__fadd_rn(a[y - 1][x], a[y + 1][x]), __fadd_rn(a[y][x - 1], a[y][x + 1]));
    b[y][x] = inside ? fmaf(0.2f, fmaf(-4, a[y][x], around), a[y][x]) : a[y][x];
  }
  __syncthreads();
  int x = threadIdx.x + 2, y = threadIdx.y + 2, gx = x0 + x, gy = y0 + y;
  bool inside = gx > 0 && gx < n - 1 && gy > 0 && gy < n - 1;
  float around =
      __fadd_rn(__fadd_rn(b[y - 1][x], b[y + 1][x]), __fadd_rn(b[y][x - 1], b[y][x + 1]));
  out[gy * n + gx] = inside ? fmaf(0.2f, fmaf(-4, b[y][x], around), b[y][x]) : b[y][x];
}
