// A pipeline of a block with three stages, and copies that a barrier waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
constexpr int block = 64, stages = 3;

/// Three tiles are on their way at most; each is turned round.
__global__ void staged(const float4 *in, float4 *out, int tiles) {
  __shared__ float4 buf[stages][block];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto g = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(g, &state);
  int fetch = 0;
  for (int t = 0; t < tiles; ++t) {
    for (; fetch < tiles && fetch < t + stages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(g, buf[fetch % stages], in + fetch * block,
                         cuda::aligned_size_t<16>(sizeof(float4) * block), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    float4 v = buf[t % stages][(threadIdx.x + 1) % block];
    out[t * block + threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
    pipe.consumer_release();
  }
}

/// A copy that a barrier of the block waits for.
__global__ void waiting(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int buf[block * 4];
  auto g = cg::this_thread_block();
  if (g.thread_rank() == 0)
    init(&bar, g.size());
  g.sync();
  cuda::memcpy_async(g, buf, in + blockIdx.x * block * 4, sizeof(buf), bar);
  bar.arrive_and_wait();
  for (int k = 0; k < 4; ++k)
    out[blockIdx.x * block * 4 + threadIdx.x * 4 + k] = buf[threadIdx.x * 4 + 3 - k];
}

int main() {
  int tiles = 7;
  std::vector<float4> h(tiles * block);
  for (size_t i = 0; i < h.size(); ++i)
    h[i] = make_float4(number(i), number(i + 1), number(i + 2), number(i + 3));
  float4 *in = upload(h), *out = upload(h);
  staged<<<1, block>>>(in, out, tiles);
  auto o = download(out, h.size());
  for (int t = 0; t < tiles; ++t)
    for (int i = 0; i < block; ++i) {
      float4 a = h[t * block + (i + 1) % block], b = o[t * block + i];
      REQUIRE(a.x == b.w && a.y == b.z && a.z == b.y && a.w == b.x);
    }
  std::vector<int> hi(1024);
  for (int i = 0; i < 1024; ++i)
    hi[i] = i * 7 % 1000;
  int *ii = upload(hi), *oi = upload(std::vector<int>(1024));
  waiting<<<4, block>>>(ii, oi);
  auto r = download(oi, 1024);
  for (int i = 0; i < 1024; ++i)
    REQUIRE(r[i] == hi[i / 4 * 4 + 3 - i % 4]);
  return passed();
}
