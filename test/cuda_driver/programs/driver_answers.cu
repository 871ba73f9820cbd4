// What calls of the driver answer, right ones and wrong ones. Expected is what an H200 answered.
// Prints: @driver_answers.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda.h>
#include <string>

/// A function of the driver, as the runtime finds it.
template <class F> F *driver(std::string name) {
  if (size_t at = name.find("_v"); at != name.npos)
    name.resize(at); // the header's macros name a version; what is found is that of 12.9
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CHECK(cudaGetDriverEntryPointByVersion(name.c_str(), &found, 12090, cudaEnableDefault, &result));
  REQUIRE(result == cudaDriverEntryPointSuccess);
  return reinterpret_cast<F *>(found);
}
#define DRIVER(name) driver<decltype(::name)>(#name)

const char *nameOf(CUresult code) {
  const char *name = nullptr;
  return DRIVER(cuGetErrorName)(code, &name) == CUDA_SUCCESS ? name : "no name";
}
/// A call of the driver as it stands, and its answer.
#define SAY(function, ...)                                                                         \
  std::printf("%s(%s): %s\n", #function, #__VA_ARGS__, nameOf(DRIVER(function)(__VA_ARGS__)))

const char *text = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 words[16];
.visible .entry one(.param .u64 out, .param .u32 value) {
  .reg .b64 %a;
  .reg .b32 %v;
  ld.param.u64 %a, [out];
  ld.param.u32 %v, [value];
  st.global.u32 [%a], %v;
  ret;
}
.visible .entry bounded() .maxntid 64 { ret; }
)";

