// The stand-ins for libcuda and libcudart where memory runs out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's way through both: what nvcc's code registers, modules, memory, streams, launches,
// graphs, and every function that is refused. Each call happens with its first allocation failing,
// then its second, and so on until none fails; it has to say OutOfMemory or do its work.
#include "Faults.h"
#include "tessera/cuda_driver/Functions.h"
#include "tessera/cuda_runtime/Runtime.h"
#include "test/cuda_driver/TinyFatbinary.h"

#include <fcntl.h>
#include <string>
#include <unistd.h>

using namespace tessera::test;
using namespace tessera::cuda_runtime;
using namespace tessera::cuda_driver;

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(Dim3, Dim3, size_t, Stream *);
Code __cudaPopCallConfiguration(Dim3 *, Dim3 *, size_t *, void *);
Code cudaGetLastError();
const char *cudaGetErrorString(Code);
Code cudaLaunchKernel(const void *, Dim3, Dim3, void **, size_t, Stream *);
Code cudaMalloc(void **, size_t);
Code cudaFree(void *);
Code cudaMemcpy(void *, const void *, size_t, CopyKind);
Code cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, CopyKind);
Code cudaGetSymbolAddress(DevicePointer *, const void *);
Code cudaDeviceSynchronize();
Code cudaArrayGetInfo();
}

namespace {

constexpr const char *text = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.visible .const .align 4 .u32 factor = 3;
.visible .global .attribute(.managed) .align 4 .u32 shared_with_host = 9;
.global .align 1 .b8 words[4] = {104, 105, 10, 0};
.visible .entry scale(.param .u64 p, .param .u32 n)
{
  .reg .b32 i, count, x, by, r; .reg .b64 d, offset, f; .reg .pred outside;
  ld.param.u64 d, [p]; ld.param.u32 count, [n];
  mov.u32 i, %tid.x;
  setp.ge.u32 outside, i, count;
  @outside ret;
  mul.wide.u32 offset, i, 4;
  add.u64 d, d, offset;
  ld.global.u32 x, [d];
  ld.const.u32 by, [factor];
  mul.lo.u32 x, x, by;
  st.global.u32 [d], x;
  mov.u64 f, words;
  { .param .b64 a; .param .b64 b; .param .b32 c;
    st.param.b64 [a], f; st.param.b64 [b], 0;
    call (c), vprintf, (a, b); }
  ret;
}
)";

void expect(bool good, const char *what) {
  if (!good)
    wrong(what, "is not so");
}

/// Calls f() as above; what it did is undone by `undo` where an allocation failed and it went on.
template <class F, class Undo> void exhaust(const char *what, F f, Undo undo) {
  for (long n = 1;; ++n) {
    failAllocation(n);
    Code code = f();
    bool failed = allocationFailed();
    failAllocation(0);
    if (code != Code::Success && !(failed && code == Code::OutOfMemory))
      wrong(what, std::to_string(int(code)).c_str());
    if (!failed)
      return;
    if (code == Code::Success)
      undo();
    expect(n < 100000, "an end of allocations");
  }
}
template <class F> void exhaust(const char *what, F f) {
  exhaust(what, f, [] {});
}

