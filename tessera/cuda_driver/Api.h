// Api: the functions of the driver's interface that are implemented, for callers in C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each does is what NVIDIA's driver API says of it; Functions.def has their versions.
#pragma once

#include "tessera/cuda_driver/Types.h"

namespace tessera::cuda_driver {
extern "C" {
using SharedOfBlock = size_t (*)(int threads); // CUoccupancyB2DSize

// api/Advice.cpp
Code cuMemAdvise(DevicePointer start, size_t bytes, int counsel, DeviceOrdinal device);
Code cuMemAdvise_v2(DevicePointer start, size_t bytes, int counsel, Location place);
Code cuMemPrefetchAsync(DevicePointer start, size_t bytes, DeviceOrdinal device, Stream *);
Code cuMemPrefetchAsync_v2(DevicePointer start, size_t bytes, Location place, unsigned, Stream *);
Code cuMemRangeGetAttribute(void *out, size_t size, int which, DevicePointer start, size_t bytes);
Code cuMemRangeGetAttributes(void **out, size_t *sizes, int *which, size_t count,
                             DevicePointer start, size_t bytes);

// api/Contexts.cpp
Code cuDevicePrimaryCtxRetain(Context **context, DeviceOrdinal device);
Code cuDevicePrimaryCtxRelease(DeviceOrdinal device);
Code cuDevicePrimaryCtxRelease_v2(DeviceOrdinal device);
Code cuDevicePrimaryCtxReset(DeviceOrdinal device);
Code cuDevicePrimaryCtxReset_v2(DeviceOrdinal device);
Code cuDevicePrimaryCtxSetFlags(DeviceOrdinal device, unsigned flags);
Code cuDevicePrimaryCtxSetFlags_v2(DeviceOrdinal device, unsigned flags);
Code cuDevicePrimaryCtxGetState(DeviceOrdinal device, unsigned *flags, int *isActive);
Code cuCtxCreate_v2(Context **context, unsigned flags, DeviceOrdinal device);
Code cuCtxCreate_v3(Context **context, void *, int, unsigned flags, DeviceOrdinal device);
Code cuCtxCreate_v4(Context **context, void *, unsigned flags, DeviceOrdinal device);
Code cuCtxDestroy_v2(Context *context);
Code cuCtxSetCurrent(Context *context);
Code cuCtxGetCurrent(Context **context);
Code cuCtxPushCurrent_v2(Context *context);
Code cuCtxPopCurrent_v2(Context **context);
Code cuCtxGetDevice(DeviceOrdinal *device);
Code cuCtxGetDevice_v2(DeviceOrdinal *device, Context *);
Code cuCtxGetFlags(unsigned *flags);
Code cuCtxSetFlags(unsigned flags);
Code cuCtxGetId(Context *context, unsigned long long *id);
Code cuCtxSynchronize();
Code cuCtxSynchronize_v2(Context *);
Code cuCtxGetApiVersion(Context *, unsigned *version);
Code cuCtxGetStreamPriorityRange(int *least, int *greatest);
Code cuCtxGetLimit(size_t *value, int limit);
Code cuCtxSetLimit(int limit, size_t value);
Code cuCtxGetCacheConfig(int *config);
Code cuCtxSetCacheConfig(int);
Code cuCtxGetSharedMemConfig(int *config);
Code cuCtxSetSharedMemConfig(int);
Code cuCtxResetPersistingL2Cache();

// api/Copies.cpp
Code cuMemcpy(DevicePointer to, DevicePointer from, size_t bytes);
Code cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream);
Code cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes);
Code cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes);
Code cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, size_t bytes);
Code cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from, size_t bytes, Stream *stream);
Code cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes, Stream *stream);
Code cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes, Stream *stream);
Code cuMemcpyPeer(DevicePointer to, Context *, DevicePointer from, Context *, size_t bytes);
Code cuMemcpyPeerAsync(DevicePointer to, Context *, DevicePointer from, Context *, size_t bytes,
                       Stream *stream);
