// Launches, attributes of kernels, occupancy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_runtime/Runtime.h"

using namespace tessera::cuda_runtime;

namespace {

/// Whether grid and block are in range: if not, the runtime's error is invalid configuration, and
/// the driver's is invalid value.
bool isShape(const Dim3 &grid, const Dim3 &block) {
  return grid.x && grid.y && grid.z && grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535 &&
         block.x && block.y && block.z && uint64_t(block.x) * block.y * block.z <= 1024 &&
         block.z <= 64;
}

LaunchConfig configOf(const Launch &launch) {
  return {.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
          .block = {launch.block.x, launch.block.y, launch.block.z},
          .sharedBytes = unsigned(launch.sharedBytes),
          .stream = launch.stream,
          .attributes = launch.attributes,
          .attributeCount = launch.attributeCount};
}

Code run(const Launch &launch, const void *function, void **arguments) {
  return enter([&] {
    if (!isShape(launch.grid, launch.block))
      return Code::InvalidValue; // as CUDA 13.0 on an H200; older runtimes: InvalidConfiguration
    Kernel *kernel = nullptr;
    if (Code code = kernelOf(function, &kernel); code != Code::Success)
      return code;
    LaunchConfig config = configOf(launch);
    void *nothing = nullptr; // the list may be null if a kernel has no parameters
    return cuLaunchKernelEx(&config, kernel, arguments ? arguments : &nothing, nullptr);
  });
}

template <class Body> Code onKernel(const void *function, Body &&body) {
  return enter([&] {
    Kernel *kernel = nullptr;
    Code code = kernelOf(function, &kernel);
    return code == Code::Success ? body(kernel) : code;
  });
}

} // namespace

CUDA_RUNTIME(cudaLaunchKernel)
(const void *function, Dim3 grid, Dim3 block, void **arguments, size_t sharedBytes,
 Stream *stream) {
  return run({grid, block, sharedBytes, stream, nullptr, 0}, function, arguments);
}
CUDA_RUNTIME(__cudaLaunchKernel)
(Kernel *kernel, Dim3 grid, Dim3 block, void **arguments, size_t sharedBytes, Stream *stream) {
  return run({grid, block, sharedBytes, stream, nullptr, 0}, kernel, arguments);
}
CUDA_RUNTIME(cudaLaunchKernelExC)(const Launch *launch, const void *function, void **arguments) {
  if (!launch)
    return keep(Code::InvalidValue);
  return run(*launch, function, arguments);
}
CUDA_RUNTIME(cudaLaunchCooperativeKernel)
(const void *function, Dim3 grid, Dim3 block, void **arguments, size_t sharedBytes,
 Stream *stream) {
  LaunchAttribute together{.id = LaunchAttributeId::Cooperative, .padding = {}, .value = {}};
  together.value.flag = 1;
  return run({grid, block, sharedBytes, stream, &together, 1}, function, arguments);
}

CUDA_RUNTIME(cudaFuncGetAttributes)(FunctionAttributes *out, const void *function) {
  return onKernel(function, [&](Kernel *kernel) {
    if (!out)
      return Code::InvalidValue;
    auto get = [&](int which) {
      int value = 0;
      cuFuncGetAttribute(&value, FunctionAttribute(which), kernel);
      return value;
    };
    *out = {.sharedBytes = size_t(get(1)),
            .constantBytes = size_t(get(2)),
            .localBytes = size_t(get(3)),
            .maxThreadsPerBlock = get(0),
            .registers = get(4),
            .ptxVersion = get(5),
            .binaryVersion = get(6),
            .cacheMode = get(7),
            .maxDynamicSharedBytes = get(8),
            .carveout = get(9),
            .clusterMustBeSet = get(10),
            .clusterWidth = get(11),
            .clusterHeight = get(12),
            .clusterDepth = get(13),
            .clusterScheduling = get(15),
            .nonPortableClusterAllowed = get(14),
            .reserved = {}};
    return Code::Success;
  });
}
CUDA_RUNTIME(cudaFuncSetAttribute)(const void *function, FunctionAttribute which, int value) {
  return onKernel(function,
                  [&](Kernel *kernel) { return cuFuncSetAttribute(kernel, which, value); });
}
CUDA_RUNTIME(cudaFuncGetName)(const char **name, const void *function) {
  return onKernel(function, [&](Kernel *kernel) { return cuFuncGetName(name, kernel); });
}
CUDA_RUNTIME(cudaFuncGetParamInfo)
(const void *function, size_t index, size_t *offset, size_t *bytes) {
  return onKernel(function,
                  [&](Kernel *kernel) { return cuFuncGetParamInfo(kernel, index, offset, bytes); });
}
CUDA_RUNTIME(cudaFuncSetCacheConfig)(const void *function, int) {
  return onKernel(function, [](Kernel *) { return Code::Success; });
}
CUDA_RUNTIME(cudaFuncSetSharedMemConfig)(const void *function, int) {
  return onKernel(function, [](Kernel *) { return Code::Success; });
}

CUDA_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int *blocks, const void *function, int threads, size_t sharedBytes, unsigned) {
  return onKernel(function, [&](Kernel *kernel) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, sharedBytes);
  });
}
CUDA_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int *blocks, const void *function, int threads, size_t sharedBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                sharedBytes, 0);
}
CUDA_RUNTIME(cudaOccupancyAvailableDynamicSMemPerBlock)
(size_t *bytes, const void *function, int blocks, int threads) {
  return onKernel(function, [&](Kernel *kernel) {
    return cuOccupancyAvailableDynamicSMemPerBlock(bytes, kernel, blocks, threads);
  });
}
CUDA_RUNTIME(cudaOccupancyMaxPotentialClusterSize)
(int *size, const void *function, const Launch *launch) {
  if (!launch)
    return keep(Code::InvalidValue);
  return onKernel(function, [&](Kernel *kernel) {
    LaunchConfig config = configOf(*launch);
    return cuOccupancyMaxPotentialClusterSize(size, kernel, &config);
  });
}
CUDA_RUNTIME(cudaOccupancyMaxActiveClusters)
(int *count, const void *function, const Launch *launch) {
  if (!launch)
    return keep(Code::InvalidValue);
  return onKernel(function, [&](Kernel *kernel) {
    LaunchConfig config = configOf(*launch);
    return cuOccupancyMaxActiveClusters(count, kernel, &config);
  });
}
