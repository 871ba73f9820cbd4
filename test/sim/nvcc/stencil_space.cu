// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcc: -fmad=false
// Seven neighbours in space; planes pass through registers.
extern "C" __global__ void stencil_space(const double *in, double *out, int n) {
  int x = threadIdx.x, y = threadIdx.y, plane = n * n, at = y * n + x;
  auto value = [&](int x, int y, int z) {
    return x < 0 || y < 0 || x >= n || y >= n ? 0.0 : in[z * plane + y * n + x];
  };
  double below = 0, here = in[at];
  for (int z = 0; z < n; ++z) {
    double above = z + 1 < n ? in[(z + 1) * plane + at] : 0;
    out[z * plane + at] = here * -6 + (below + above) + (value(x - 1, y, z) + value(x + 1, y, z)) +
                          (value(x, y - 1, z) + value(x, y + 1, z));
    below = here, here = above;
  }
}
