// The device, its properties, and what is set for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_runtime/Runtime.h"

using namespace tessera::cuda_runtime;

namespace {
Code check(int device) { return device == 0 ? Code::Success : Code::InvalidDevice; }
bool isLimit(int limit) { return limit >= 0 && limit <= 6; } // to cudaLimitPersistingL2CacheSize
} // namespace

CUDA_RUNTIME(cudaGetDeviceCount)(int *count) {
  return enter([&] { return cuDeviceGetCount(count); });
}
CUDA_RUNTIME(cudaGetDevice)(int *device) {
  return enter([&] {
    if (!device)
      return Code::InvalidValue;
    *device = 0;
    return Code::Success;
  });
}
CUDA_RUNTIME(cudaSetDevice)(int device) {
  return enter([&] { return check(device); });
}
CUDA_RUNTIME(cudaInitDevice)(int device, unsigned, unsigned) {
  return enter([&] { return check(device); });
}
CUDA_RUNTIME(cudaSetValidDevices)(int *devices, int count) {
  return enter([&] { return count ? check(*devices) : Code::Success; });
}
CUDA_RUNTIME(cudaChooseDevice)(int *device, const Properties *) {
  if (!device)
    return keep(Code::InvalidValue);
  return enter([&] {
    *device = 0;
    return Code::Success;
  });
}
CUDA_RUNTIME(cudaSetDeviceFlags)(unsigned flags) {
  return enter([&] { return cuDevicePrimaryCtxSetFlags_v2(0, flags); });
}
CUDA_RUNTIME(cudaGetDeviceFlags)(unsigned *flags) {
  return enter([&] { return cuCtxGetFlags(flags); });
}
CUDA_RUNTIME(cudaDeviceGetAttribute)(int *value, int number, int device) {
  return enter([&] { return cuDeviceGetAttribute(value, number, device); });
}
CUDA_RUNTIME(cudaGetDeviceProperties)(Properties *out, int device) {
  return enter([&] {
    if (Code code = check(device); code != Code::Success)
      return code;
    if (!out)
      return Code::InvalidValue;
    *out = {};
    auto get = [&](int number) {
      int value = 0;
      cuDeviceGetAttribute(&value, number, device);
      return value;
    };
#define PROPERTY(member, number) out->member = decltype(out->member + 0)(get(number));
#include "tessera/cuda_runtime/Properties.def"
#undef PROPERTY
    cuDeviceGetName(out->name, sizeof out->name, device);
    cuDeviceGetUuid(&out->uuid, device);
    return cuDeviceTotalMem_v2(&out->totalGlobalMem, device);
  });
}
CUDA_RUNTIME(cudaDeviceSynchronize)() {
  return enter([] { return cuCtxSynchronize(); });
}
CUDA_RUNTIME(cudaDeviceReset)() {
  return enter([] { return cuDevicePrimaryCtxReset_v2(0); });
}
/// cudaLimit has the driver's numbers.
CUDA_RUNTIME(cudaDeviceSetLimit)(int limit, size_t value) {
  return enter([&] { return isLimit(limit) ? cuCtxSetLimit(limit, value) : Code::InvalidValue; });
}
CUDA_RUNTIME(cudaDeviceGetLimit)(size_t *value, int limit) {
  return enter([&] { return isLimit(limit) ? cuCtxGetLimit(value, limit) : Code::InvalidValue; });
}
CUDA_RUNTIME(cudaDeviceEnablePeerAccess)(int device, unsigned) {
  return enter([&] { // there is one device, and none is its own peer
    return device == 0 ? Code::PeerAccessUnsupported : Code::InvalidDevice;
  });
}
CUDA_RUNTIME(cudaDeviceDisablePeerAccess)(int) {
  return enter([] { return Code::InvalidDevice; });
}
