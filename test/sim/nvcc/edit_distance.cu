// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many letters to change, add or leave out from one word to another, along diagonals.
extern "C" __global__ void edit_distance(const unsigned char *a, const unsigned char *b, int *out) {
  __shared__ int row[3][65];
  int i = threadIdx.x;
  for (int d = 0; d <= 128; ++d) {
    int j = d - i, *now = row[d % 3], *last = row[(d + 2) % 3], *before = row[(d + 1) % 3];
    if (j >= 0 && j <= 64) {
      if (i == 0 || j == 0)
        now[i] = i + j;
      else {
        int cost = (a[i - 1] & 3) != (b[j - 1] & 3);
        now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + cost);
      }
      out[i * 65 + j] = now[i];
    }
    __syncthreads();
  }
}
