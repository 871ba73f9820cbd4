// Warps with roles, groups of lanes that data chooses, and blocks that wake each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>

#include <numeric>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// One warp fills two slots in turn, another empties them.
__global__ void fillAndEmpty(const int *in, int *out, int rounds) {
  __shared__ int slots[2][32];
  __shared__ Barrier full[2], empty[2];
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i)
      init(&full[i], 64), init(&empty[i], 64);
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int r = 0; r < rounds; ++r) {
      empty[r % 2].arrive_and_wait();
      slots[r % 2][lane] = in[r * 32 + lane];
      (void)full[r % 2].arrive();
    }
    return;
  }
  (void)empty[0].arrive();
  (void)empty[1].arrive();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    full[r % 2].arrive_and_wait();
    sum += slots[r % 2][31 - lane];
    (void)empty[r % 2].arrive();
  }
  out[lane] = sum;
}

/// Sums of eight, places in a warp, and how many share a property of the thread's number.
__global__ void groups(int *out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto eight = cg::tiled_partition<8>(warp);
  const int t = int(threadIdx.x);
  const int sum = cg::reduce(eight, t, cg::plus<int>());
  const int place = cg::exclusive_scan(warp, 1, cg::plus<int>());
  const auto thirds = cg::binary_partition(warp, t % 3 == 0);
  const auto fifths = cg::labeled_partition(warp, t % 5);
  out[t] = sum * 1000000 + place * 10000 + int(thirds.size()) * 100 + int(fifths.size());
}

/// The first block sleeps until the second one has written.
__global__ void wake(int *word, int *out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> told(*word);
  if (blockIdx.x == 1) {
    out[1] = 77;
    told.store(1, cuda::std::memory_order_release);
    told.notify_all();
  } else {
    told.wait(0, cuda::std::memory_order_acquire);
    out[0] = out[1] + 1;
  }
}

int main() {
  std::vector<int> numbers(320), got(64);
  std::iota(numbers.begin(), numbers.end(), 0);
  int *in, *out;
  CHECK(cudaMalloc(&in, 320 * 4));
  CHECK(cudaMalloc(&out, 64 * 4));
  auto download = [&] { CHECK(cudaMemcpy(got.data(), out, 64 * 4, cudaMemcpyDeviceToHost)); };
  CHECK(cudaMemset(out, 0, 64 * 4));
  CHECK(cudaMemcpy(in, numbers.data(), 320 * 4, cudaMemcpyHostToDevice));
  fillAndEmpty<<<1, 64>>>(in, out, 10);
  download();
  for (int lane = 0; lane < 32; ++lane)
    REQUIRE(got[lane] == 10 * (31 - lane) + 32 * 45);

  groups<<<1, 64>>>(out);
  download();
  for (int t = 0; t < 64; ++t) {
    const int warp = t / 32 * 32;
    int thirds = 0, fifths = 0;
    for (int other = warp; other < warp + 32; ++other) {
      thirds += (other % 3 == 0) == (t % 3 == 0);
      fifths += other % 5 == t % 5;
    }
    const int sum = 8 * (t / 8 * 8) + 28;
    REQUIRE(got[t] == sum * 1000000 + t % 32 * 10000 + thirds * 100 + fifths);
  }

  CHECK(cudaMemset(in, 0, 4));
  wake<<<2, 1>>>(in, out);
  download();
  REQUIRE(got[0] == 78);
  return passed();
}
