/* The driver of CUDA for programs that have nothing of Tessera: memory of a GPU.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TEST_AOT_DRIVER_H
#define TEST_AOT_DRIVER_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*setContext)(void *);
static int (*copyFrom)(void *, uint64_t, size_t);
static int (*allocate)(void *, size_t);
static int (*copyTo)(uint64_t, const void *, size_t);

/* Opens it, and makes the primary context of device 0 current; ends the program where it cannot. An
 * address of a function goes through memory, as C99 asks. */
static void openDriver(void) {
  int (*init)(unsigned);
  int (*retain)(void **, int);
  const struct {
    const char *symbol;
    void *place;
  } symbols[] = {{"cuInit", &init},
                 {"cuDevicePrimaryCtxRetain", &retain},
                 {"cuCtxSetCurrent", &setContext},
                 {"cuMemAlloc_v2", &allocate},
                 {"cuMemcpyHtoD_v2", &copyTo},
                 {"cuMemcpyDtoH_v2", &copyFrom}};
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
  size_t i;
  for (i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *found = library ? dlsym(library, symbols[i].symbol) : NULL;
    if (!found) {
      fprintf(stderr, "no %s\n", symbols[i].symbol);
      exit(2);
    }
    memcpy(symbols[i].place, &found, sizeof found);
  }
  if (init(0) || retain(&context, 0) || setContext(context))
    exit(2);
}

static void *onDevice(const void *data, size_t bytes) {
  uint64_t address = 0;
  if (allocate(&address, bytes) || copyTo(address, data, bytes))
    exit(3);
  return (void *)(uintptr_t)address;
}

/* A half whose value is a whole number from -2 to 2. */
static inline uint16_t half(int number) {
  static const uint16_t codes[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};
  return codes[number + 2];
}

#endif
