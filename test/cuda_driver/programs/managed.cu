// Managed memory and managed variables, which host and kernels write in turn.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__managed__ int total = 5;
__managed__ float table[4] = {1, 2, 3, 4};
__device__ int besides = 7;

struct List {
  int value;
  List *next;
};

__global__ void sum(const List *list, float by) {
  for (; list; list = list->next)
    total += list->value;
  table[3] *= by;
}

int main() {
  List *list = nullptr;
  for (int i = 0; i < 10; ++i) {
    List *node = nullptr;
    CHECK(cudaMallocManaged(&node, sizeof(List)));
    *node = {i, list};
    list = node;
  }
  sum<<<1, 1>>>(list, 2.5f);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(total == 50);
  REQUIRE(table[3] == 10);
  total = 1;
  list->value = 100;
  sum<<<1, 1>>>(list, 1);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(total == 1 + 45 - 9 + 100);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, list));
  REQUIRE(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == list);
  // A managed variable is a symbol too, and one of the device stays one beside it.
  void *address = nullptr;
  size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&size, table));
  REQUIRE(address == table && size == sizeof table);
  const float two = 2;
  CHECK(cudaMemcpyToSymbol(table, &two, sizeof two, 3 * sizeof two));
  REQUIRE(table[3] == 2);
  CHECK(cudaPointerGetAttributes(&attributes, &table[1]));
  REQUIRE(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == &table[1]);
  CHECK(cudaGetSymbolAddress(&address, besides));
  CHECK(cudaPointerGetAttributes(&attributes, address));
  REQUIRE(attributes.type == cudaMemoryTypeDevice && !attributes.hostPointer);
  CHECK(cudaMemPrefetchAsync(list, sizeof *list, {cudaMemLocationTypeDevice, 0}, 0));
  return passed();
}
