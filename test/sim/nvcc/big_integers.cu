// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 256 bits: a sum, a difference and a product, with carries in the condition code.
extern "C" __global__ void big_integers(const unsigned *a, const unsigned *b, unsigned *out) {
  unsigned t = threadIdx.x, x[8], y[8], sum[9], less[8], product[16] = {};
  for (int i = 0; i < 8; ++i)
    x[i] = a[t * 8 + i], y[i] = b[t * 8 + i];
  asm("add.cc.u32 %0, %9, %17; addc.cc.u32 %1, %10, %18; addc.cc.u32 %2, %11, %19;"
      "addc.cc.u32 %3, %12, %20; addc.cc.u32 %4, %13, %21; addc.cc.u32 %5, %14, %22;"
      "addc.cc.u32 %6, %15, %23; addc.cc.u32 %7, %16, %24; addc.u32 %8, 0, 0;"
      : "=&r"(sum[0]), "=&r"(sum[1]), "=&r"(sum[2]), "=&r"(sum[3]), "=&r"(sum[4]), "=&r"(sum[5]),
        "=&r"(sum[6]), "=&r"(sum[7]), "=&r"(sum[8])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
        "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
  asm("sub.cc.u32 %0, %8, %16; subc.cc.u32 %1, %9, %17; subc.cc.u32 %2, %10, %18;"
      "subc.cc.u32 %3, %11, %19; subc.cc.u32 %4, %12, %20; subc.cc.u32 %5, %13, %21;"
      "subc.cc.u32 %6, %14, %22; subc.u32 %7, %15, %23;"
      : "=&r"(less[0]), "=&r"(less[1]), "=&r"(less[2]), "=&r"(less[3]), "=&r"(less[4]),
        "=&r"(less[5]), "=&r"(less[6]), "=&r"(less[7])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
        "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
  for (int i = 0; i < 8; ++i) {
    unsigned carry = 0;
    for (int j = 0; j < 8; ++j) {
      unsigned high;
      asm("mad.lo.cc.u32 %0, %2, %3, %0; madc.hi.u32 %1, %2, %3, 0;"
          : "+&r"(product[i + j]), "=&r"(high)
          : "r"(x[i]), "r"(y[j]));
      asm("add.cc.u32 %0, %0, %2; addc.u32 %1, %3, 0;"
          : "+&r"(product[i + j]), "=&r"(carry)
          : "r"(carry), "r"(high));
    }
    product[i + 8] = carry;
  }
  for (int i = 0; i < 9; ++i)
    out[t * 32 + i] = sum[i];
  for (int i = 0; i < 8; ++i)
    out[t * 32 + 9 + i] = less[i];
  for (int i = 0; i < 15; ++i)
    out[t * 32 + 17 + i] = product[i];
}
