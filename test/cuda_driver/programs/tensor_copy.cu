// Boxes of a matrix through TMA: a tensor map of the driver, a copy in, a copy out. Target: sm_90
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstdint>

constexpr int rows = 48, columns = 80, boxRows = 16, boxColumns = 32;

__global__ void negate(const __grid_constant__ CUtensorMap in,
                       const __grid_constant__ CUtensorMap out) {
  __shared__ alignas(128) int box[boxRows][boxColumns];
  __shared__ alignas(8) uint64_t barrier;
  uint32_t at = uint32_t(__cvta_generic_to_shared(box)),
           bar = uint32_t(__cvta_generic_to_shared(&barrier));
  int x = blockIdx.x * boxColumns, y = blockIdx.y * boxRows;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar),
                 "r"(int(sizeof box)));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(at),
                 "l"(&in), "r"(x), "r"(y), "r"(bar)
                 : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(bar)
        : "memory");
  for (int i = threadIdx.x; i < boxRows * boxColumns; i += blockDim.x)
    box[i / boxColumns][i % boxColumns] *= -1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out),
        "r"(x), "r"(y), "r"(at)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

int main() {
  std::vector<int> in(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    in[i] = i + 1;
  int *from = upload(in), *to = upload(std::vector<int>(rows * columns));
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found));
  REQUIRE(found == cudaDriverEntryPointSuccess);
  auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  auto mapOf = [&](int *p) {
    CUtensorMap map;
    cuuint64_t extents[] = {columns, rows}, strides[] = {columns * sizeof(int)};
    cuuint32_t box[] = {boxColumns, boxRows}, steps[] = {1, 1};
    REQUIRE(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, p, extents, strides, box, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
  };
  negate<<<dim3((columns + boxColumns - 1) / boxColumns, rows / boxRows), 64>>>(mapOf(from),
                                                                                mapOf(to));
  std::vector<int> out = download(to, rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    REQUIRE(out[i] == -in[i]);
  // A box of more than 256 elements in a mode.
  CUtensorMap map;
  cuuint64_t extents[] = {columns, rows}, strides[] = {columns * sizeof(int)};
  cuuint32_t box[] = {257, 1}, steps[] = {1, 1};
  REQUIRE(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, from, extents, strides, box, steps,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
  return passed();
}
