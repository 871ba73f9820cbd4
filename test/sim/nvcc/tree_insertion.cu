// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree that threads grow by new, each its own, then walk without recursion.
struct Node {
  unsigned key;
  Node *less, *more;
};
extern "C" __global__ void tree_insertion(const unsigned *in, unsigned *out) {
  unsigned t = threadIdx.x, code = 0, depth = 0;
  Node *root = nullptr;
  for (unsigned i = 0; i < 8; ++i) {
    unsigned key = in[t * 8 + i] & 255;
    Node **at = &root;
    while (*at)
      at = key < (*at)->key ? &(*at)->less : &(*at)->more;
    *at = new Node{key, nullptr, nullptr};
  }
  Node *stack[9], *node = root;
  while (node || depth) {
    for (; node; node = node->less)
      stack[depth++] = node;
    node = stack[--depth];
    code = code * 31 + node->key;
    Node *next = node->more;
    delete node;
    node = next;
  }
  out[t] = code;
}
