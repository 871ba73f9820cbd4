// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ char pattern[] = "abca";

// How often a word stands in a text of four letters, and where first; the word is in constant
// memory.
extern "C" __global__ void string_search(const unsigned char *text, int n, unsigned *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool is = i + 4 <= n;
  for (int k = 0; is && pattern[k]; ++k)
    is = (text[i + k] & 3) + 'a' == pattern[k];
  if (is)
    atomicAdd(&found[0], 1), atomicMin(&found[1], i);
}
