// What we declare ourselves against NVIDIA's headers, where they are installed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Functions.h"
#include "tessera/cuda_driver/Gpu.h"
#include "tessera/cuda_driver/Types.h"
#include "tessera/cuda_runtime/Types.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)
#include <algorithm>
#include <cuda.h>
#include <driver_types.h>
#include <fstream>
#include <regex>
#include <sstream>

namespace {
namespace ours = tessera::cuda_driver;
namespace runtime = tessera::cuda_runtime;

#define SAME(mine, theirs) static_assert(sizeof(mine) == sizeof(theirs))
#define PLACE(mine, member, theirs, original)                                                      \
  static_assert(offsetof(mine, member) == offsetof(theirs, original))
SAME(ours::Uuid, CUuuid);
SAME(ours::Copy3d, CUDA_MEMCPY3D);
PLACE(ours::Copy3d, from.pitch, CUDA_MEMCPY3D, srcPitch);
PLACE(ours::Copy3d, to.device, CUDA_MEMCPY3D, dstDevice);
PLACE(ours::Copy3d, width, CUDA_MEMCPY3D, WidthInBytes);
SAME(ours::Copy3d, CUDA_MEMCPY3D_PEER);
SAME(ours::Copy2d, CUDA_MEMCPY2D);
PLACE(ours::Copy2d, to.pitch, CUDA_MEMCPY2D, dstPitch);
SAME(ours::Fill, CUDA_MEMSET_NODE_PARAMS_v2);
PLACE(ours::Fill, context, CUDA_MEMSET_NODE_PARAMS_v2, ctx);
SAME(ours::HostCall, CUDA_HOST_NODE_PARAMS);
SAME(ours::KernelCall, CUDA_KERNEL_NODE_PARAMS_v2);
PLACE(ours::KernelCall, arguments, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
static_assert(offsetof(ours::KernelCall, kernel) == sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
SAME(ours::PoolProperties, CUmemPoolProps);
SAME(ours::MemoryProperties, CUmemAllocationProp);
PLACE(ours::MemoryProperties, usage, CUmemAllocationProp, allocFlags.usage);
SAME(ours::AccessOf, CUmemAccessDesc);
SAME(ours::AllocateCall, CUDA_MEM_ALLOC_NODE_PARAMS);
SAME(ours::MemoryOperation, CUstreamBatchMemOpParams);
PLACE(ours::MemoryOperation, value, CUstreamBatchMemOpParams, waitValue.value64);
PLACE(ours::MemoryOperation, flags, CUstreamBatchMemOpParams, writeValue.flags);
PLACE(ours::MemoryOperation, flagsOfBarrier, CUstreamBatchMemOpParams, memoryBarrier.flags);
static_assert(int(ours::MemoryOperation::Barrier) == CU_STREAM_MEM_OP_BARRIER);
SAME(ours::MemoryOperations, CUDA_BATCH_MEM_OP_NODE_PARAMS);
SAME(ours::ConditionCall, CUDA_CONDITIONAL_NODE_PARAMS);
PLACE(ours::ConditionCall, bodies, CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out);
PLACE(ours::ConditionCall, bodies, cudaConditionalNodeParams, phGraph_out);
static_assert(int(ours::ConditionCall::Switch) == CU_GRAPH_COND_TYPE_SWITCH);
SAME(ours::CopyAttributes, CUmemcpyAttributes);
SAME(ours::CopyAttributes, cudaMemcpyAttributes);
SAME(ours::CopyOfBatch, CUDA_MEMCPY3D_BATCH_OP);
SAME(ours::CopyOfBatch, cudaMemcpy3DBatchOp);
PLACE(ours::CopyOfBatch, to, CUDA_MEMCPY3D_BATCH_OP, dst);
PLACE(ours::CopyOfBatch, order, CUDA_MEMCPY3D_BATCH_OP, srcAccessOrder);
PLACE(ours::CopyOperand, memory.layerHeight, CUmemcpy3DOperand, op.ptr.layerHeight);
static_assert(int(ours::GraphMemoryAttribute::MostKept) == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
SAME(ours::EdgeData, CUgraphEdgeData);
SAME(ours::NodeParameters, CUgraphNodeParams);
PLACE(ours::NodeParameters, kernel, CUgraphNodeParams, kernel);
PLACE(ours::NodeParameters, copy.copy, CUgraphNodeParams, memcpy.copyParams);
SAME(ours::UpdateResult, CUgraphExecUpdateResultInfo);
SAME(ours::InstantiateParameters, CUDA_GRAPH_INSTANTIATE_PARAMS);
SAME(ours::LaunchConfig, CUlaunchConfig);
PLACE(ours::LaunchConfig, attributes, CUlaunchConfig, attrs);
SAME(ours::DeviceProperties, CUdevprop);
static_assert(int(ours::NodeType::Conditional) == CU_GRAPH_NODE_TYPE_CONDITIONAL);
static_assert(int(ours::PointerAttribute::HardwareDecompress) ==
              CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE);
static_assert(int(ours::Code::GraphUpdate) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
static_assert(int(ours::Code::CaptureImplicit) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
static_assert(int(ours::Code::InvalidHandle) == CUDA_ERROR_INVALID_HANDLE);

SAME(runtime::Dim3, dim3);
SAME(runtime::Extent, cudaExtent);
SAME(runtime::Pitched, cudaPitchedPtr);
SAME(runtime::VolumeCopy, cudaMemcpy3DParms);
PLACE(runtime::VolumeCopy, to.pointer, cudaMemcpy3DParms, dstPtr);
PLACE(runtime::VolumeCopy, kind, cudaMemcpy3DParms, kind);
SAME(runtime::MemsetCall, cudaMemsetParams);
SAME(runtime::KernelNode, cudaKernelNodeParams);
PLACE(runtime::KernelNode, arguments, cudaKernelNodeParams, kernelParams);
SAME(runtime::NodeCall, cudaGraphNodeParams);
PLACE(runtime::NodeCall, copy.copy, cudaGraphNodeParams, memcpy.copyParams);
SAME(runtime::ChannelFormat, cudaChannelFormatDesc);
PLACE(runtime::ChannelFormat, kind, cudaChannelFormatDesc, f);
SAME(runtime::Launch, cudaLaunchConfig_t);
PLACE(runtime::Launch, attributes, cudaLaunchConfig_t, attrs);
SAME(runtime::FunctionAttributes, cudaFuncAttributes);
PLACE(runtime::FunctionAttributes, nonPortableClusterAllowed, cudaFuncAttributes,
      nonPortableClusterSizeAllowed);
SAME(runtime::PointerAttributes, cudaPointerAttributes);
SAME(runtime::Properties, cudaDeviceProp);
#define PROPERTY(member, number) PLACE(runtime::Properties, member, cudaDeviceProp, member);
#include "tessera/cuda_runtime/Properties.def"
#undef PROPERTY

TEST(Header, NumbersAreCudas) {
#define ATTRIBUTE(number, name, value) EXPECT_EQ(number, CU_DEVICE_ATTRIBUTE_##name);
#include "tessera/cuda_driver/Attributes.def"
#undef ATTRIBUTE
#define RESULT(number, name) EXPECT_EQ(number, int(name));
#include "tessera/cuda_runtime/Results.def"
#undef RESULT
}

TEST(Header, EveryFunctionOfTheDriverIsThere) {
  std::stringstream text;
  text << std::ifstream(TESSERA_CUDA_HEADERS "/cuda.h").rdbuf();
  std::string header = text.str();
  std::regex declared("CUresult CUDAAPI (cu[A-Z]\\w*)\\(");
  int count = 0;
  for (std::sregex_iterator i(header.begin(), header.end(), declared), end; i != end; ++i) {
    std::string name = (*i)[1];
    if (name.ends_with("_ptsz") || name.ends_with("_ptds"))
      continue; // declared for the driver itself
    bool isKnown = false;
    ours::findFunction(name, 99000, isKnown);
    isKnown |= std::ranges::any_of(ours::functionRows(),
                                   [&](const auto &row) { return row.symbol == name; });
    EXPECT_TRUE(isKnown) << name;
    ++count;
  }
  EXPECT_GT(count, 400);
}

} // namespace
#endif