void driver() {
  exhaust("cuInit", [] { return cuInit(0); });
  Context *context = nullptr;
  exhaust("retain", [&] { return cuDevicePrimaryCtxRetain(&context, 0); });
  exhaust("current", [&] { return cuCtxSetCurrent(context); });
  exhaust(
      "push", [&] { return cuCtxPushCurrent_v2(context); }, [&] { cuCtxPopCurrent_v2(&context); });
  cuCtxPopCurrent_v2(&context);
  Module *module = nullptr;
  std::string fat = fatbinary({text});
  for (const void *image : {static_cast<const void *>(text), static_cast<const void *>(fat.data())})
    exhaust(
        "module", [&] { return cuModuleLoadData(&module, image); },
        [&] { cuModuleUnload(module); });
  exhaust("no module", [&] {
    Code code = cuModuleLoadData(&module, "nothing");
    return code == Code::InvalidImage ? Code::Success : code;
  });
  Module *other = nullptr;
  exhaust("no file", [&] {
    Code code = cuModuleLoad(&other, "/no/such/file/of/a/name/that/a/string/cannot/hold/in/itself");
    return code == Code::FileNotFound ? Code::Success : code;
  });
  Library *library = nullptr;
  exhaust(
      "library",
      [&] { return cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0); },
      [&] { cuLibraryUnload(library); });
  Kernel *ofLibrary = nullptr, *kernel = nullptr;
  exhaust("kernel of a library", [&] { return cuLibraryGetKernel(&ofLibrary, library, "scale"); });
  exhaust("function", [&] { return cuModuleGetFunction(&kernel, module, "scale"); });
  const char *said = nullptr;
  exhaust("name of an error", [&] { return cuGetErrorName(Code::IllegalAddress, &said); });
  exhaust("an error", [&] { return cuGetErrorString(Code::IllegalAddress, &said); });
  expect(!std::strcmp(said, "illegal address"), "the sentence of an error");

  DevicePointer data = 0;
  exhaust("memory", [&] { return cuMemAlloc_v2(&data, 64); }, [&] { cuMemFree_v2(data); });
  void *pinned = nullptr;
  exhaust("pinned", [&] { return cuMemAllocHost_v2(&pinned, 64); }, [&] { cuMemFreeHost(pinned); });
  DevicePointer inOrder = 0;
  exhaust(
      "in order", [&] { return cuMemAllocAsync(&inOrder, 64, nullptr); },
      [&] { cuMemFreeAsync(inOrder, nullptr); });
  exhaust("set", [&] { return cuMemsetD32_v2(data, 5, 16); });
  uint32_t count = 16, got[16] = {};
  void *arguments[] = {&data, &count};
  Stream *stream = nullptr;
  exhaust(
      "stream", [&] { return cuStreamCreate(&stream, 0); }, [&] { cuStreamDestroy_v2(stream); });
  Event *event = nullptr;
  exhaust("event", [&] { return cuEventCreate(&event, 0); }, [&] { cuEventDestroy_v2(event); });
  exhaust("record", [&] { return cuEventRecord(event, stream); });
  exhaust("launch", [&] {
    cuMemsetD32_v2(data, 5, 16);
    return cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
  });
  exhaust("copy", [&] { return cuMemcpyDtoH_v2(got, data, sizeof got); });
  for (uint32_t one : got)
    expect(one == 15, "the numbers of the launch that went through");

  // A graph that is captured, made into an executable, and launched.
  Graph *graph = nullptr;
  GraphExec *executable = nullptr;
  exhaust(
      "capture", [&] { return cuStreamBeginCapture_v2(stream, 0); },
      [&] {
        cuStreamEndCapture(stream, &graph);
        cuGraphDestroy(graph);
      });
  exhaust("captured",
          [&] { return cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr); });
  exhaust(
      "end", [&] { return cuStreamEndCapture(stream, &graph); },
      [&] {
        cuGraphDestroy(graph);
        expect(cuStreamBeginCapture_v2(stream, 0) == Code::Success, "another capture");
      });
  exhaust(
      "instantiate", [&] { return cuGraphInstantiateWithFlags(&executable, graph, 0); },
      [&] { cuGraphExecDestroy(executable); });
  exhaust("launch of a graph", [&] { return cuGraphLaunch(executable, stream); });
  Graph *clone = nullptr;
  exhaust("clone", [&] { return cuGraphClone(&clone, graph); }, [&] { cuGraphDestroy(clone); });
  GraphNode *node = nullptr;
  exhaust("node", [&] { return cuGraphAddEmptyNode(&node, graph, nullptr, 0); });

  // What is refused is so whatever runs out.
  for (const FunctionRow &row : functionRows())
    if (!row.refused.empty())
      for (long n = 1; n < 6; ++n) {
        failAllocation(n);
        Code code = reinterpret_cast<Code (*)()>(row.function)();
        failAllocation(0);
        expect(code == Code::NotSupported, row.symbol.data());
      }
  exhaust("table", [] {
    const void *table = nullptr;
    Uuid id{};
    Code code = cuGetExportTable(&table, &id);
    return code == Code::NotFound ? Code::Success : code;
  });
  for (auto done : {cuEventDestroy_v2(event), cuStreamDestroy_v2(stream), cuMemFree_v2(data),
                    cuModuleUnload(module), cuLibraryUnload(library)})
    expect(done == Code::Success, "what was made can be given back");
}

