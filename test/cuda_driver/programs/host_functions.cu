// Host functions in stream order: each sees what came before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

struct State {
  const int *pinned;
  std::vector<int> seen;
};
static void look(void *state) {
  auto *s = static_cast<State *>(state);
  s->seen.push_back(*s->pinned);
}
static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *state) {
  if (status == cudaSuccess)
    look(state);
}
__global__ void triple(int *x) { *x *= 3; }

int main() {
  int *pinned = nullptr;
  CHECK(cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocMapped));
  int *mapped = nullptr;
  CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  *pinned = 2;
  State state{pinned, {}};
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 3; ++i) {
    triple<<<1, 1, 0, stream>>>(mapped);
    CHECK(cudaLaunchHostFunc(stream, look, &state));
  }
  CHECK(cudaStreamAddCallback(stream, callback, &state, 0));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(state.seen == std::vector<int>({6, 18, 54, 54}));
  return passed();
}
