/* Exported kernels called from C99: codes, numbers, tensor maps.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Driver.h"
#include "gemm.h"
#include "square.h"
#include "twice.h"

static int failures = 0;

static void expectCode(const char *what, int32_t got, int32_t expected) {
  if (got == expected)
    return;
  ++failures;
  fprintf(stderr, "%s: expected %d, got %d\n", what, (int)expected, (int)got);
}

/* Where no context is current the kernels take one themselves; the numbers are as before. */
static void twiceIsRight(void) {
  static float x[256], y[256];
  twice_arguments a;
  int i, right = 1;
  for (i = 0; i < 256; ++i)
    x[i] = (float)i;
  memset(&a, 0, sizeof a);
  a.arg0.data = onDevice(x, sizeof x);
  a.arg1.data = onDevice(y, sizeof y);
  a.arg0.shape[0] = a.arg1.shape[0] = 256;
  a.arg0.strides[0] = a.arg1.strides[0] = 1;
  expectCode("no context", setContext(NULL), 0);
  expectCode("twice", twice(&a, NULL), TESSERA_OK);
  expectCode("copy", copyFrom(y, (uint64_t)(uintptr_t)a.arg1.data, sizeof y), 0);
  for (i = 0; i < 256; ++i)
    right &= y[i] == 2 * x[i];
  expectCode("numbers", right, 1);

  expectCode("no arguments", twice(NULL, NULL), TESSERA_NULL_ARGUMENT);
  a.arg1.shape[0] = -1;
  expectCode("negative extent", twice(&a, NULL), TESSERA_BAD_SHAPE);
  a.arg1.shape[0] = (int64_t)1 << 31;
  expectCode("extent beyond 2^31", twice(&a, NULL), TESSERA_BAD_SHAPE);
  a.arg1.shape[0] = 256;
  a.arg1.strides[0] = 2;
  expectCode("stride 2", twice(&a, NULL), TESSERA_BAD_STRIDE);
  a.arg1.strides[0] = 1;
  a.arg1.data = (char *)a.arg1.data + 2;
  expectCode("odd address", twice(&a, NULL), TESSERA_BAD_ALIGNMENT);
  a.arg1.data = NULL;
  expectCode("no address", twice(&a, NULL), TESSERA_NULL_ARGUMENT);
}

static void gemmIsRight(void) {
  enum {
    M = 128,
    N = 64,
    K = 64
  };
  static uint16_t a[M * K], b[N * K];
  static float d[M * N];
  gemm_arguments g;
  int i, j, k, right = 1;
  for (i = 0; i < M * K; ++i)
    a[i] = half(i * 7 % 5 - 2);
  for (i = 0; i < N * K; ++i)
    b[i] = half(i * 3 % 5 - 2);
  memset(&g, 0, sizeof g);
  g.arg0.data = onDevice(a, sizeof a);
  g.arg1.data = onDevice(b, sizeof b);
  g.arg2.data = onDevice(d, sizeof d);
  g.arg0.shape[0] = M, g.arg0.shape[1] = K, g.arg0.strides[0] = K, g.arg0.strides[1] = 1;
  g.arg1.shape[0] = N, g.arg1.shape[1] = K, g.arg1.strides[0] = K, g.arg1.strides[1] = 1;
  g.arg2.shape[0] = M, g.arg2.shape[1] = N, g.arg2.strides[0] = N, g.arg2.strides[1] = 1;
  g.arg0.shape[0] = g.arg2.shape[0] = 0; /* D has no elements: nothing to do */
  expectCode("no rows", gemm(&g, NULL), TESSERA_OK);
  g.arg0.shape[0] = g.arg2.shape[0] = M;
  expectCode("gemm", gemm(&g, NULL), TESSERA_OK);
  expectCode("copy", copyFrom(d, (uint64_t)(uintptr_t)g.arg2.data, sizeof d), 0);
  for (i = 0; i < M; ++i)
    for (j = 0; j < N; ++j) {
      int sum = 0;
      for (k = 0; k < K; ++k)
        sum += ((i * K + k) * 7 % 5 - 2) * ((j * K + k) * 3 % 5 - 2);
      right &= d[i * N + j] == (float)sum;
    }
  expectCode("numbers of gemm", right, 1);
  /* Its bytes, in 64 bits, would be 0. CUDA_ERROR_INVALID_VALUE. */
  g.arg0.strides[0] = (int64_t)1 << 62;
  expectCode("a pitch of 2^63 bytes and more", gemm(&g, NULL), 1);
  g.arg0.strides[0] = -((int64_t)1 << 62) * 2 + 8;
  expectCode("a pitch far below 0", gemm(&g, NULL), TESSERA_BAD_STRIDE);
  g.arg0.strides[0] = K;
  expectCode("and the right one again", gemm(&g, NULL), TESSERA_OK);
  g.arg1.shape[1] = K / 2;
  expectCode("another K", gemm(&g, NULL), TESSERA_FAILED_CHECK);
  expectCode("its sentence",
             strcmp(gemm_message(), "expects A of M x K, B of N x K and D (and C) of M x N"), 0);
  expectCode("none of the other", strcmp(twice_message(), ""), 0);
}

/* The squares as bf16, to the nearest, of two the even one. */
static void squareIsRight(void) {
  static const struct {
    double number;
    uint16_t square;
  } cases[] = {{3, 0x4110},          /* 9 */
               {-1.5078125, 0x4012}, /* 2.2735 between 2.265625 and 2.28125 */
               {1.0078125, 0x3f82},  /* 1.01568 between 1.015625 and 1.0234375 */
               {1.0625, 0x3f90},     /* 1.12890625, half way to 1.1328125 */
               {1e30, 0x7f80},       /* infinite */
               {1e-30, 0}};
  static uint16_t y[32];
  square_arguments s;
  size_t i;
  memset(&s, 0, sizeof s);
  s.arg0.data = onDevice(y, sizeof y);
  s.arg0.shape[0] = 32, s.arg0.strides[0] = 1;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    s.arg1 = cases[i].number;
    expectCode("square", square(&s, NULL), TESSERA_OK);
    expectCode("copy", copyFrom(y, (uint64_t)(uintptr_t)s.arg0.data, sizeof y), 0);
    expectCode("a square", y[31], cases[i].square);
  }
}

int main(void) {
  openDriver();
  twiceIsRight();
  gemmIsRight();
  squareIsRight();
  return failures != 0;
}
