// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of each thread's numbers, made and freed on the device's heap.
struct Node {
  unsigned value;
  Node *next;
};
extern "C" __global__ void device_malloc(unsigned *out) {
  Node *head = nullptr;
  for (unsigned i = 0; i < 8; ++i) {
    Node *node = (Node *)malloc(sizeof(Node));
    node->value = threadIdx.x * 8 + i, node->next = head;
    head = node;
  }
  unsigned sum = 0;
  while (head) {
    Node *next = head->next;
    sum = sum * 3 + head->value;
    free(head);
    head = next;
  }
  out[threadIdx.x] = sum;
}