/// What is refused says so on stderr, once for each function.
void refusalIsSaid() {
  int ends[2], before = dup(STDERR_FILENO);
  expect(before >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0, "a pipe");
  for (int i = 0; i < 2; ++i)
    expect(cudaArrayGetInfo() == Code::NotSupported, "a refusal");
  dup2(before, STDERR_FILENO);
  char said[1024];
  ssize_t length = read(ends[0], said, sizeof(said));
  for (int file : {ends[0], ends[1], before})
    close(file);
  expect(std::string(said, size_t(length > 0 ? length : 0)) ==
             "tessera: cudaArrayGetInfo is not available: there are no textures, surfaces or CUDA "
             "arrays; use global memory\n",
         "the sentence of a refusal");
}

void runtime() {
  refusalIsSaid();
  std::string fat = fatbinary({text});
  struct {
    uint32_t magic = 0x466243b1, version = 1;
    const void *header, *nothing = nullptr;
  } wrapper{.header = fat.data()};
  static char ofHost, factor, shared;
  void *managed = nullptr;
  void **handle = nullptr;
  auto registerAll = [&] {
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &ofHost, nullptr, "scale", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterVar(handle, &factor, nullptr, "factor", 0, 4, 1, 0);
    __cudaRegisterManagedVar(handle, &managed, &shared, "shared_with_host", 0, 4, 0, 0);
    Code code = cudaGetLastError();
    if (code != Code::Success)
      __cudaUnregisterFatBinary(handle); // as a program does whose registering failed, at its end
    return code;
  };
  exhaust("register", registerAll, [&] { __cudaUnregisterFatBinary(handle); });
  exhaust("managed variables",
          [&] { return __cudaInitModule(handle) ? Code::Success : cudaGetLastError(); });
  expect(managed && *static_cast<uint32_t *>(managed) == 9, "the managed variable");
  void *data = nullptr;
  exhaust("cudaMalloc", [&] { return cudaMalloc(&data, 64); }, [&] { cudaFree(data); });
  uint32_t numbers[16], count = 16, five = 5;
  for (uint32_t &one : numbers)
    one = 2;
  exhaust("cudaMemcpy", [&] { return cudaMemcpy(data, numbers, 64, CopyKind::HostToDevice); });
  exhaust("a symbol",
          [&] { return cudaMemcpyToSymbol(&factor, &five, 4, 0, CopyKind::HostToDevice); });
  void *arguments[] = {&data, &count};
  exhaust("<<<>>>", [&] {
    if (unsigned code = __cudaPushCallConfiguration({1, 1, 1}, {32, 1, 1}, 0, nullptr))
      return Code(code);
    Dim3 grid, block;
    size_t bytes = 0;
    Stream *stream = nullptr;
    __cudaPopCallConfiguration(&grid, &block, &bytes, &stream);
    cuMemsetD32_v2(reinterpret_cast<DevicePointer>(data), 2, 16);
    return cudaLaunchKernel(&ofHost, grid, block, arguments, bytes, stream);
  });
  exhaust("back", [&] { return cudaMemcpy(numbers, data, 64, CopyKind::DeviceToHost); });
  for (uint32_t one : numbers)
    expect(one == 10, "the numbers of the launch that went through");
  for (long n = 1; n < 6; ++n) {
    failAllocation(n);
    expect(!std::strcmp(cudaGetErrorString(Code::IllegalAddress), "illegal address"), "a sentence");
    expect(cudaArrayGetInfo() == Code::NotSupported, "a refusal");
    failAllocation(0);
  }
  (void)cudaGetLastError();
  exhaust("synchronize", [] { return cudaDeviceSynchronize(); });
  failAllocation(1);
  __cudaUnregisterFatBinary(handle);
  failAllocation(0);
}

} // namespace

int main() {
  setenv("TESSERA_THREADS", "1", 1); // so that each run meets the same allocations
  if (int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0)
    dup2(nowhere, STDOUT_FILENO); // what the kernels print
  driver();
  runtime();
}
