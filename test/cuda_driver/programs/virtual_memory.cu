// Memory of two pieces in one range, a piece in two places, and a range that moves on.
// Link: cuda
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda.h>

#define CU(call) REQUIRE((call) == CUDA_SUCCESS)

__global__ void count(int *x, size_t words, int from) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
    x[i] = from + int(i);
}

int main() {
  CHECK(cudaFree(nullptr));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  size_t piece = 0;
  CU(cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));

  CUdeviceptr range = 0, other = 0;
  CU(cuMemAddressReserve(&range, 4 * piece, 0, 0, 0));
  CU(cuMemAddressReserve(&other, piece, 0, 0, 0));
  CUmemGenericAllocationHandle memory[2];
  for (int i = 0; i < 2; ++i) {
    CU(cuMemCreate(&memory[i], piece, &properties, 0));
    CU(cuMemMap(range + i * piece, piece, 0, memory[i], 0));
  }
  CU(cuMemSetAccess(range, 2 * piece, &access, 1));
  int *x = reinterpret_cast<int *>(range);
  size_t words = 2 * piece / sizeof(int);
  count<<<4, 128>>>(x, words, 0);
  std::vector<int> all = download(x, words); // over the border of the pieces
  for (size_t i = 0; i < words; i += 1021)
    REQUIRE(all[i] == int(i));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, x + 5));
  REQUIRE(attributes.type == cudaMemoryTypeDevice);

  // The second piece lies elsewhere too.
  CU(cuMemMap(other, piece, 0, memory[1], 0));
  CU(cuMemSetAccess(other, piece, &access, 1));
  count<<<1, 32>>>(reinterpret_cast<int *>(other), 32, 7000);
  REQUIRE(download(x + words / 2, 32)[31] == 7031);

  // It stays where it is when its handle and the first piece go.
  CU(cuMemRelease(memory[1]));
  REQUIRE(cuMemRelease(memory[1]) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuMemUnmap(range, piece / 2) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuMemAddressFree(range, 4 * piece) == CUDA_ERROR_INVALID_VALUE);
  CU(cuMemUnmap(range, piece));
  REQUIRE(download(x + words / 2, 1)[0] == 7000);
  REQUIRE(cudaMemset(x, 0, 4) == cudaErrorInvalidValue);
  CU(cuMemMap(range + 2 * piece, piece, 0, memory[0], 0));
  CU(cuMemSetAccess(range + 2 * piece, piece, &access, 1));
  REQUIRE(download(x + words, 1)[0] == 0); // what the kernel left in it
  unsigned long long flags = 0;
  CU(cuMemGetAccess(&flags, &access.location, range + piece));
  REQUIRE(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CU(cuMemUnmap(range + piece, 2 * piece));
  CU(cuMemUnmap(other, piece));
  CU(cuMemRelease(memory[0]));
  CU(cuMemAddressFree(range, 4 * piece));
  CU(cuMemAddressFree(other, piece));
  return passed();
}