Code cuMemcpy2D_v2(const Copy2d *copy);
Code cuMemcpy2DUnaligned_v2(const Copy2d *copy);
Code cuMemcpy2DAsync_v2(const Copy2d *copy, Stream *stream);
Code cuMemcpy3D_v2(const Copy3d *copy);
Code cuMemcpy3DAsync_v2(const Copy3d *copy, Stream *stream);
Code cuMemcpy3DPeer(const Copy3d *copy);
Code cuMemcpy3DPeerAsync(const Copy3d *copy, Stream *stream);
Code cuMemcpyBatchAsync_v2(const DevicePointer *to, const DevicePointer *from, const size_t *bytes,
                           size_t count, const CopyAttributes *attributes, const size_t *begins,
                           size_t attributeCount, Stream *stream);
Code cuMemcpy3DBatchAsync_v2(size_t count, const CopyOfBatch *copies, unsigned long long flags,
                             Stream *stream);
Code cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t count);
Code cuMemsetD16_v2(DevicePointer to, unsigned short value, size_t count);
Code cuMemsetD32_v2(DevicePointer to, unsigned value, size_t count);
Code cuMemsetD8Async(DevicePointer to, unsigned char value, size_t count, Stream *stream);
Code cuMemsetD16Async(DevicePointer to, unsigned short value, size_t count, Stream *stream);
Code cuMemsetD32Async(DevicePointer to, unsigned value, size_t count, Stream *stream);
Code cuMemsetD2D8_v2(DevicePointer to, size_t pitch, unsigned char value, size_t width,
                     size_t height);
Code cuMemsetD2D16_v2(DevicePointer to, size_t pitch, unsigned short value, size_t width,
                      size_t height);
Code cuMemsetD2D32_v2(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height);
Code cuMemsetD2D8Async(DevicePointer to, size_t pitch, unsigned char value, size_t width,
                       size_t height, Stream *stream);
Code cuMemsetD2D16Async(DevicePointer to, size_t pitch, unsigned short value, size_t width,
                        size_t height, Stream *stream);
Code cuMemsetD2D32Async(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height,
                        Stream *stream);

// api/Devices.cpp
Code cuInit(unsigned flags);
Code cuDriverGetVersion(int *version);
Code cuGetErrorName(Code code, const char **name);
Code cuGetErrorString(Code code, const char **text);
Code cuDeviceGetCount(int *count);
Code cuDeviceGet(DeviceOrdinal *device, int ordinal);
Code cuDeviceGetName(char *name, int length, DeviceOrdinal device);
Code cuDeviceGetUuid(Uuid *uuid, DeviceOrdinal device);
Code cuDeviceGetUuid_v2(Uuid *uuid, DeviceOrdinal device);
Code cuDeviceTotalMem_v2(size_t *bytes, DeviceOrdinal device);
Code cuDeviceGetAttribute(int *value, int number, DeviceOrdinal device);
Code cuDeviceGetProperties(DeviceProperties *out, DeviceOrdinal device);
Code cuDeviceComputeCapability(int *major, int *minor, DeviceOrdinal device);
Code cuDeviceGetPCIBusId(char *text, int length, DeviceOrdinal device);
Code cuDeviceGetByPCIBusId(DeviceOrdinal *device, const char *text);
Code cuDeviceCanAccessPeer(int *can, DeviceOrdinal, DeviceOrdinal);
Code cuDeviceGetExecAffinitySupport(int *has, int, DeviceOrdinal device);
Code cuProfilerStart();
Code cuProfilerStop();

// api/Exports.cpp
Code cuGetExportTable(const void **table, const Uuid *);

// api/Graphs.cpp
Code cuGraphCreate(Graph **graph, unsigned);
Code cuGraphDestroy(Graph *graph);
Code cuGraphClone(Graph **out, Graph *graph);
Code cuGraphNodeFindInClone(GraphNode **out, GraphNode *node, Graph *clone);
Code cuGraphAddNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                    NodeParameters *parameters);
Code cuGraphConditionalHandleCreate(uint64_t *handle, Graph *graph, Context *, unsigned first,
                                    unsigned flags);
