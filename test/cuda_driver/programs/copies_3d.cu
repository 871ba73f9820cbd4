// A box out of a volume and into another, with all of its offsets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

int main() {
  constexpr int x = 20, y = 12, z = 7;
  std::vector<int> in(x * y * z), out(x * y * z, -1);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i);
  cudaExtent extent = make_cudaExtent(x * sizeof(int), y, z);
  cudaPitchedPtr a, b;
  CHECK(cudaMalloc3D(&a, extent));
  CHECK(cudaMalloc3D(&b, extent));
  CHECK(cudaMemset3D(b, 0, extent));
  auto copy = [](cudaPitchedPtr from, cudaPos fromAt, cudaPitchedPtr to, cudaPos toAt,
                 cudaExtent box, cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = from, parameters.srcPos = fromAt;
    parameters.dstPtr = to, parameters.dstPos = toAt;
    parameters.extent = box, parameters.kind = kind;
    CHECK(cudaMemcpy3D(&parameters));
  };
  cudaPos none = make_cudaPos(0, 0, 0);
  auto host = [&](std::vector<int> &v) {
    return make_cudaPitchedPtr(v.data(), x * sizeof(int), x, y);
  };
  copy(host(in), none, a, none, extent, cudaMemcpyHostToDevice);
  copy(a, make_cudaPos(4 * sizeof(int), 3, 2), b, make_cudaPos(8 * sizeof(int), 1, 4),
       make_cudaExtent(5 * sizeof(int), 6, 3), cudaMemcpyDeviceToDevice);
  copy(b, none, host(out), none, extent, cudaMemcpyDeviceToHost);
  for (int k = 0; k < z; ++k)
    for (int j = 0; j < y; ++j)
      for (int i = 0; i < x; ++i) {
        bool inside = i >= 8 && i < 13 && j >= 1 && j < 7 && k >= 4 && k < 7;
        REQUIRE(out[(k * y + j) * x + i] == (inside ? in[((k - 2) * y + j + 2) * x + i - 4] : 0));
      }
  return passed();
}
