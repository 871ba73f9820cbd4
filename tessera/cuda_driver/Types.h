// The types of the CUDA driver's interface that the stand-in takes and gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building needs no CUDA. Source: cuda.h of CUDA 13.0; the original name stands after every type.
// run/CudaTypes.h has those that a caller of the driver needs as well.
// test/cuda_driver/HeaderTest.cpp compares sizes and offsets with the real header, where there is
// one.
#pragma once

#include "tessera/run/CudaTypes.h"

#include <string_view>

namespace tessera::cuda_driver {

using run::cuda::Code;
using run::cuda::DeviceOrdinal;
using run::cuda::DevicePointer;
using run::cuda::FunctionAttribute;
using run::cuda::LaunchAttribute;
using run::cuda::LaunchAttributeId;
using run::cuda::TensorMap;

struct Context;
struct Module;
struct Library;
struct Linkage;
struct Kernel;
struct Stream;
struct Event;
struct Pool;
struct Graph;
struct GraphNode;
struct GraphExec;
struct UserObject;

/// CUuuid.
struct Uuid {
  char bytes[16];
};

/// CUmemorytype.
enum class MemoryType : unsigned {
  Host = 1,
  Device = 2,
  Array = 3,
  Unified = 4
};

/// One side of a copy; CUDA_MEMCPY3D has two of them in a row.
struct CopySide {
  size_t x, y, z, level; // bytes, rows, slices
  MemoryType type;
  void *host;
  DevicePointer device;
  void *array, *context;
  size_t pitch, height; // bytes of a row, rows of a slice
};
/// CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER.
struct Copy3d {
  CopySide from, to;
  size_t width, height, depth; // bytes, rows, slices
};
struct CopySide2d {
  size_t x, y;
  MemoryType type;
  void *host;
  DevicePointer device;
  void *array;
  size_t pitch;
};
/// CUDA_MEMCPY2D.
struct Copy2d {
  CopySide2d from, to;
  size_t width, height;
};

/// CUDA_MEMSET_NODE_PARAMS_v2; _v1 ends before the context.
struct Fill {
  DevicePointer to;
  size_t pitch;
  unsigned value, elementBytes;
  size_t width, height; // elements, rows
  Context *context;
};
using HostFunction = void (*)(void *); // CUhostFn
/// CUDA_HOST_NODE_PARAMS.
struct HostCall {
  HostFunction function;
  void *data;
};
/// CUDA_KERNEL_NODE_PARAMS_v2 and _v3; _v1 ends after `extra`.
struct KernelCall {
  Kernel *function;
  unsigned grid[3], block[3], sharedBytes;
  void **arguments, **extra;
  Kernel *kernel;
  Context *context;
};
/// CUmemLocation.
struct Location {
  static constexpr int nowhere = 0, device = 1;
  int type, id;
};
/// CU_DEVICE_CPU and CU_DEVICE_INVALID.
inline constexpr DeviceOrdinal onHost = -1, nowhere = -2;
/// CUmemAllocationProp.
struct MemoryProperties {
  int allocationType, handleTypes;
  Location location;
  void *security;
  unsigned char compression, directRdma;
  unsigned short usage;
  unsigned char reserved[4];
};
/// CUmemAccessDesc.
struct AccessOf {
  Location location;
  int flags;
};
/// CUmemPoolProps.
struct PoolProperties {
  int allocationType, handleTypes;
  Location location;
  void *security;
  size_t maxBytes;
  unsigned short usage;
  unsigned char reserved[54];
};
/// CUDA_MEM_ALLOC_NODE_PARAMS.
struct AllocateCall {
  PoolProperties pool;
  const void *access;
  size_t accessCount, bytes;
  DevicePointer pointer;
};
/// CUstreamBatchMemOpParams: one operation on a value in memory. A barrier has its flags where the
/// others have nothing.
struct MemoryOperation {
  enum Kind : unsigned { // CUstreamBatchMemOpType
    Wait32 = 1,
    Write32 = 2,
    FlushRemote = 3,
    Wait64 = 4,
    Write64 = 5,
    Barrier = 6
  };
  Kind kind;
  unsigned flagsOfBarrier;
  DevicePointer address;
  uint64_t value; // of 32 bits the lower half
  unsigned flags;
  DevicePointer alias;
  uint64_t reserved;
};
/// CUDA_CONDITIONAL_NODE_PARAMS.
struct ConditionCall {
  enum Kind : int { // CUgraphConditionalNodeType
    If,
    While,
    Switch
  };
  uint64_t handle;
  Kind kind;
  unsigned size;
  Graph **bodies; // that the driver makes
  Context *context;
};
/// CUDA_BATCH_MEM_OP_NODE_PARAMS.
struct MemoryOperations {
  static constexpr unsigned most = 255; // as an H200 has it
  Context *context;
  unsigned count;
  MemoryOperation *all;
  unsigned flags;
};
/// CUmemcpyAttributes.
struct CopyAttributes {
  int order; // CUmemcpySrcAccessOrder: 1 of the stream, 2 during the call, 3 any
  Location from, to;
  unsigned flags;
};
/// CUmemcpy3DOperand.
struct CopyOperand {
  static constexpr int pointer = 1, array = 2;
  int type;
  union {
    struct {
      DevicePointer address;
      size_t rowLength, layerHeight; // 0: as the extents say
      Location place;
    } memory;
    struct {
      void *array;
      size_t x, y, z;
    } array3d;
  };
};
/// CUDA_MEMCPY3D_BATCH_OP.
struct CopyOfBatch {
  CopyOperand from, to;
  size_t width, height, depth; // bytes, rows, slices
  int order;
  unsigned flags;
};
/// CUgraphEdgeData.
struct EdgeData {
  unsigned char fromPort, toPort, type, reserved[5];