Code cuGraphAddNode_v2(GraphNode **out, Graph *graph, GraphNode *const *after, const EdgeData *,
                       size_t count, NodeParameters *parameters);
Code cuGraphAddKernelNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                          const KernelCall *kernel);
Code cuGraphAddKernelNode_v2(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                             const KernelCall *kernel);
Code cuGraphAddMemcpyNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                          const Copy3d *copy, Context *);
Code cuGraphAddMemsetNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                          const Fill *fill, Context *);
Code cuGraphAddHostNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                        const HostCall *host);
Code cuGraphAddEmptyNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count);
Code cuGraphAddChildGraphNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                              Graph *child);
Code cuGraphAddEventRecordNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                               Event *event);
Code cuGraphAddEventWaitNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                             Event *event);
Code cuGraphAddMemAllocNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                            AllocateCall *allocate);
Code cuGraphAddMemFreeNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                           DevicePointer pointer);
Code cuGraphDestroyNode(GraphNode *node);
Code cuGraphNodeGetType(GraphNode *node, NodeType *type);
Code cuGraphKernelNodeGetParams(GraphNode *node, KernelCall *out);
Code cuGraphKernelNodeGetParams_v2(GraphNode *node, KernelCall *out);
Code cuGraphKernelNodeSetParams(GraphNode *node, const KernelCall *kernel);
Code cuGraphKernelNodeSetParams_v2(GraphNode *node, const KernelCall *kernel);
Code cuGraphKernelNodeSetAttribute(GraphNode *node, LaunchAttributeId id,
                                   const LaunchAttribute::Value *value);
Code cuGraphKernelNodeGetAttribute(GraphNode *node, LaunchAttributeId id,
                                   LaunchAttribute::Value *value);
Code cuGraphMemcpyNodeGetParams(GraphNode *node, Copy3d *out);
Code cuGraphMemcpyNodeSetParams(GraphNode *node, const Copy3d *copy);
Code cuGraphMemsetNodeGetParams(GraphNode *node, Fill *out);
Code cuGraphMemsetNodeSetParams(GraphNode *node, const Fill *fill);
Code cuGraphHostNodeGetParams(GraphNode *node, HostCall *out);
Code cuGraphHostNodeSetParams(GraphNode *node, const HostCall *host);
Code cuGraphChildGraphNodeGetGraph(GraphNode *node, Graph **graph);
Code cuGraphEventRecordNodeGetEvent(GraphNode *node, Event **event);
Code cuGraphEventWaitNodeGetEvent(GraphNode *node, Event **event);
Code cuGraphEventRecordNodeSetEvent(GraphNode *node, Event *event);
Code cuGraphEventWaitNodeSetEvent(GraphNode *node, Event *event);
Code cuGraphMemAllocNodeGetParams(GraphNode *node, AllocateCall *out);
Code cuGraphMemFreeNodeGetParams(GraphNode *node, DevicePointer *out);
Code cuGraphKernelNodeCopyAttributes(GraphNode *to, GraphNode *from);
Code cuGraphNodeSetParams(GraphNode *node, NodeParameters *parameters);
Code cuGraphDebugDotPrint(Graph *graph, const char *path, unsigned flags);
Code cuGraphGetNodes(Graph *graph, GraphNode **out, size_t *count);
Code cuGraphGetRootNodes(Graph *graph, GraphNode **out, size_t *count);
Code cuGraphGetEdges(Graph *graph, GraphNode **from, GraphNode **to, size_t *count);
Code cuGraphGetEdges_v2(Graph *graph, GraphNode **from, GraphNode **to, EdgeData *data,
                        size_t *count);
Code cuGraphNodeGetDependencies(GraphNode *node, GraphNode **out, size_t *count);
Code cuGraphNodeGetDependencies_v2(GraphNode *node, GraphNode **out, EdgeData *data, size_t *count);
Code cuGraphNodeGetDependentNodes(GraphNode *node, GraphNode **out, size_t *count);
Code cuGraphNodeGetDependentNodes_v2(GraphNode *node, GraphNode **out, EdgeData *data,
                                     size_t *count);
