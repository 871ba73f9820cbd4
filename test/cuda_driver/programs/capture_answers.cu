// What calls answer while a stream is captured, and what becomes of the capture: as an H200 does.
// Prints: @capture_answers.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <functional>
#include <thread>

__global__ void one(int *x) { *x = 1; }

int *x = nullptr;
int host[4] = {};
cudaStream_t captured, other;
cudaEvent_t event;

struct Call {
  const char *text;
  std::function<cudaError_t()> make;
};
#define CALL(...) {#__VA_ARGS__, [] { return __VA_ARGS__; }}

template <class F> cudaError_t made(F f) {
  f();
  return cudaGetLastError();
}
template <class T> T *scratch() {
  static T *out;
  return out = nullptr, reinterpret_cast<T *>(&out);
}
void **place() { return reinterpret_cast<void **>(scratch<void>()); }

const Call calls[] = {
    CALL(cudaMalloc(place(), 4)),
    CALL(cudaMallocHost(place(), 4)),
    CALL(cudaMallocManaged(place(), 4)),
    CALL(cudaMallocAsync(place(), 4, other)),
    CALL(cudaFree(nullptr)),
    CALL(cudaMemGetInfo(nullptr, nullptr)),
    CALL(cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost)),
    CALL(cudaMemcpy(x, x + 1, 4, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemset(x, 0, 4)),
    CALL(cudaMemcpyAsync(host, x, 4, cudaMemcpyDeviceToHost, nullptr)),
    CALL(cudaMemcpyAsync(host, x, 4, cudaMemcpyDeviceToHost, other)),
    CALL(cudaMemsetAsync(x, 0, 4, nullptr)),
    CALL(made([] { one<<<1, 1>>>(x); })),
    CALL(made([] { one<<<1, 1, 0, other>>>(x); })),
    CALL(cudaLaunchHostFunc(
        nullptr, [](void *) {}, nullptr)),
    CALL(cudaDeviceSynchronize()),
    CALL(cudaStreamSynchronize(nullptr)),
    CALL(cudaStreamSynchronize(other)),
    CALL(cudaStreamSynchronize(captured)),
    CALL(cudaStreamQuery(nullptr)),
    CALL(cudaStreamQuery(other)),
    CALL(cudaStreamQuery(captured)),
    CALL(cudaEventRecord(event, nullptr)),
    CALL(cudaEventRecord(event, other)),
    CALL(cudaEventRecord(event, captured)),
    CALL(cudaEventQuery(event)),
    CALL(cudaEventSynchronize(event)),
    CALL(cudaStreamWaitEvent(nullptr, event, 0)),
    CALL(cudaStreamWaitEvent(other, event, 0)),
    CALL(cudaEventCreate(reinterpret_cast<cudaEvent_t *>(place()))),
    CALL(cudaStreamCreate(reinterpret_cast<cudaStream_t *>(place()))),
    CALL(cudaGraphCreate(reinterpret_cast<cudaGraph_t *>(place()), 0)),
    CALL(cudaFuncSetAttribute(one, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024)),
    CALL(cudaHostRegister(host, 16, 0)),
    CALL(cudaHostUnregister(host)),
    CALL(cudaGetDeviceCount(reinterpret_cast<int *>(place()))),
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 2048)),
};

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  CHECK(cudaMalloc(&x, 1024));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventRecord(event, other));
  one<<<1, 1>>>(x); // loads it
  CHECK(cudaDeviceSynchronize());
  for (bool elsewhere : {false, true})
    for (unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking})
      for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                        cudaStreamCaptureModeRelaxed}) {
        std::printf("%s, %s, mode %d\n",
                    flags ? "a stream for itself" : "a stream beside the first",
                    elsewhere ? "another thread" : "the same thread", mode);
        for (const Call &call : calls) {
          CHECK(cudaStreamCreateWithFlags(&captured, flags));
          CHECK(cudaEventRecord(event, other));
          CHECK(cudaStreamSynchronize(other));
          CHECK(cudaStreamBeginCapture(captured, mode));
          cudaError_t answer;
          if (elsewhere)
            std::thread([&] { answer = call.make(), cudaGetLastError(); }).join();
          else
            answer = call.make();
          cudaGraph_t graph = nullptr;
          cudaError_t ended = cudaStreamEndCapture(captured, &graph);
          cudaGetLastError();
          if (answer != cudaSuccess || ended != cudaSuccess)
            std::printf("  %s: %s, then %s\n", call.text, cudaGetErrorName(answer),
                        cudaGetErrorName(ended));
          CHECK(cudaStreamDestroy(captured));
          if (!ended)
            CHECK(cudaGraphDestroy(graph));
        }
      }
  return passed();
}
