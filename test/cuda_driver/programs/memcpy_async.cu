// Asynchronous copies as in CUDA's programming guide, with no fence of their own. Target: sm_90
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int count = 256, batches = 3;

// libcu++ makes these bulk copies for sm_90.
__global__ void byBarrier(const int *in, int *out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(16) int s[count];
  __shared__ Barrier bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    init(&bar, block.size());
  block.sync();
  for (int b = 0; b < batches; ++b) {
    cuda::memcpy_async(block, s, in + b * count, cuda::aligned_size_t<16>(sizeof s), bar);
    bar.arrive_and_wait();
    out[b * count + threadIdx.x] = s[count - 1 - threadIdx.x];
    block.sync();
  }
}
__global__ void byOne(const int *in, int *out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(16) int s[count];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cuda::memcpy_async(s, in + blockIdx.x * count, cuda::aligned_size_t<16>(sizeof s), bar);
  }
  __syncthreads();
  bar.arrive_and_wait();
  out[blockIdx.x * count + threadIdx.x] = s[count - 1 - threadIdx.x];
}
__global__ void byPipeline(const int *in, int *out) {
  __shared__ alignas(16) int s[2][count];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  auto load = [&](int b) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[b % 2], in + b * count, cuda::aligned_size_t<16>(sizeof s[0]),
                       pipe);
    pipe.producer_commit();
  };
  load(0);
  for (int b = 0; b < batches; ++b) {
    if (b + 1 < batches)
      load(b + 1);
    pipe.consumer_wait();
    block.sync();
    out[b * count + threadIdx.x] = s[b % 2][count - 1 - threadIdx.x];
    block.sync();
    pipe.consumer_release();
  }
}

int main() {
  std::vector<int> numbers(batches * count);
  for (int i = 0; i < batches * count; ++i)
    numbers[i] = i * 5;
  const int *in = upload(numbers);
  int *out = upload(std::vector<int>(batches * count));
  auto isTurned = [&] {
    std::vector<int> got = download(out, batches * count);
    CHECK(cudaMemset(out, 0, batches * count * sizeof(int)));
    for (int i = 0; i < batches * count; ++i)
      if (got[i] != numbers[i / count * count + count - 1 - i % count])
        return false;
    return true;
  };
  byBarrier<<<1, count>>>(in, out);
  REQUIRE(isTurned());
  byOne<<<batches, count>>>(in, out);
  REQUIRE(isTurned());
  byPipeline<<<1, count>>>(in, out);
  REQUIRE(isTurned());
  return passed();
}
