/* Entries of a tile program called from C99: numbers, grids, a product, codes, on several GPUs.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Driver.h"
#include "tiles.h"

#include <math.h>

static int failures = 0;

static void expectCode(const char *what, int32_t got, int32_t expected) {
  if (got == expected)
    return;
  ++failures;
  fprintf(stderr, "%s: expected %d, got %d\n", what, (int)expected, (int)got);
}

static void expectNumber(const char *what, double got, double expected) {
  if (got == expected || (got != got && expected != expected))
    return;
  ++failures;
  fprintf(stderr, "%s: expected %.17g, got %.17g\n", what, expected, got);
}

static tiles_numbers_arguments numbers(void *to) {
  tiles_numbers_arguments a;
  memset(&a, 0, sizeof a);
  a.arg0 = to;
  a.grid_x = a.grid_y = a.grid_z = 1;
  return a;
}

enum {
  X = 3,
  Y = 2,
  Z = 2,
  kinds = 8
};
static float written[X * Y * Z * kinds];

/* Each tile block writes what it is given. */
static void numbersArrive(void) {
  static const double expected[kinds] = {0.5, -1.5, 3.25, 0.1f, 0.2f, 1, -8, 4294967296.0};
  void *device = onDevice(written, sizeof written);
  tiles_numbers_arguments a = numbers(device);
  char what[64];
  int i;
  a.arg1 = 0.5, a.arg2 = -1.5, a.arg3 = 3.25, a.arg4 = 0.1, a.arg5 = 0.2;
  a.arg6 = 1, a.arg7 = -8, a.arg8 = (int64_t)1 << 32;
  a.grid_x = X, a.grid_y = Y, a.grid_z = Z;
  expectCode("numbers", tiles_numbers(&a, NULL), TESSERA_OK);
  expectCode("copy", copyFrom(written, (uint64_t)(uintptr_t)device, sizeof written), 0);
  for (i = 0; i < X * Y * Z * kinds; ++i) {
    snprintf(what, sizeof what, "number %d of block %d", i % kinds, i / kinds);
    expectNumber(what, (double)written[i], expected[i % kinds]);
  }
}

