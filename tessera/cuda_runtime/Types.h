// The types of the CUDA runtime's interface that the driver's does not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: driver_types.h of CUDA 13.0; the original name stands after every type. Handles,
// attributes of launches and most numbers of errors are the driver's.
// test/cuda_driver/HeaderTest.cpp compares sizes and offsets with the real header, where there is
// one.
#pragma once

#include "tessera/cuda_driver/Types.h"

namespace tessera::cuda_runtime {

using namespace tessera::cuda_driver;

/// cudaError, by CUDA's names; Code has names for the numbers that mean the same in a driver.
namespace error {
#define RESULT(number, name) inline constexpr Code name{number};
#include "tessera/cuda_runtime/Results.def"
#undef RESULT
} // namespace error

/// dim3.
struct Dim3 {
  unsigned x, y, z;
};
/// cudaMemcpyKind.
enum class CopyKind : int {
  HostToHost,
  HostToDevice,
  DeviceToHost,
  DeviceToDevice,
  Default
};
/// cudaExtent, cudaPos, cudaPitchedPtr.
struct Extent {
  size_t width, height, depth;
};
struct Position {
  size_t x, y, z;
};
struct Pitched {
  void *pointer;
  size_t pitch, width, height;
};
/// One side of cudaMemcpy3DParms.
struct VolumeSide {
  void *array;
  Position at;
  Pitched pointer;
};
/// cudaMemcpy3DParms.
struct VolumeCopy {
  VolumeSide from, to;
  Extent extent;
  CopyKind kind;
};
/// cudaMemsetParams.
struct MemsetCall {
  void *to;
  size_t pitch;
  unsigned value, elementBytes;
  size_t width, height;
};
/// cudaKernelNodeParams.
struct KernelNode {
  const void *function;
  Dim3 grid, block;
  unsigned sharedBytes;
  void **arguments, **extra;
};
/// cudaGraphNodeParams.
struct NodeCall {
  NodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNode kernel;
    struct {
      int flags, reserved[3];
      VolumeCopy copy;
    } copy; // cudaMemcpyNodeParams
    MemsetCall memset;
    HostCall host;
    Graph *child;
    Event *event;
    AllocateCall allocate;
    DevicePointer free;
    ConditionCall condition;
  };
  long long reserved2;
};
/// cudaChannelFormatDesc; kinds are 0 (signed), 1 (unsigned), 2 (float), 3 (none), and more.
struct ChannelFormat {
  int bits[4], kind;
};
/// cudaLaunchConfig_t.
struct Launch {
  Dim3 grid, block;
  size_t sharedBytes;
  Stream *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
/// cudaFuncAttributes.
struct FunctionAttributes {
  size_t sharedBytes, constantBytes, localBytes;
  int maxThreadsPerBlock, registers, ptxVersion, binaryVersion, cacheMode, maxDynamicSharedBytes,
      carveout, clusterMustBeSet, clusterWidth, clusterHeight, clusterDepth, clusterScheduling,
      nonPortableClusterAllowed, reserved[16];
};
/// cudaPointerAttributes; types are 0 (not ours), 1 (host), 2 (device), 3 (managed).
struct PointerAttributes {
  int type, device;
  void *devicePointer, *hostPointer;
  long reserved[8];
};
/// cudaDeviceProp of CUDA 13.
struct Properties {
  char name[256];
  Uuid uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory, textures[38];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
      asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
      maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported,
      localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
      hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess,
      computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
      maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
      timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers,
      deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
  unsigned gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported, reserved[56];
};

} // namespace tessera::cuda_runtime
