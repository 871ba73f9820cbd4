// How captures end: streams that are destroyed, the mode of a thread, two at once; as an H200 does.
// Prints: @capture_ends.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#define S(call) std::printf("%s: %s\n", #call, cudaGetErrorName(call))

__global__ void one(int *x) { *x = 1; }

int *x = nullptr;
void *m = nullptr;
cudaGraph_t g;
cudaStream_t s, t;

void destroyed() {
  for (int flags : {0, 1})
    for (int mode = 0; mode < 3; ++mode) {
      std::printf("-- flags %d mode %d\n", flags, mode);
      cudaStreamCreateWithFlags(&s, flags);
      S(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)mode));
      one<<<1, 1, 0, s>>>(x);
      S(cudaGetLastError());
      S(cudaStreamDestroy(s));
      S(cudaDeviceSynchronize());
      S(cudaMalloc(&m, 4));
      one<<<1, 1>>>(x);
      S(cudaGetLastError());
    }
  std::printf("-- joined stream destroyed\n");
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaStreamCreateWithFlags(&s, 1);
  cudaStreamCreateWithFlags(&t, 1);
  S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  one<<<1, 1, 0, t>>>(x);
  S(cudaGetLastError());
  S(cudaStreamDestroy(t));
  S(cudaStreamEndCapture(s, &g));
  cudaGetLastError();
  S(cudaDeviceSynchronize());
}

void modes() {
  std::printf("-- thread mode\n");
  cudaStreamCaptureMode md = cudaStreamCaptureModeRelaxed;
  S(cudaThreadExchangeStreamCaptureMode(&md));
  std::printf("%d\n", md);
  S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  S(cudaMalloc(&m, 4));
  S(cudaDeviceSynchronize());
  S(cudaStreamEndCapture(s, &g));
  cudaGetLastError();
  md = cudaStreamCaptureModeThreadLocal;
  S(cudaThreadExchangeStreamCaptureMode(&md));
  std::printf("%d\n", md);
  S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  S(cudaMalloc(&m, 4));
  S(cudaStreamEndCapture(s, &g));
  cudaGetLastError();
  md = (cudaStreamCaptureMode)7;
  S(cudaThreadExchangeStreamCaptureMode(&md));
  md = cudaStreamCaptureModeGlobal;
  cudaThreadExchangeStreamCaptureMode(&md);
}

void several() {
  std::printf("-- two captures\n");
  cudaStreamCreateWithFlags(&t, 1);
  S(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  S(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
  S(cudaMalloc(&m, 4));
  S(cudaStreamEndCapture(t, &g));
  cudaGetLastError();
  S(cudaStreamEndCapture(s, &g));
  cudaGetLastError();
  S(cudaStreamEndCapture(s, nullptr));
  S(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  S(cudaStreamEndCapture(s, nullptr));
  cudaGetLastError();
  cudaStreamCaptureStatus c;
  S(cudaStreamIsCapturing(s, &c));
  std::printf("%d\n", c);
}

int main() {
  CHECK(cudaMalloc(&x, 64));
  destroyed();
  modes();
  several();
  return passed();
}