/* Doubles become the nearest f16, bf16 and tf32, of two the even one: worked out by hand. */
static void numbersAreRounded(void) {
  static const double rows[][4] = {
      /* given, as f16, as bf16, as tf32 */
      {1 + 0x1p-11, 1, 1, 1},                            /* half a step of f16: to the even one */
      {1 + 0x3p-11, 1 + 0x1p-9, 1, 1 + 0x1p-9},          /* three halves: up */
      {1 + 0x1.000001p-11, 1 + 0x1p-10, 1, 1 + 0x1p-10}, /* a little more than half */
      {1 + 0x1p-8, 1 + 0x1p-8, 1, 1 + 0x1p-8},           /* half a step of bf16 */
      {1 + 0x3p-8, 1 + 0x3p-8, 1 + 0x1p-6, 1 + 0x3p-8},  /* */
      {0x1.fffp+0, 2, 2, 2},                             /* the exponent changes */
      {65504, 65504, 65536, 65504},                      /* the largest f16 */
      {65519.999, 65504, 65536, 65504},                  /* a little less than half a step above */
      {65520, INFINITY, 65536, 65536},                   /* half of one */
      {-1e6, -INFINITY, -999424, -999936},               /* steps of 4096 and 512 */
      {0x1p-24, 0x1p-24, 0x1p-24, 0x1p-24},              /* the smallest f16 */
      {0x1p-25, 0, 0x1p-25, 0x1p-25},                    /* half of it: to 0 */
      {0x1.8p-25, 0x1p-24, 0x1.8p-25, 0x1.8p-25},        /* three quarters */
      {0x1.fp-15, 0x1.fp-15, 0x1.fp-15, 0x1.fp-15},      /* below the normal ones */
      {0x1.fffp-15, 0x1p-14, 0x1p-14, 0x1p-14},          /* up to the first normal one */
      {0x1p-133, 0, 0x1p-133, 0x1p-133},                 /* the smallest bf16 */
      {1e300, INFINITY, INFINITY, INFINITY},
      {1e-300, 0, 0, 0},
      {0, 0, 0, 0},
      {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
      {NAN, NAN, NAN, NAN},
  };
  static float got[kinds];
  void *device = onDevice(got, sizeof got);
  size_t i;
  for (i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char what[64];
    tiles_numbers_arguments a = numbers(device);
    a.arg1 = a.arg2 = a.arg3 = rows[i][0];
    expectCode("rounded", tiles_numbers(&a, NULL), TESSERA_OK);
    expectCode("copy", copyFrom(got, (uint64_t)(uintptr_t)device, sizeof got), 0);
    snprintf(what, sizeof what, "%.9g as f16", rows[i][0]);
    expectNumber(what, (double)got[0], rows[i][1]);
    snprintf(what, sizeof what, "%.9g as bf16", rows[i][0]);
    expectNumber(what, (double)got[1], rows[i][2]);
    snprintf(what, sizeof what, "%.9g as tf32", rows[i][0]);
    expectNumber(what, (double)got[2], rows[i][3]);
  }
}

static void wrongOnesAreRefused(void) {
  static float got[kinds];
  void *device = onDevice(got, sizeof got);
  const tiles_numbers_arguments good = numbers(device);
  tiles_numbers_arguments a = good;
  expectCode("no arguments", tiles_numbers(NULL, NULL), TESSERA_NULL_ARGUMENT);
  a.arg0 = (char *)device + 2;
  expectCode("odd address", tiles_numbers(&a, NULL), TESSERA_BAD_ALIGNMENT);
  a = good, a.arg7 = 6;
  expectCode("not a multiple of 4", tiles_numbers(&a, NULL), TESSERA_BAD_NUMBER);
  a = good, a.arg7 = (int64_t)1 << 32;
  expectCode("beyond 32 bits", tiles_numbers(&a, NULL), TESSERA_BAD_NUMBER);
  a = good, a.arg6 = 2;
  expectCode("beyond one bit", tiles_numbers(&a, NULL), TESSERA_BAD_NUMBER);
  a = good, a.grid_x = 0;
  expectCode("no tile blocks", tiles_numbers(&a, NULL), TESSERA_BAD_GRID);
  a = good, a.grid_x = -1;
  expectCode("less than none", tiles_numbers(&a, NULL), TESSERA_BAD_GRID);
  a = good, a.grid_x = 16777216;
  expectCode("too many across", tiles_numbers(&a, NULL), TESSERA_BAD_GRID);
  a = good, a.grid_y = 65536;
  expectCode("too many down", tiles_numbers(&a, NULL), TESSERA_BAD_GRID);
  a = good, a.grid_z = INT64_MIN;
  expectCode("too few behind", tiles_numbers(&a, NULL), TESSERA_BAD_GRID);
}

static void productIsRight(void) {
  enum {
    M = 100,
    N = 72,
    K = 80
  };
  static uint16_t a[M * K], b[K * N];
  static float c[M * N];
  tiles_product_arguments p;
  int i, j, k, right = 1;
  for (i = 0; i < M * K; ++i)
    a[i] = half(i * 7 % 5 - 2);
  for (i = 0; i < K * N; ++i)
    b[i] = half(i * 3 % 5 - 2);
  memset(&p, 0, sizeof p);
  p.arg0 = onDevice(a, sizeof a), p.arg1 = M, p.arg2 = K, p.arg3 = K, p.arg4 = 1;
  p.arg5 = onDevice(b, sizeof b), p.arg6 = K, p.arg7 = N, p.arg8 = N, p.arg9 = 1;
  p.arg10 = onDevice(c, sizeof c), p.arg11 = M, p.arg12 = N, p.arg13 = N, p.arg14 = 1;
  p.grid_x = (M + 63) / 64, p.grid_y = (N + 63) / 64, p.grid_z = 1;
  expectCode("product", tiles_product(&p, NULL), TESSERA_OK);
  expectCode("copy", copyFrom(c, (uint64_t)(uintptr_t)p.arg10, sizeof c), 0);
  for (i = 0; i < M; ++i)
    for (j = 0; j < N; ++j) {
      float sum = 0;
      for (k = 0; k < K; ++k)
        sum += (float)((i * K + k) * 7 % 5 - 2) * (float)((k * N + j) * 3 % 5 - 2);
      right &= c[i * N + j] == sum;
    }
  expectCode("product's numbers", right, 1);
}

int main(void) {
  tiles_odd_name_arguments odd;
  openDriver();
  odd.grid_x = odd.grid_y = odd.grid_z = 1;
  expectCode("a name that C does not take", tiles_odd_name(&odd, NULL), TESSERA_OK);
  numbersArrive();
  numbersAreRounded();
  wrongOnesAreRefused();
  productIsRight();
  expectCode("nothing to say", tiles_message()[0], 0);
  return failures != 0;
}