Code cuGraphAddDependencies(Graph *graph, GraphNode *const *from, GraphNode *const *to,
                            size_t count);
Code cuGraphAddDependencies_v2(Graph *graph, GraphNode *const *from, GraphNode *const *to,
                               const EdgeData *, size_t count);
Code cuGraphRemoveDependencies(Graph *graph, GraphNode *const *from, GraphNode *const *to,
                               size_t count);
Code cuGraphRemoveDependencies_v2(Graph *graph, GraphNode *const *from, GraphNode *const *to,
                                  const EdgeData *, size_t count);
Code cuGraphInstantiate_v2(GraphExec **out, Graph *graph, GraphNode **failed, char *log,
                           size_t size);
Code cuGraphInstantiateWithFlags(GraphExec **out, Graph *graph, unsigned long long);
Code cuGraphInstantiateWithParams(GraphExec **out, Graph *graph, InstantiateParameters *parameters);
Code cuGraphExecGetFlags(GraphExec *, unsigned long long *flags);
Code cuGraphExecDestroy(GraphExec *executable);
Code cuGraphUpload(GraphExec *, Stream *);
Code cuGraphLaunch(GraphExec *executable, Stream *handle);
Code cuGraphExecUpdate_v2(GraphExec *executable, Graph *graph, UpdateResult *result);
Code cuGraphExecUpdate(GraphExec *executable, Graph *graph, GraphNode **failed, int *result);
Code cuGraphExecKernelNodeSetParams(GraphExec *executable, GraphNode *node,
                                    const KernelCall *kernel);
Code cuGraphExecKernelNodeSetParams_v2(GraphExec *executable, GraphNode *node,
                                       const KernelCall *kernel);
Code cuGraphExecMemcpyNodeSetParams(GraphExec *executable, GraphNode *node, const Copy3d *copy,
                                    Context *);
Code cuGraphExecMemsetNodeSetParams(GraphExec *executable, GraphNode *node, const Fill *fill,
                                    Context *);
Code cuGraphExecHostNodeSetParams(GraphExec *executable, GraphNode *node, const HostCall *host);
Code cuGraphExecEventRecordNodeSetEvent(GraphExec *executable, GraphNode *node, Event *event);
Code cuGraphExecEventWaitNodeSetEvent(GraphExec *executable, GraphNode *node, Event *event);
Code cuGraphExecChildGraphNodeSetParams(GraphExec *executable, GraphNode *node, Graph *child);
Code cuGraphExecNodeSetParams(GraphExec *executable, GraphNode *node, NodeParameters *parameters);
Code cuGraphNodeSetEnabled(GraphExec *executable, GraphNode *node, unsigned isEnabled);
Code cuGraphNodeGetEnabled(GraphExec *executable, GraphNode *node, unsigned *isEnabled);
Code cuUserObjectCreate(UserObject **out, void *object, HostFunction destroy, unsigned references,
                        unsigned);
Code cuUserObjectRetain(UserObject *object, unsigned count);
Code cuUserObjectRelease(UserObject *object, unsigned count);
Code cuGraphRetainUserObject(Graph *graph, UserObject *object, unsigned count, unsigned flags);
Code cuGraphReleaseUserObject(Graph *graph, UserObject *object, unsigned count);

// api/Launches.cpp
Code cuLaunchKernel(Kernel *kernel, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                    unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream *stream,
                    void **arguments, void **extra);
Code cuLaunchKernelEx(const LaunchConfig *config, Kernel *kernel, void **arguments, void **extra);
Code cuLaunchCooperativeKernel(Kernel *kernel, unsigned gridX, unsigned gridY, unsigned gridZ,
                               unsigned blockX, unsigned blockY, unsigned blockZ,
                               unsigned sharedBytes, Stream *stream, void **arguments);
Code cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, Kernel *kernel, int threads,
                                                 size_t sharedBytes);
Code cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, Kernel *kernel, int threads,
                                                          size_t sharedBytes, unsigned);
Code cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel *kernel, SharedOfBlock sharedOf,
                                      size_t shared, int limit);
