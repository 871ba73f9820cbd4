// Streams as programs use them: slices, buffers in turn, joins by events, threads of the host that
// hand work over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <condition_variable>
#include <mutex>
#include <thread>

constexpr int streams = 4, count = 4096, slice = count / streams, piece = 256;

__global__ void fill(int *p, const int *value) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = *value;
}
__global__ void twice(const int *in, int *out) { out[threadIdx.x] = 2 * in[threadIdx.x] + 1; }
__global__ void sum(const int *in, int n, int *out) {
  for (int i = 0; i < n; ++i)
    *out += in[i];
}

/// What one thread of the host tells another.
class Signal {
public:
  void send() {
    std::lock_guard lock(mutex);
    isSent = true;
    sent.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    sent.wait(lock, [&] { return isSent; });
  }

private:
  std::mutex mutex;
  std::condition_variable sent;
  bool isSent = false;
};

cudaStream_t nonBlocking() {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

int main() {
  cudaStream_t all[streams];
  cudaEvent_t begin, end, done[streams];
  for (int i = 0; i < streams; ++i) {
    CHECK(cudaStreamCreate(&all[i]));
    CHECK(cudaEventCreate(&done[i]));
  }
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));

  // Each stream has a slice; the legacy stream comes before and after them.
  int *device = nullptr, *host = nullptr, *value = upload(std::vector<int>{5});
  CHECK(cudaMalloc(&device, count * 4));
  CHECK(cudaMallocHost(&host, count * 4));
  CHECK(cudaMemset(device, 255, count * 4));
  CHECK(cudaEventRecord(begin, nullptr));
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < streams; ++i) {
      fill<<<slice / 256, 256, 0, all[i]>>>(device + i * slice, value);
      CHECK(cudaMemcpyAsync(host + i * slice, device + i * slice, slice * 4, cudaMemcpyDeviceToHost,
                            all[i]));
    }
  CHECK(cudaEventRecord(end, nullptr));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  REQUIRE(milliseconds >= 0 && host[0] == 5 && host[count - 1] == 5);

  // The copy of the next piece goes on beside the kernel of this one.
  int *ins[streams], *outs[streams], *from[streams], *to[streams];
  for (int i = 0; i < streams; ++i) {
    CHECK(cudaMallocHost(&from[i], piece * 4));
    CHECK(cudaMallocHost(&to[i], piece * 4));
    CHECK(cudaMalloc(&ins[i], piece * 4));
    CHECK(cudaMalloc(&outs[i], piece * 4));
    CHECK(cudaEventRecord(done[i], all[i]));
    for (int k = 0; k < piece; ++k)
      from[i][k] = i * k;
  }
  CHECK(cudaMemcpyAsync(ins[0], from[0], piece * 4, cudaMemcpyHostToDevice, all[0]));
  for (int round = 0, i = 0; round < 10; ++round) {
    const int next = (i + 1) % streams;
    CHECK(cudaEventSynchronize(done[next]));
    twice<<<1, piece, 0, all[i]>>>(ins[i], outs[i]);
    CHECK(cudaMemcpyAsync(ins[next], from[next], piece * 4, cudaMemcpyHostToDevice, all[next]));
    CHECK(cudaMemcpyAsync(to[i], outs[i], piece * 4, cudaMemcpyDeviceToHost, all[i]));
    CHECK(cudaEventRecord(done[i], all[i]));
    i = next;
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < streams; ++i)
    REQUIRE(to[i][piece - 1] == 2 * i * (piece - 1) + 1);

  // One stream waits for all others.
  int *total = upload(std::vector<int>{0});
  for (int i = 0; i < streams; ++i) {
    fill<<<1, 32, 0, all[i]>>>(device + i * 32, value);
    CHECK(cudaEventRecord(done[i], all[i]));
    CHECK(cudaStreamWaitEvent(all[streams - 1], done[i]));
  }
  sum<<<1, 1, 0, all[streams - 1]>>>(device, streams * 32, total);
  CHECK(cudaStreamSynchronize(all[streams - 1]));
  REQUIRE(download(total, 1)[0] == 5 * 32 * streams);

  // One thread of the host makes what another one's stream uses, and a callback does so too.
  static Signal made, ended;
  int *shared = nullptr;
  CHECK(cudaMalloc(&shared, piece * 4));
  std::thread maker([&] {
    cudaStream_t stream = nonBlocking();
    CHECK(cudaMemcpyAsync(shared, from[1], piece * 4, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    made.send();
    CHECK(cudaStreamDestroy(stream));
  });
  std::thread user([&] {
    made.wait();
    cudaStream_t stream = nonBlocking();
    twice<<<1, piece, 0, stream>>>(shared, outs[0]);
    CHECK(cudaStreamAddCallback(
        stream, [](cudaStream_t, cudaError_t, void *) { ended.send(); }, nullptr, 0));
  });
  ended.wait();
  twice<<<1, piece, 0, nonBlocking()>>>(outs[0], outs[1]);
  maker.join();
  user.join();
  CHECK(cudaDeviceSynchronize());
  REQUIRE(download(outs[1], piece)[7] == 2 * 15 + 1);
  return passed();
}
