// The types and values of the CUDA driver's interface that we use: building needs no CUDA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: cuda.h of CUDA 13.0; the original name stands after every value. Values, sizes, offsets
// and signatures are compared with the real header, where there is one, by
// test/run/CudaHeadersTest.cpp. They are stable: what changes gets a new name (_v2).
#pragma once

#include "tessera/atom/TensorMap.h"

#include <cstddef>
#include <cstdint>

namespace tessera::run::cuda {

using DevicePointer = unsigned long long; // CUdeviceptr_v2, on 64-bit systems
using DeviceOrdinal = int;                // CUdevice_v1
using Context = struct ContextTag *;      // CUcontext
using Module = struct ModuleTag *;        // CUmodule
using Function = struct FunctionTag *;    // CUfunction
using Stream = struct StreamTag *;        // CUstream
using Event = struct EventTag *;          // CUevent
using Graph = struct GraphTag *;          // CUgraph
using GraphExec = struct GraphExecTag *;  // CUgraphExec
using LinkState = struct LinkStateTag *;  // CUlinkState
using TensorMap = atom::TensorMapImage;   // CUtensorMap

/// CUresult. Any other value can come too: names and sentences are the driver's (cuGetErrorName).
enum class Code : int {
#define RESULT(number, name, enumerator) enumerator = number,
#include "tessera/run/CudaResults.def"
#undef RESULT
};

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,          // CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
  MaxBlockX = 2,                   // CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
  MaxBlockY = 3,                   // CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y
  MaxBlockZ = 4,                   // CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z
  MaxGridX = 5,                    // CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X
  MaxGridY = 6,                    // CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y
  MaxGridZ = 7,                    // CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z
  SharedPerBlock = 8,              // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
  WarpSize = 10,                   // CU_DEVICE_ATTRIBUTE_WARP_SIZE
  ClockRate = 13,                  // CU_DEVICE_ATTRIBUTE_CLOCK_RATE, kHz
  Multiprocessors = 16,            // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
  MemoryClockRate = 36,            // CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, kHz
  MemoryBusBits = 37,              // CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH
  L2Bytes = 38,                    // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
  ComputeMajor = 75,               // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  ComputeMinor = 76,               // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
  SharedPerMultiprocessor = 81,    // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
  RegistersPerMultiprocessor = 82, // CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR
  CooperativeLaunch = 95,          // CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
  SharedPerBlockOptin = 97,        // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
  ClusterLaunch = 120,             // CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,         // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
  SharedBytes = 1,                // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
  ConstantBytes = 2,              // CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES
  LocalBytes = 3,                 // CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
  Registers = 4,                  // CU_FUNC_ATTRIBUTE_NUM_REGS
  PtxVersion = 5,                 // CU_FUNC_ATTRIBUTE_PTX_VERSION
  BinaryVersion = 6,              // CU_FUNC_ATTRIBUTE_BINARY_VERSION
  MaxDynamicSharedBytes = 8,      // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  RequiredClusterWidth = 11,      // CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH
  RequiredClusterHeight = 12,     // CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT
  RequiredClusterDepth = 13,      // CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH
  NonPortableClusterAllowed = 14, // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
};

/// CUjit_option. Values travel in the pointers of an array of void *; the driver writes sizes back
/// there.
enum class JitOption : int {
  MaxRegisters = 0,      // CU_JIT_MAX_REGISTERS
  InfoLog = 3,           // CU_JIT_INFO_LOG_BUFFER
  InfoLogBytes = 4,      // CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES
  ErrorLog = 5,          // CU_JIT_ERROR_LOG_BUFFER
  ErrorLogBytes = 6,     // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
  OptimizationLevel = 7, // CU_JIT_OPTIMIZATION_LEVEL
  DebugInfo = 11,        // CU_JIT_GENERATE_DEBUG_INFO
  Verbose = 12,          // CU_JIT_LOG_VERBOSE
  LineInfo = 13,         // CU_JIT_GENERATE_LINE_INFO
};

/// CUjitInputType.
enum class JitInput : int {
  Ptx = 1, // CU_JIT_INPUT_PTX
};

/// CUlaunchAttributeID.
enum class LaunchAttributeId : int {
  Cooperative = 2,                     // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
  ClusterDimension = 4,                // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
  ProgrammaticStreamSerialization = 6, // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
};

/// CUlaunchAttribute_st.
struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union Value { // CUlaunchAttributeValue_union
    char size[64];
    int flag; // cooperative, programmaticStreamSerializationAllowed
    struct {
      unsigned int x, y, z;
    } cluster;                    // clusterDim
    unsigned long long alignment; // the original has pointers among its members
  } value;
};

/// CUlaunchConfig_st.
struct LaunchConfig {
  unsigned int gridX, gridY, gridZ;
  unsigned int blockX, blockY, blockZ;
  unsigned int sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned int attributeCount;
};

/// CU_STREAM_DEFAULT: the stream and the legacy stream, on which copies run, wait for each other.
constexpr unsigned int streamDefault = 0;
/// CU_EVENT_DEFAULT: with timing.
constexpr unsigned int eventDefault = 0;

} // namespace tessera::run::cuda
