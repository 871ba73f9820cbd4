// What calls of the runtime answer, right ones and wrong ones. Expected is what an H200 answered.
// Prints: @answers.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

/// The call as it stands, and its answer.
#define SAY(call) std::printf("%s: %s\n", #call, cudaGetErrorName(call))
/// What a launch before it left.
#define LEFT(what) std::printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError()))

__global__ void one(int *x) { *x = 1; }
__global__ void dynamic(int *x) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  *x = shared[0];
}
__global__ void __launch_bounds__(96) bounded(int *x) { x[threadIdx.x] = 1; }

void memory(int *x) {
  int host[4] = {};
  void *m = nullptr;
  SAY(cudaMalloc(nullptr, 4));
  SAY(cudaMalloc(&m, 0));
  std::printf("of no bytes: %d\n", m == nullptr);
  SAY(cudaFree(nullptr));
  SAY(cudaFree(x + 1));
  SAY(cudaFree(host));
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaMemset(x, 0, 1024));
  SAY(cudaMemset(x, 0, 1025));
  SAY(cudaMemset(nullptr, 0, 0));
  SAY(cudaMemset(nullptr, 0, 4));
  SAY(cudaMemset(host, 0, 4));
  SAY(cudaMemcpy(x, x + 4, 16, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(nullptr, x, 0, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(nullptr, x, 4, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(host, x, 16, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(x, host, 16, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(host, x, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(x, host, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(host, host + 2, 8, cudaMemcpyDefault));
  SAY(cudaMemcpy(host, host + 2, 8, cudaMemcpyHostToHost));
  SAY(cudaMemcpy(host, host, 16, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(host, x, 16, cudaMemcpyKind(9)));
  for (int rows = 0; rows < 4; ++rows) {
    std::printf("rows %d\n", rows);
    SAY(cudaMemcpy2D(host, 8, x, 4, 8, rows, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2D(host, 4, x, 8, 8, rows, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2D(host, 4, x, 4, 8, rows, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2D(host, 4, x, 4, 0, rows, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2DAsync(host, 4, x, 8, 8, rows, cudaMemcpyDeviceToHost, 0));
    SAY(cudaMemset2D(x, 4, 0, 8, rows));
    SAY(cudaMemset2D(x, 8, 0, 8, rows));
  }
  SAY(cudaGetLastError());
  SAY(cudaMallocHost(&m, 0));
  SAY(cudaMallocHost(&m, 64));
  cudaPointerAttributes about;
  auto say = [&](const void *p) {
    SAY(cudaPointerGetAttributes(&about, p));
    std::printf("type %d, device %d, of the device %d, of the host %d\n", about.type, about.device,
                about.devicePointer == p, about.hostPointer == p);
  };
  say(m);
  say(host);
  say(x + 3);
  say(nullptr);
  SAY(cudaFree(m));
  SAY(cudaFreeHost(m));
  SAY(cudaFreeHost(m));
  SAY(cudaFreeHost(nullptr));
  SAY(cudaFreeHost(host));
  SAY(cudaHostAlloc(&m, 64, cudaHostAllocMapped));
  SAY(cudaFreeHost(m));
  SAY(cudaHostAlloc(&m, 64, 0x100));
  SAY(cudaMallocManaged(&m, 0));
  SAY(cudaMallocManaged(&m, 64));
  say(m);
  SAY(cudaFree(m));
  SAY(cudaMallocManaged(&m, 64, 9));
  size_t pitch = 0;
  for (size_t width : {1, 100, 512, 513}) {
    SAY(cudaMallocPitch(&m, &pitch, width, 3));
    std::printf("pitch %zu\n", pitch);
  }
  SAY(cudaMallocPitch(&m, &pitch, 0, 3));
  SAY(cudaHostRegister(host, 16, 0));
  SAY(cudaHostRegister(host, 16, 0));
  SAY(cudaHostUnregister(host));
  SAY(cudaHostUnregister(host));
  SAY(cudaHostRegister(nullptr, 16, 0));
  SAY(cudaHostRegister(host, 0, 0));
  SAY(cudaMemGetInfo(nullptr, nullptr));
  SAY(cudaMemcpyToSymbol((const void *)host, host, 4));
  SAY(cudaMallocAsync(&m, 64, 0));
  SAY(cudaFreeAsync(m, 0));
  SAY(cudaFreeAsync(m, 0));
  SAY(cudaFreeAsync(nullptr, 0));
  SAY(cudaGetLastError());
}

void launches(int *x) {
  dynamic<<<1, 32, 50000>>>(x);
  LEFT("50,000 bytes of shared memory");
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttribute(99), 1));
  cudaGetLastError();
  dynamic<<<1, 32, 64 << 10>>>(x);
  LEFT("64 KiB");
  dynamic<<<1, 32, (64 << 10) + 1>>>(x);
  LEFT("a byte more");
  bounded<<<1, 96>>>(x);
  LEFT("96 threads of at most 96");
  bounded<<<1, 97>>>(x);
  LEFT("97 threads of at most 96");
  one<<<1, 1024>>>(x);
  LEFT("1,024 threads");
  one<<<1, 1025>>>(x);
  LEFT("1,025 threads");
  one<<<1, dim3(32, 33)>>>(x);
  LEFT("32 by 33 threads");
  one<<<1, dim3(1, 1, 65)>>>(x);
  LEFT("65 threads along z");
  one<<<1, 0>>>(x);
  LEFT("no threads");
  one<<<0, 1>>>(x);
  LEFT("no blocks");
  one<<<dim3(1, 65535), 1>>>(x);
  LEFT("65,535 blocks along y");
  one<<<dim3(1, 65536), 1>>>(x);
  LEFT("65,536 blocks along y");
  one<<<dim3(1, 1, 65536), 1>>>(x);
  LEFT("65,536 blocks along z");
  int number = 0;
  void *arguments[] = {&x};
  SAY(cudaLaunchKernel((const void *)&number, 1, 1, arguments, 0, 0));
  SAY(cudaLaunchKernel((const void *)nullptr, 1, 1, arguments, 0, 0));
  SAY(cudaLaunchKernel((const void *)one, 1, 1, arguments, 0, 0));
  SAY(cudaLaunchCooperativeKernel((const void *)one, 1, 1, arguments, 0, 0));
  SAY(cudaLaunchCooperativeKernel((const void *)one, 1 << 20, 1024, arguments, 0, 0));
  cudaGetLastError();
  SAY(cudaDeviceSynchronize());
  int blocks = -1;
  for (auto [threads, bytes] : {std::pair(-1, 0),
                                {1, 0},
                                {33, 0},
                                {1024, 0},
                                {1025, 0},
                                {2048, 0},
                                {32, 48 << 10},
                                {32, 64 << 10},
                                {32, 65 << 10},
                                {32, 1 << 20}}) {
    blocks = -1;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, threads, bytes));
    std::printf("%d threads, %d bytes: %s\n", threads, bytes,
                blocks > 0    ? "some"
                : blocks == 0 ? "none"
                              : "no answer");
  }
  cudaFuncAttributes about;
  SAY(cudaFuncGetAttributes(&about, (const void *)&number));
  SAY(cudaFuncGetAttributes(&about, bounded));
  std::printf("%d threads, %zu bytes, %d dynamic\n", about.maxThreadsPerBlock,
              about.sharedSizeBytes, about.maxDynamicSharedSizeBytes);
  SAY(cudaFuncGetAttributes(&about, dynamic));
  std::printf("%d threads, %zu bytes, %d dynamic\n", about.maxThreadsPerBlock,
              about.sharedSizeBytes, about.maxDynamicSharedSizeBytes);
  SAY(cudaGetLastError());
}

void streams(int *x) {
  cudaStream_t s;
  cudaEvent_t timed, plain;
  float ms = 0;
  SAY(cudaStreamCreate(nullptr));
  SAY(cudaStreamCreate(&s));
  SAY(cudaStreamQuery(s));
  SAY(cudaStreamQuery(0));
  SAY(cudaStreamSynchronize(0));
  SAY(cudaStreamDestroy(s));
  SAY(cudaStreamDestroy(0));
  SAY(cudaStreamCreateWithFlags(&s, 2));
  SAY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  unsigned flags = 0;
  SAY(cudaStreamGetFlags(s, &flags));
  std::printf("flags %u\n", flags);
  SAY(cudaEventCreate(nullptr));
  SAY(cudaEventCreate(&timed));
  SAY(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  SAY(cudaEventCreateWithFlags(&plain, 0x80));
  SAY(cudaEventQuery(timed));
  SAY(cudaEventSynchronize(timed));
  SAY(cudaEventElapsedTime(&ms, timed, timed));
  SAY(cudaStreamWaitEvent(s, timed, 0));
  SAY(cudaEventRecord(timed));
  SAY(cudaEventRecord(plain));
  SAY(cudaDeviceSynchronize());
  SAY(cudaEventElapsedTime(&ms, timed, plain));
  SAY(cudaEventElapsedTime(&ms, timed, timed));
  std::printf("%g ms\n", double(ms));
  SAY(cudaEventElapsedTime(nullptr, timed, timed));
  SAY(cudaEventRecord(nullptr));
  SAY(cudaEventDestroy(nullptr));
  SAY(cudaEventDestroy(plain));
  int priority = 1, low = -1, high = -1;
  SAY(cudaDeviceGetStreamPriorityRange(&low, &high));
  std::printf("%d to %d\n", low, high);
  SAY(cudaStreamCreateWithPriority(&s, 0, -99));
  SAY(cudaStreamGetPriority(s, &priority));
  std::printf("priority %d\n", priority);
  SAY(cudaStreamCreateWithPriority(&s, 0, 99));
  SAY(cudaStreamGetPriority(s, &priority));
  std::printf("priority %d\n", priority);
  SAY(cudaStreamAddCallback(s, nullptr, nullptr, 0));
  SAY(cudaLaunchHostFunc(s, nullptr, nullptr));
  SAY(cudaGetLastError());

  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamCaptureStatus status;
  SAY(cudaStreamEndCapture(s, &g));
  SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureMode(9)));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamIsCapturing(s, &status));
  std::printf("status %d\n", status);
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamSynchronize(s));
  SAY(cudaStreamIsCapturing(s, &status));
  std::printf("status %d\n", status);
  SAY(cudaStreamEndCapture(s, &g));
  SAY(cudaStreamIsCapturing(s, &status));
  std::printf("status %d\n", status);
  SAY(cudaGetLastError());
  void *m = nullptr;
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaMalloc(&m, 4));
  SAY(cudaStreamEndCapture(s, &g));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaMalloc(&m, 4));
  SAY(cudaStreamQuery(s));
  SAY(cudaStreamEndCapture(s, &g));
  cudaGetLastError();
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  one<<<1, 1>>>(x);
  LEFT("a launch in the stream of old meanwhile");
  SAY(cudaStreamEndCapture(s, &g));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  SAY(cudaEventRecord(timed, s));
  SAY(cudaEventQuery(timed));
  SAY(cudaStreamEndCapture(s, &g));
  cudaGetLastError();
  SAY(cudaGraphCreate(&g, 1));
  SAY(cudaGraphCreate(&g, 0));
  SAY(cudaGraphInstantiate(&e, g, 0));
  SAY(cudaGraphLaunch(e, s));
  SAY(cudaGraphExecDestroy(e));
  size_t count = 9;
  SAY(cudaGraphGetNodes(g, nullptr, &count));
  std::printf("%zu nodes\n", count);
  cudaGraphNode_t first, second;
  SAY(cudaGraphAddEmptyNode(&first, g, nullptr, 0));
  SAY(cudaGraphAddEmptyNode(&second, g, &first, 1));
  SAY(cudaGraphAddEmptyNode(&second, g, nullptr, 1));
  SAY(cudaGraphAddDependencies(g, &first, &first, nullptr, 1));
  SAY(cudaGraphAddDependencies(g, &first, &second, nullptr, 1));
  SAY(cudaGraphAddDependencies(g, &second, &first, nullptr, 1));
  SAY(cudaGraphInstantiate(&e, g, 0));
  SAY(cudaGraphDestroy(g));
  SAY(cudaGetLastError());
}

void devices() {
  int value = -1;
  SAY(cudaGetDeviceCount(&value));
  SAY(cudaGetDeviceCount(nullptr));
  SAY(cudaGetDevice(nullptr));
  SAY(cudaSetDevice(-1));
  SAY(cudaSetDevice(64));
  SAY(cudaDeviceGetAttribute(&value, cudaDeviceAttr(9999), 0));
  SAY(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 64));
  SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrMaxThreadsPerBlock, 0));
  cudaDeviceProp about;
  SAY(cudaGetDeviceProperties(&about, 64));
  SAY(cudaGetDeviceProperties(nullptr, 0));
  SAY(cudaDeviceCanAccessPeer(&value, 0, 0));
  std::printf("peer %d\n", value);
  SAY(cudaDeviceEnablePeerAccess(0, 0));
  size_t limit = 0;
  SAY(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  std::printf("stack %zu\n", limit);
  SAY(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  std::printf("heap %zu\n", limit);
  SAY(cudaDeviceGetLimit(&limit, cudaLimit(99)));
  SAY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  SAY(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  std::printf("stack %zu\n", limit);
  SAY(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20));
  SAY(cudaDeviceSetLimit(cudaLimit(99), 1));
  SAY(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  SAY(cudaDriverGetVersion(nullptr));
  SAY(cudaRuntimeGetVersion(nullptr));
  SAY(cudaGetLastError());
}

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  devices();
  int *x = nullptr;
  CHECK(cudaMalloc(&x, 1024));
  memory(x);
  launches(x);
  streams(x);
  SAY(cudaDeviceReset());
  return passed();
}