Code cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Kernel *kernel,
                                               SharedOfBlock sharedOf, size_t shared, int limit,
                                               unsigned);
Code cuOccupancyAvailableDynamicSMemPerBlock(size_t *out, Kernel *kernel, int blocks, int threads);
Code cuOccupancyMaxPotentialClusterSize(int *out, Kernel *kernel, const LaunchConfig *);
Code cuOccupancyMaxActiveClusters(int *out, Kernel *kernel, const LaunchConfig *config);
Code cuTensorMapEncodeTiled(TensorMap *out, int type, unsigned rank, void *address,
                            const uint64_t *dims, const uint64_t *strides, const unsigned *box,
                            const unsigned *steps, int interleave, int swizzle, int promotion,
                            int fill);
Code cuTensorMapEncodeIm2col(TensorMap *out, int type, unsigned rank, void *address,
                             const uint64_t *dims, const uint64_t *strides, const int *lower,
                             const int *upper, unsigned channels, unsigned pixels,
                             const unsigned *steps, int interleave, int swizzle, int promotion,
                             int fill);
Code cuTensorMapEncodeIm2colWide(TensorMap *out, int type, unsigned rank, void *address,
                                 const uint64_t *dims, const uint64_t *strides, int lower,
                                 int upper, unsigned channels, unsigned pixels,
                                 const unsigned *steps, int interleave, int mode, int swizzle,
                                 int promotion, int fill);
Code cuTensorMapReplaceAddress(TensorMap *map, void *address);

// api/Memory.cpp
Code cuMemGetInfo_v2(size_t *free, size_t *total);
Code cuMemAlloc_v2(DevicePointer *out, size_t bytes);
Code cuMemAllocPitch_v2(DevicePointer *out, size_t *pitch, size_t width, size_t height, unsigned);
Code cuMemFree_v2(DevicePointer address);
Code cuMemGetAddressRange_v2(DevicePointer *start, size_t *bytes, DevicePointer address);
Code cuMemAllocManaged(DevicePointer *out, size_t bytes, unsigned);
Code cuMemAllocHost_v2(void **out, size_t bytes);
Code cuMemHostAlloc(void **out, size_t bytes, unsigned);
Code cuMemFreeHost(void *pointer);
Code cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned);
Code cuMemHostUnregister(void *pointer);
Code cuMemHostGetDevicePointer_v2(DevicePointer *out, void *pointer, unsigned);
Code cuMemHostGetFlags(unsigned *flags, void *pointer);
Code cuStreamAttachMemAsync(Stream *, DevicePointer, size_t, unsigned);
Code cuPointerGetAttribute(void *out, PointerAttribute which, DevicePointer address);
Code cuPointerGetAttributes(unsigned count, PointerAttribute *which, void **out,
                            DevicePointer address);
Code cuPointerSetAttribute(const void *, PointerAttribute, DevicePointer);
Code cuDeviceGetDefaultMemPool(Pool **pool, DeviceOrdinal);
Code cuDeviceGetMemPool(Pool **pool, DeviceOrdinal);
Code cuDeviceSetMemPool(DeviceOrdinal, Pool *pool);
Code cuMemPoolCreate(Pool **pool, const PoolProperties *);
Code cuMemPoolDestroy(Pool *pool);
Code cuMemPoolTrimTo(Pool *pool, size_t);
Code cuMemPoolSetAttribute(Pool *pool, int which, void *value);
Code cuMemPoolGetAttribute(Pool *pool, int which, void *value);
Code cuMemPoolSetAccess(Pool *, const void *, size_t);
Code cuMemPoolGetAccess(int *flags, Pool *, Location *);
Code cuMemAllocAsync(DevicePointer *out, size_t bytes, Stream *stream);
Code cuMemAllocFromPoolAsync(DevicePointer *out, size_t bytes, Pool *pool, Stream *stream);
Code cuMemFreeAsync(DevicePointer address, Stream *handle);
Code cuDeviceGraphMemTrim(DeviceOrdinal);
Code cuDeviceGetGraphMemAttribute(DeviceOrdinal device, GraphMemoryAttribute which, void *value);
Code cuDeviceSetGraphMemAttribute(DeviceOrdinal device, GraphMemoryAttribute which, void *value);

