// Transpose of f32: tiles of 64 x 64 by way of swizzled shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

void transpose_device(Tensor x, Tensor y) {
  auto copy4 = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                               Layout<Shape<_16, _16>, Stride<_16, _1>>{}, Layout<Shape<_1, _4>>{});
  ThrCopy thr = copy4.get_slice(threadIdx.x);
  auto tile = [&](const Tensor &t, const Num &i, const Num &j) {
    return local_tile(t, make_shape(64, 64), make_coord(i, j));
  };
  Num i = blockIdx.x, j = blockIdx.y;
  Tensor gx = thr.partition_S(tile(x, i, j)), gy = thr.partition_D(tile(y, j, i));
  Tensor cx = thr.partition_S(tile(make_identity_tensor(shape(x)), i, j));
  Tensor cy = thr.partition_D(tile(make_identity_tensor(shape(y)), j, i));
  auto plain = composition(Swizzle<4, 2, 4>{}, Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  auto turned = composition(plain, Layout<Shape<_64, _64>, Stride<_64, _1>>{}); // (j,i) of (i,j)
  Tensor s = make_smem_tensor<float>(plain), st = make_tensor(s.data(), turned);
  Tensor r = make_fragment_like(gx);
  clear(r);
  copy_if(copy4, in_bounds(cx, shape(x)), gx, r);
  copy(r, thr.partition_D(s));
  __syncthreads();
  copy(thr.partition_S(st), r);
  copy_if(copy4, in_bounds(cy, shape(y)), r, gy);
}
void transpose(Tensor x, Tensor y) {
  launch(transpose_device,
         {.grid = {ceil_div(size<0>(x), 64), ceil_div(size<1>(x), 64)}, .block = 256}, x, y);
}

int main() {
  auto k = kernel(transpose, "transpose");
  int wrong = 0;
  for (auto [m, n] : {std::pair(128, 192), std::pair(100, 84)}) {
    Array<float, 2> x(m, n), y(n, m);
    x.fill([](int64_t i) { return double(i); });
    wrong += check(k(simulator(), x, y), y, [&](int64_t a, int64_t b) { return double(x(b, a)); });
  }
  return wrong;
}
