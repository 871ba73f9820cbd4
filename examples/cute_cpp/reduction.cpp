// The sum of all numbers of an array: each block sums its part, then one block sums what they left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Example.h"

constexpr int threads = 256, chunk = 8 * 4 * threads; // numbers that a block loads at once

void sum_device(Tensor x, Tensor sums) {
  auto copy4 = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{},
                               Layout<Shape<Int<threads>>>{}, Layout<Shape<_4>>{});
  ThrCopy thr = copy4.get_slice(threadIdx.x);
  Tensor gx = thr.partition_S(local_tile(x, make_tile(chunk), make_coord(_))); // (4,8,chunks)
  Tensor cx =
      thr.partition_S(local_tile(make_identity_tensor(shape(x)), make_tile(chunk), make_coord(_)));
  Tensor r = make_fragment_like(gx(_, _, 0));
  Num total = 0.0f;
  For({blockIdx.x, size<2>(gx), gridDim.x}, total, [&](Num i, Num &total) {
    clear(r);
    copy_if(copy4, in_bounds(cx(_, _, i), shape(x)), gx(_, _, i), r);
    total += sum(r.load());
  });
  total = block_sum(total, threads);
  If(threadIdx.x == 0, [&] { sums(Num(blockIdx.x)) = total; });
}
void sum(Tensor x, Tensor partial, Tensor total) {
  launch(sum_device, {.grid = {size(partial)}, .block = threads, .name = "sum_parts"}, x, partial);
  launch(sum_device, {.block = threads, .name = "sum_all"}, partial, total);
}

int main() {
  auto k = kernel(sum, "sum");
  int wrong = 0;
  for (int64_t n : {100000, 8192, 12}) {
    std::vector<float> x(n, 0.5f), partial(8);
    x[n - 1] = 3;
    Array<float, 2> total(1, 1);
    wrong += check(k(simulator(), x, partial, view(total.data(), {1})), total,
                   [&](int64_t, int64_t) { return 0.5 * double(n - 1) + 3; });
  }
  return wrong;
}