void devices() {
  CUdevice device = -1;
  int value = -1;
  size_t bytes = 0;
  char name[4] = "";
  SAY(cuInit, 0);
  SAY(cuInit, 1);
  SAY(cuDeviceGet, &device, 0);
  SAY(cuDeviceGet, &device, 64);
  SAY(cuDeviceGet, &device, -1);
  SAY(cuDeviceGet, nullptr, 0);
  SAY(cuDeviceGetCount, nullptr);
  SAY(cuDeviceGetAttribute, &value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
  std::printf("%d\n", value);
  SAY(cuDeviceGetAttribute, &value, CUdevice_attribute(0), 0);
  SAY(cuDeviceGetAttribute, &value, CUdevice_attribute(9999), 0);
  SAY(cuDeviceGetAttribute, nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
  SAY(cuDeviceGetName, name, 4, 0);
  std::printf("%zu letters\n", std::string(name).size());
  SAY(cuDeviceTotalMem, &bytes, 64);
  SAY(cuDeviceTotalMem, nullptr, 0);
  const char *said = "";
  SAY(cuGetErrorName, CUresult(12345), &said);
  std::printf("%d\n", said == nullptr);
}

void contexts() {
  CUcontext current = nullptr, primary = nullptr;
  CUdevice device = -1;
  unsigned flags = 9, version = 0;
  int active = -1;
  SAY(cuCtxGetCurrent, &current);
  std::printf("%d\n", current != nullptr);
  SAY(cuDevicePrimaryCtxRetain, &primary, 0);
  std::printf("%d\n", primary == current);
  SAY(cuDevicePrimaryCtxRetain, &primary, 64);
  SAY(cuDevicePrimaryCtxGetState, 0, &flags, &active);
  std::printf("active %d\n", active);
  SAY(cuDevicePrimaryCtxRelease, 0);
  SAY(cuCtxGetDevice, &device);
  std::printf("%d\n", device);
  SAY(cuCtxGetApiVersion, current, &version);
  SAY(cuCtxSetCurrent, nullptr);
  SAY(cuCtxGetCurrent, &primary);
  std::printf("%d\n", primary == nullptr);
  SAY(cuCtxGetDevice, &device);
  SAY(cuCtxSynchronize);
  CUdeviceptr m = 0;
  SAY(cuMemAlloc, &m, 4);
  SAY(cuCtxPopCurrent, &primary);
  SAY(cuCtxSetCurrent, current);
  SAY(cuCtxPushCurrent, current);
  SAY(cuCtxPopCurrent, &primary);
  std::printf("%d\n", primary == current);
  SAY(cuCtxPushCurrent, nullptr);
}

void memory() {
  CUdeviceptr m = 0, start = 0;
  size_t bytes = 0;
  char host[64] = "";
  SAY(cuMemAlloc, &m, 0);
  SAY(cuMemAlloc, nullptr, 4);
  SAY(cuMemAlloc, &m, size_t(1) << 50);
  SAY(cuMemAlloc, &m, 1000);
  SAY(cuMemGetAddressRange, &start, &bytes, m + 7);
  std::printf("%d, %zu bytes\n", start == m, bytes);
  SAY(cuMemGetAddressRange, &start, &bytes, m + 1000);
  SAY(cuMemGetAddressRange, &start, &bytes, CUdeviceptr(host));
  SAY(cuMemGetAddressRange, nullptr, nullptr, m);
  SAY(cuMemsetD8, m, 1, 1000);
  SAY(cuMemsetD8, m, 1, 1001);
  SAY(cuMemsetD16, m + 1, 1, 4);
  SAY(cuMemsetD32, m + 2, 1, 4);
  SAY(cuMemsetD32, m, 1, 0);
  SAY(cuMemcpyHtoD, m, host, 64);
  SAY(cuMemcpyHtoD, m + 990, host, 64);
  SAY(cuMemcpyHtoD, m, host, 0);
  SAY(cuMemcpyHtoD, 0, host, 4);
  SAY(cuMemcpyDtoH, host, m, 64);
  SAY(cuMemcpyDtoH, nullptr, m, 4);
  SAY(cuMemcpyDtoD, m, m + 100, 64);
  SAY(cuMemcpy, m, CUdeviceptr(host), 64);
  SAY(cuMemFree, m + 1);
  SAY(cuMemFree, m);
  SAY(cuMemFree, m);
  SAY(cuMemFree, 0);
  void *h = nullptr;
  SAY(cuMemAllocHost, &h, 0);
  SAY(cuMemAllocHost, &h, 64);
  SAY(cuMemHostGetDevicePointer, &m, h, 0);
  SAY(cuMemHostGetDevicePointer, &m, h, 1);
  SAY(cuMemHostGetDevicePointer, &m, host, 0);
  unsigned flags = 0;
  SAY(cuMemHostGetFlags, &flags, h);
  std::printf("flags %u\n", flags);
  SAY(cuMemHostGetFlags, &flags, host);
  SAY(cuMemFreeHost, h);
  SAY(cuMemFreeHost, h);
  SAY(cuMemAllocManaged, &m, 64, CU_MEM_ATTACH_GLOBAL);
  int type = 0;
  SAY(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, m);
  std::printf("type %d\n", type);
  SAY(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_IS_MANAGED, m);
  std::printf("managed %d\n", type);
  SAY(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(host));
  SAY(cuPointerGetAttribute, &type, CUpointer_attribute(999), m);
  SAY(cuMemFree, m);
  SAY(cuMemAllocManaged, &m, 64, 0);
  SAY(cuMemAllocPitch, &m, &bytes, 100, 2, 4);
  std::printf("pitch %zu\n", bytes);
  SAY(cuMemAllocPitch, &m, &bytes, 100, 2, 3);
  SAY(cuMemAllocPitch, &m, &bytes, 0, 2, 4);
}

void modules() {
  CUmodule module = nullptr;
  CUfunction function = nullptr, bounded = nullptr;
  CUdeviceptr at = 0;
  size_t bytes = 0;
  int value = 0;
  SAY(cuModuleLoadData, &module, "no PTX");
  SAY(cuModuleLoadData, &module,
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bad; }\n");
  SAY(cuModuleLoadData, &module, ".version 99.0\n.target sm_80\n.address_size 64\n");
  SAY(cuModuleLoad, &module, "/there/is/no/file");
  SAY(cuModuleLoadData, &module, text);
  SAY(cuModuleGetFunction, &function, module, "two");
  SAY(cuModuleGetFunction, &function, module, "words");
  SAY(cuModuleGetFunction, &function, module, "one");
  SAY(cuModuleGetFunction, &bounded, module, "bounded");
  SAY(cuModuleGetGlobal, &at, &bytes, module, "words");
  std::printf("%zu bytes\n", bytes);
  SAY(cuModuleGetGlobal, nullptr, &bytes, module, "words");
  SAY(cuModuleGetGlobal, nullptr, nullptr, module, "words");
  SAY(cuModuleGetGlobal, &at, &bytes, module, "letters");
  SAY(cuModuleGetGlobal, &at, &bytes, module, "one");
  SAY(cuFuncGetAttribute, &value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded);
  std::printf("%d\n", value);
  SAY(cuFuncGetAttribute, &value, CUfunction_attribute(99), bounded);
  SAY(cuFuncSetAttribute, bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 3);
  size_t offset = 0;
  SAY(cuFuncGetParamInfo, function, 1, &offset, &bytes);
  std::printf("at %zu, %zu bytes\n", offset, bytes);
  SAY(cuFuncGetParamInfo, function, 2, &offset, &bytes);
  const char *name = "";
  SAY(cuFuncGetName, &name, function);
  std::printf("%s\n", name);
  CUdeviceptr out = 0;
  CHECK(cudaMalloc(reinterpret_cast<void **>(&out), 4));
  unsigned number = 7;
  void *arguments[] = {&out, &number};
  struct {
    CUdeviceptr out;
    unsigned value;
  } packed = {out, 8};
  size_t size = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  SAY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  SAY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
  SAY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, extra);
  SAY(cuLaunchKernel, function, 0, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  SAY(cuLaunchKernel, function, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr);
  SAY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 50000, nullptr, arguments, nullptr);
  SAY(cuLaunchKernel, bounded, 1, 1, 1, 65, 1, 1, 0, nullptr, nullptr, nullptr);
  SAY(cuLaunchKernel, bounded, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr);
  SAY(cuLaunchKernel, nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  SAY(cuCtxSynchronize);
  std::printf("%u\n", download(reinterpret_cast<unsigned *>(out), 1)[0]);
  SAY(cuModuleUnload, module);
  SAY(cuModuleUnload, nullptr);
  CUlibrary library;
  CUkernel kernel;
  SAY(cuLibraryLoadData, &library, text, nullptr, nullptr, 0, nullptr, nullptr, 0);
  SAY(cuLibraryGetKernel, &kernel, library, "two");
  SAY(cuLibraryGetKernel, &kernel, library, "one");
  unsigned count = 0;
  SAY(cuLibraryGetKernelCount, &count, library);
  std::printf("%u kernels\n", count);
  SAY(cuLibraryUnload, library);
}

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  CHECK(cudaFree(nullptr));
  devices();
  contexts();
  memory();
  modules();
  return passed();
}
