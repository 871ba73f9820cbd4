// Asynchronous copies into shared memory with a pipeline of two stages.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
constexpr int block = 64, stages = 2;

__global__ void sum(const int *in, int *out, int batches) {
  __shared__ int buffer[stages][block];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  cg::thread_block group = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(group, &state);
  int total = 0, fetched = 0;
  for (int batch = 0; batch < batches; ++batch) {
    for (; fetched < batches && fetched < batch + stages; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(group, buffer[fetched % stages], in + fetched * block, sizeof(int) * block,
                         pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    total += buffer[batch % stages][block - 1 - threadIdx.x];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = total;
}

int main() {
  constexpr int batches = 7;
  std::vector<int> in(batches * block);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i * i % 1000);
  int *out = upload(std::vector<int>(block));
  sum<<<1, block>>>(upload(in), out, batches);
  std::vector<int> result = download(out, block);
  for (int i = 0; i < block; ++i) {
    int total = 0;
    for (int batch = 0; batch < batches; ++batch)
      total += in[batch * block + block - 1 - i];
    REQUIRE(result[i] == total);
  }
  return passed();
}