  /// CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, from CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC.
  static constexpr EdgeData programmatic() { return {1, 0, 1, {}}; }
  bool isProgrammatic() const { return type == 1; }
  bool isPlain() const { return !fromPort && !toPort && !type; }
};
/// CUgraphNodeType.
enum class NodeType : int {
  Kernel,
  Copy,
  Fill,
  Host,
  Child,
  Empty,
  WaitEvent,
  RecordEvent,
  SignalSemaphore,
  WaitSemaphore,
  Allocate,
  Free,
  BatchMemory,
  Conditional
};
/// CUgraphNodeParams.
struct NodeParameters {
  NodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelCall kernel;
    struct {
      int flags, reserved;
      Context *context;
      Copy3d copy;
    } copy; // CUDA_MEMCPY_NODE_PARAMS
    Fill fill;
    HostCall host;
    Graph *child;
    Event *event;
    AllocateCall allocate;
    DevicePointer free;
    MemoryOperations memory;
    ConditionCall condition;
  };
  long long reserved2;
};
/// CUgraphExecUpdateResultInfo.
struct UpdateResult {
  int result;
  GraphNode *node, *from;
};
/// CUDA_GRAPH_INSTANTIATE_PARAMS.
struct InstantiateParameters {
  uint64_t flags;
  Stream *upload;
  GraphNode *failed;
  int result;
};
/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3], block[3], sharedBytes;
  Stream *stream = nullptr;
  LaunchAttribute *attributes = nullptr;
  unsigned attributeCount = 0;
};
/// CUdevprop.
struct DeviceProperties {
  int maxThreadsPerBlock, maxBlock[3], maxGrid[3], sharedPerBlock, constantBytes, warpSize,
      maxPitch, registersPerBlock, clockRate, textureAlignment;
};
/// CUgraphMem_attribute.
enum class GraphMemoryAttribute : int {
  Used,
  MostUsed,
  Kept,
  MostKept
};
/// CUpointer_attribute.
enum class PointerAttribute : int {
  Context = 1,
  MemoryType = 2,
  DevicePointer = 3,
  HostPointer = 4,
  SyncMemops = 6,
  BufferId = 7,
  IsManaged = 8,
  DeviceOrdinal = 9,
  LegacyIpc = 10,
  RangeStart = 11,
  RangeSize = 12,
  Mapped = 13,
  HandleTypes = 14,
  DirectRdma = 15,
  AccessFlags = 16,
  Pool = 17,
  MappingSize = 18,
  MappingBase = 19,
  BlockId = 20,
  HardwareDecompress = 21
};

/// CU_STREAM_LEGACY and CU_STREAM_PER_THREAD: handles that do not point to anything.
inline Stream *const legacyStream = reinterpret_cast<Stream *>(1);
inline Stream *const perThreadStream = reinterpret_cast<Stream *>(2);

} // namespace tessera::cuda_driver

/// A function of the driver's interface: `CUDA_API(cuInit)(unsigned flags) { ... }`. Functions.def
/// has a row for each.
#define CUDA_API(name)                                                                             \
  extern "C" __attribute__((visibility("default"))) tessera::cuda_driver::Code name
