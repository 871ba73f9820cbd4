// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 8 x 8 x 4 doubles, four of them one after the other.
extern "C" __global__ void mma_doubles(const double *a, const double *b, double *d) {
  unsigned lane = threadIdx.x, row = lane / 4, column = lane % 4;
  double sums[2] = {0, 0};
  for (int k = 0; k < 16; k += 4)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(sums[0]), "+d"(sums[1])
        : "d"(a[row * 16 + k + column]), "d"(b[row * 16 + k + column]));
  d[row * 8 + column * 2] = sums[0], d[row * 8 + column * 2 + 1] = sums[1];
}
