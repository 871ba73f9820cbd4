// Several copies, and several values in memory, by one call; the values also as a node of a graph.
// Link: cuda
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda.h>

#define DRIVER(call) REQUIRE((call) == CUDA_SUCCESS)

static void copies(cudaStream_t stream) {
  constexpr int size = 100;
  std::vector<int> a(size), b(size), firstHalf(size), all(size);
  for (int i = 0; i < size; ++i)
    a[i] = i, b[i] = i * i;
  int *x = nullptr, *y = nullptr;
  CHECK(cudaMalloc(&x, sizeof(int) * size));
  CHECK(cudaMalloc(&y, sizeof(int) * size));
  cudaMemcpyAttributes inOrder{};
  inOrder.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t begins = 0;
  const void *from[] = {a.data(), b.data()};
  void *to[] = {x, y};
  size_t bytes[] = {sizeof(int) * size, sizeof(int) * size};
  CHECK(cudaMemcpyBatchAsync(to, from, bytes, 2, &inOrder, &begins, 1, stream));
  const void *back[] = {x, y};
  void *host[] = {firstHalf.data(), all.data()};
  bytes[0] /= 2;
  CHECK(cudaMemcpyBatchAsync(host, back, bytes, 2, &inOrder, &begins, 1, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < size; ++i)
    REQUIRE(firstHalf[i] == (i < size / 2 ? i : 0) && all[i] == i * i);
  // Each copy needs attributes, the first ones from the first copy on.
  auto refused = [&](size_t attributes, size_t first, cudaMemcpySrcAccessOrder order) {
    cudaMemcpyAttributes how{};
    how.srcAccessOrder = order;
    return cudaMemcpyBatchAsync(to, from, bytes, 2, &how, &first, attributes, stream) ==
           cudaErrorInvalidValue;
  };
  REQUIRE(refused(0, 0, cudaMemcpySrcAccessOrderStream));
  REQUIRE(refused(1, 1, cudaMemcpySrcAccessOrderStream));
  REQUIRE(refused(1, 0, cudaMemcpySrcAccessOrderInvalid));

  // Boxes: rows of 40 bytes in layers of 5 become rows of 20 in layers of 3.
  cudaMemcpy3DBatchOp boxes[2] = {};
  boxes[0].src.type = boxes[0].dst.type = cudaMemcpyOperandTypePointer;
  boxes[0].src.op.ptr.ptr = x;
  boxes[0].src.op.ptr.rowLength = 40;
  boxes[0].src.op.ptr.layerHeight = 5;
  boxes[0].dst.op.ptr.ptr = y;
  boxes[0].dst.op.ptr.rowLength = 20;
  boxes[0].dst.op.ptr.layerHeight = 3;
  boxes[0].extent = make_cudaExtent(16, 3, 2);
  boxes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  boxes[1] = boxes[0];
  boxes[1].dst.op.ptr.ptr = y + 50;
  boxes[1].extent = make_cudaExtent(8, 2, 1);
  CHECK(cudaMemsetAsync(y, 0, sizeof(int) * size, stream));
  CHECK(cudaMemcpy3DBatchAsync(2, boxes, 0, stream));
  CHECK(cudaStreamSynchronize(stream));
  const auto *source = reinterpret_cast<const char *>(a.data());
  std::vector<char> expected(sizeof(int) * size);
  for (int z = 0; z < 2; ++z)
    for (int row = 0; row < 3; ++row)
      for (int i = 0; i < 16; ++i)
        expected[z * 60 + row * 20 + i] = source[z * 200 + row * 40 + i];
  for (int row = 0; row < 2; ++row)
    for (int i = 0; i < 8; ++i)
      expected[200 + row * 20 + i] = source[row * 40 + i];
  REQUIRE(download(reinterpret_cast<char *>(y), expected.size()) == expected);
}

static void values(cudaStream_t stream) {
  unsigned *memory = upload(std::vector<unsigned>(16));
  const auto at = reinterpret_cast<CUdeviceptr>(memory);
  CUstreamBatchMemOpParams all[3] = {};
  auto put = [&](unsigned value) {
    all[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    all[0].writeValue.address = at + 16;
    all[0].writeValue.value = value;
    all[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    all[1].waitValue.address = at + 16;
    all[1].waitValue.value = value;
    all[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    all[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    all[2].writeValue.address = at + 24;
    all[2].writeValue.value64 = uint64_t(value) << 32 | 1;
  };
  put(77);
  DRIVER(cuStreamBatchMemOp(stream, 3, all, 0));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(memory, 8) == std::vector<unsigned>({0, 0, 0, 0, 77, 0, 1, 77}));
  // What follows is what an H200 answered.
  REQUIRE(cuStreamBatchMemOp(stream, 0, all, 0) == CUDA_SUCCESS);
  REQUIRE(cuStreamBatchMemOp(stream, 1, all, 1) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuStreamWaitValue32(stream, at, 0, 16) == CUDA_ERROR_INVALID_VALUE);
  std::vector<CUstreamBatchMemOpParams> many(256, all[0]);
  REQUIRE(cuStreamBatchMemOp(stream, 256, many.data(), 0) == CUDA_ERROR_INVALID_VALUE);
  all[2].writeValue.address = at + 20; // not aligned
  REQUIRE(cuStreamBatchMemOp(stream, 3, all, 0) == CUDA_ERROR_INVALID_VALUE);

  CUgraph graph;
  CUcontext context;
  CUgraphNode node;
  DRIVER(cuGraphCreate(&graph, 0));
  DRIVER(cuCtxGetCurrent(&context));
  put(99);
  CUDA_BATCH_MEM_OP_NODE_PARAMS batch{context, 3, all, 0};
  DRIVER(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &batch));
  CUgraphNodeType type;
  DRIVER(cuGraphNodeGetType(node, &type));
  CUDA_BATCH_MEM_OP_NODE_PARAMS is{};
  DRIVER(cuGraphBatchMemOpNodeGetParams(node, &is));
  REQUIRE(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP && is.count == 3 && is.ctx == context);
  REQUIRE(is.paramArray[0].writeValue.value == 99);
  CUgraphExec executable;
  DRIVER(cuGraphInstantiate(&executable, graph, 0));
  DRIVER(cuGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(memory, 5)[4] == 99);
  put(98);
  DRIVER(cuGraphExecBatchMemOpNodeSetParams(executable, node, &batch));
  DRIVER(cuGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(memory, 5)[4] == 98);

  // Writes that are captured become such nodes too.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  DRIVER(cuStreamWriteValue32(stream, at, 55, 0));
  cudaGraph_t captured;
  CHECK(cudaStreamEndCapture(stream, &captured));
  cudaGraphExec_t again;
  CHECK(cudaGraphInstantiate(&again, captured, 0));
  CHECK(cudaGraphLaunch(again, stream));
  CHECK(cudaStreamSynchronize(stream));
  REQUIRE(download(memory, 1)[0] == 55);
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  copies(stream);
  values(stream);
  return passed();
}
