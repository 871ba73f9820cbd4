/* A kernel that was exported: nothing of Tessera is linked. Memory comes from the driver.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "twice.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int (*init)(unsigned);
static int (*retain)(void **, int);
static int (*set)(void *);
static int (*allocate)(void *, size_t, unsigned);
static int (*synchronize)(void);

static void find(void *library, const char *symbol, void *to) {
  void *found = library ? dlsym(library, symbol) : NULL;
  memcpy(to, &found, sizeof found);
}

int main(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
  float *x, *y;
  twice_arguments a;
  int i;
  find(library, "cuInit", &init);
  find(library, "cuDevicePrimaryCtxRetain", &retain);
  find(library, "cuCtxSetCurrent", &set);
  find(library, "cuMemAllocManaged", &allocate);
  find(library, "cuCtxSynchronize", &synchronize);
  if (!library || init(0) || retain(&context, 0) || set(context) || allocate(&x, 1024, 1) ||
      allocate(&y, 1024, 1)) {
    printf("no GPU\n");
    return 1;
  }
  for (i = 0; i < 256; ++i)
    x[i] = (float)i;
  memset(&a, 0, sizeof a);
  a.arg0.data = x;
  a.arg1.data = y;
  a.arg0.shape[0] = a.arg1.shape[0] = 256;
  a.arg0.strides[0] = a.arg1.strides[0] = 1;
  printf("code %d", (int)twice(&a, NULL));
  synchronize();
  printf(", %g %g %g\n", y[0], y[1], y[255]);
  a.arg1.strides[0] = 2;
  printf("code %d, as TESSERA_BAD_STRIDE is %d\n", (int)twice(&a, NULL), (int)TESSERA_BAD_STRIDE);
  return 0;
}