// api/MemoryOperations.cpp
Code cuStreamWaitValue32_v2(Stream *stream, DevicePointer address, uint32_t value, unsigned flags);
Code cuStreamWaitValue64_v2(Stream *stream, DevicePointer address, uint64_t value, unsigned flags);
Code cuStreamWriteValue32_v2(Stream *stream, DevicePointer address, uint32_t value, unsigned flags);
Code cuStreamWriteValue64_v2(Stream *stream, DevicePointer address, uint64_t value, unsigned flags);
Code cuStreamBatchMemOp_v2(Stream *stream, unsigned count, MemoryOperation *operations,
                           unsigned flags);
Code cuGraphAddBatchMemOpNode(GraphNode **out, Graph *graph, GraphNode *const *after, size_t count,
                              const MemoryOperations *operations);
Code cuGraphBatchMemOpNodeGetParams(GraphNode *node, MemoryOperations *out);
Code cuGraphBatchMemOpNodeSetParams(GraphNode *node, const MemoryOperations *operations);
Code cuGraphExecBatchMemOpNodeSetParams(GraphExec *executable, GraphNode *node,
                                        const MemoryOperations *operations);

// api/Modules.cpp
Code cuModuleLoadData(Module **module, const void *image);
Code cuModuleLoadDataEx(Module **module, const void *image, unsigned count, const int *options,
                        void **values);
Code cuModuleLoadFatBinary(Module **module, const void *image);
Code cuModuleLoad(Module **module, const char *path);
Code cuModuleUnload(Module *module);
Code cuModuleGetFunction(Kernel **kernel, Module *module, const char *name);
Code cuModuleGetFunctionCount(unsigned *count, Module *module);
Code cuModuleEnumerateFunctions(Kernel **kernels, unsigned count, Module *module);
Code cuModuleGetGlobal_v2(DevicePointer *address, size_t *bytes, Module *module, const char *name);
Code cuModuleGetLoadingMode(int *mode);
Code cuLinkCreate(unsigned count, const int *options, void **values, Linkage **out);
Code cuLinkCreate_v2(unsigned count, const int *options, void **values, Linkage **out);
Code cuLinkAddData(Linkage *, int type, const void *data, size_t size, const char *name,
                   unsigned count, const int *options, void **values);
Code cuLinkAddData_v2(Linkage *, int type, const void *data, size_t size, const char *, unsigned,
                      const int *, void **);
Code cuLinkAddFile(Linkage *, int type, const char *path, unsigned count, const int *options,
                   void **values);
Code cuLinkAddFile_v2(Linkage *, int, const char *path, unsigned, const int *, void **);
Code cuLinkComplete(Linkage *, void **image, size_t *size);
Code cuLinkDestroy(Linkage *);
Code cuLibraryLoadData(Library **library, const void *image, void *, void **, unsigned, void *,
                       void **, unsigned);
Code cuLibraryLoadFromFile(Library **library, const char *path, void *, void **, unsigned, void *,
                           void **, unsigned);
Code cuLibraryUnload(Library *library);
Code cuLibraryGetModule(Module **out, Library *library);
Code cuLibraryGetKernel(Kernel **kernel, Library *library, const char *name);
Code cuLibraryGetKernelCount(unsigned *count, Library *library);
Code cuLibraryEnumerateKernels(Kernel **kernels, unsigned count, Library *library);
Code cuLibraryGetGlobal(DevicePointer *address, size_t *bytes, Library *library, const char *name);
Code cuLibraryGetManaged(DevicePointer *address, size_t *bytes, Library *library, const char *name);
Code cuKernelGetFunction(Kernel **function, Kernel *kernel);
Code cuKernelGetLibrary(Library **, Kernel *);
Code cuFuncGetModule(Module **module, Kernel *kernel);
Code cuFuncGetAttribute(int *value, FunctionAttribute which, Kernel *kernel);
Code cuKernelGetAttribute(int *value, FunctionAttribute which, Kernel *kernel, DeviceOrdinal);
Code cuFuncSetAttribute(Kernel *kernel, FunctionAttribute which, int value);
Code cuKernelSetAttribute(FunctionAttribute which, int value, Kernel *kernel, DeviceOrdinal);
Code cuFuncGetParamInfo(Kernel *kernel, size_t index, size_t *offset, size_t *size);
Code cuKernelGetParamInfo(Kernel *kernel, size_t index, size_t *offset, size_t *size);
Code cuFuncGetName(const char **name, Kernel *kernel);
Code cuKernelGetName(const char **name, Kernel *kernel);
Code cuFuncSetCacheConfig(Kernel *, int);
Code cuKernelSetCacheConfig(Kernel *, int, DeviceOrdinal);
Code cuFuncSetSharedMemConfig(Kernel *, int);
Code cuFuncIsLoaded(int *state, Kernel *);
Code cuFuncLoad(Kernel *);

