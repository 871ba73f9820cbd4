// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges two sorted rows: each thread finds where its piece begins by bisection, then merges it.
extern "C" __global__ void merge_path(const unsigned *a, const unsigned *b, unsigned *out, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  int low = max(0, first - n), high = min(first, n);
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[first - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = first - low;
  for (int k = 0; k < 8; ++k)
    out[first + k] = j == n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
