// malloc and free of kernels: lists made in one launch and read in another, and a full heap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

struct Node {
  int value;
  Node *next;
};

__global__ void make(Node **lists, int length) {
  Node *list = nullptr;
  for (int i = 0; i < length; ++i) {
    Node *node = static_cast<Node *>(malloc(sizeof(Node)));
    node->value = threadIdx.x + i;
    node->next = list;
    list = node;
  }
  lists[threadIdx.x] = list;
}
__global__ void sum(Node **lists, int *out) {
  int total = 0;
  for (Node *node = lists[threadIdx.x]; node;) {
    Node *next = node->next;
    total += node->value;
    free(node);
    node = next;
  }
  out[threadIdx.x] = total;
}
__global__ void tooMuch(int *isNull) {
  void *p = malloc(1u << 30);
  *isNull = p == nullptr;
  free(p);
}

int main() {
  constexpr int lists = 32, length = 9;
  size_t heap = 0;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 << 20));
  CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  REQUIRE(heap == 4 << 20);
  Node **x = upload(std::vector<Node *>(lists));
  int *totals = upload(std::vector<int>(lists));
  make<<<1, lists>>>(x, length);
  sum<<<1, lists>>>(x, totals);
  std::vector<int> out = download(totals, lists);
  for (int i = 0; i < lists; ++i)
    REQUIRE(out[i] == i * length + length * (length - 1) / 2);
  tooMuch<<<1, 1>>>(totals);
  REQUIRE(download(totals, 1)[0] == 1);
  return passed();
}