// api/Procs.cpp
Code cuGetProcAddress(const char *name, void (**out)(), int version, uint64_t flags);
Code cuGetProcAddress_v2(const char *name, void (**out)(), int version, uint64_t flags,
                         int *result);

// api/Streams.cpp
Code cuStreamCreate(Stream **stream, unsigned flags);
Code cuStreamCreateWithPriority(Stream **stream, unsigned flags, int priority);
Code cuStreamDestroy_v2(Stream *stream);
Code cuStreamSynchronize(Stream *handle);
Code cuStreamQuery(Stream *handle);
Code cuStreamGetPriority(Stream *handle, int *priority);
Code cuStreamGetFlags(Stream *handle, unsigned *flags);
Code cuStreamGetId(Stream *handle, unsigned long long *id);
Code cuStreamGetCtx(Stream *handle, Context **context);
Code cuStreamGetDevice(Stream *handle, DeviceOrdinal *device);
Code cuStreamCopyAttributes(Stream *to, Stream *from);
Code cuStreamSetAttribute(Stream *handle, int, const void *);
Code cuStreamGetAttribute(Stream *handle, int, void *value);
Code cuLaunchHostFunc(Stream *stream, HostFunction function, void *data);
Code cuStreamAddCallback(Stream *handle, void (*function)(Stream *, Code, void *), void *data,
                         unsigned);
Code cuEventCreate(Event **event, unsigned flags);
Code cuEventDestroy_v2(Event *event);
Code cuEventRecord(Event *event, Stream *stream);
Code cuEventRecordWithFlags(Event *event, Stream *stream, unsigned);
Code cuEventQuery(Event *event);
Code cuEventSynchronize(Event *event);
Code cuEventElapsedTime(float *milliseconds, Event *start, Event *end);
Code cuEventElapsedTime_v2(float *milliseconds, Event *start, Event *end);
Code cuStreamWaitEvent(Stream *handle, Event *event, unsigned);
Code cuStreamBeginCapture_v2(Stream *stream, int mode);
Code cuStreamBeginCaptureToGraph(Stream *stream, Graph *graph, GraphNode *const *after,
                                 const EdgeData *, size_t count, int mode);
Code cuStreamEndCapture(Stream *handle, Graph **graph);
Code cuStreamIsCapturing(Stream *handle, int *status);
Code cuStreamGetCaptureInfo(Stream *handle, int *status, uint64_t *id);
Code cuStreamGetCaptureInfo_v2(Stream *handle, int *status, uint64_t *id, Graph **graph,
                               GraphNode *const **last, size_t *count);
Code cuStreamGetCaptureInfo_v3(Stream *handle, int *status, uint64_t *id, Graph **graph,
                               GraphNode *const **last, const EdgeData **edges, size_t *count);
Code cuStreamUpdateCaptureDependencies(Stream *stream, GraphNode **nodes, size_t count,
                                       unsigned flags);
Code cuStreamUpdateCaptureDependencies_v2(Stream *stream, GraphNode **nodes, const EdgeData *,
                                          size_t count, unsigned flags);
Code cuThreadExchangeStreamCaptureMode(int *mode);
}
} // namespace tessera::cuda_driver
