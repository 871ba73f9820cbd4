// libcu++: atomics, latches, semaphores, barriers that threads leave, locks.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

struct Lock {
  cuda::atomic<int, cuda::thread_scope_device> taken{0};
  __device__ void lock() {
    for (int wait = 8; taken.exchange(1, cuda::memory_order_acquire);
         wait = wait < 256 ? 2 * wait : wait)
      __nanosleep(wait);
  }
  __device__ void unlock() { taken.store(0, cuda::memory_order_release); }
};
__device__ Lock global_lock;
__device__ int counted = 0, longest = 0;
__device__ unsigned hits = 0;

/// A lock of all threads around a plain count.
__global__ void locked(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    global_lock.lock();
    counted = counted + 1;
    global_lock.unlock();
  }
  cuda::atomic_ref<int, cuda::thread_scope_device> most(longest);
  most.fetch_max(int(blockIdx.x * blockDim.x + threadIdx.x), cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> all(hits);
  unsigned seen = all.load(cuda::memory_order_relaxed);
  while (!all.compare_exchange_weak(seen, seen + 3, cuda::memory_order_relaxed))
    ;
}

/// Some threads leave after each phase; the first waits for a latch of all.
__global__ void leaving(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) unsigned char latch[sizeof(Latch)];
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> room;
  __shared__ int inside, phases[4];
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    new (latch) Latch(blockDim.x);
    new (&room) cuda::counting_semaphore<cuda::thread_scope_block, 4>(4);
    inside = 0;
    for (int &phase : phases)
      phase = 0;
  }
  __syncthreads();
  Latch &done = *reinterpret_cast<Latch *>(latch);
  for (unsigned phase = 0; phase < 4; ++phase) {
    atomicAdd(&phases[phase], 1);
    if (threadIdx.x % 4 == phase) {
      (void)bar.arrive_and_drop();
      break;
    }
    bar.arrive_and_wait();
  }
  room.acquire();
  if (atomicAdd(&inside, 1) >= 4)
    __trap();
  atomicSub(&inside, 1);
  room.release();
  done.count_down();
  if (threadIdx.x == 0) {
    done.wait();
    for (int phase = 0; phase < 4; ++phase)
      out[phase] = phases[phase];
  }
}

/// One block tells the next one.
__global__ void chain(cuda::atomic<int, cuda::thread_scope_device> *turn, int *order) {
  if (threadIdx.x)
    return;
  int mine = int(gridDim.x - 1 - blockIdx.x), at = turn->load(cuda::memory_order_acquire);
  for (; at != mine; at = turn->load(cuda::memory_order_acquire))
    turn->wait(at, cuda::memory_order_relaxed);
  order[mine] = mine ? order[mine - 1] + int(blockIdx.x) : int(blockIdx.x);
  turn->store(mine + 1, cuda::memory_order_release);
  turn->notify_all();
}

int main() {
  locked<<<6, 64>>>(2);
  CHECK(cudaDeviceSynchronize());
  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, counted, 4));
  REQUIRE(value == 6 * 64 * 2);
  CHECK(cudaMemcpyFromSymbol(&value, longest, 4));
  REQUIRE(value == 6 * 64 - 1);
  CHECK(cudaMemcpyFromSymbol(&value, hits, 4));
  REQUIRE(value == 3 * 6 * 64);
  int *out = upload(std::vector<int>(16));
  leaving<<<1, 96>>>(out);
  auto phases = download(out, 4);
  for (int phase = 0; phase < 4; ++phase)
    REQUIRE(phases[phase] == 96 - 24 * phase);
  cuda::atomic<int, cuda::thread_scope_device> *turn = nullptr;
  CHECK(cudaMalloc(&turn, sizeof *turn));
  CHECK(cudaMemset(turn, 0, sizeof *turn));
  chain<<<12, 32>>>(turn, out);
  auto order = download(out, 12);
  for (int i = 0, sum = 0; i < 12; ++i)
    REQUIRE(order[i] == (sum += 11 - i));
  return passed();
}
