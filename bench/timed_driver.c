/* A driver between Tessera and libcuda.so.1 that says what the driver's part of a call costs.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * It has the two functions that a call of a kernel asks the driver for, counts them and their time,
 * and leaves everything else to libcuda, which it is linked to: dlsym looks there too. With
 * `tessera_timed_drop` launches are not made, so that what remains of a call is Tessera's own; the
 * driver below may then be the stand-in of build/dev/lib/cuda. `tessera_timed_exchange` is the C
 * exchange of DLPack 1.3 for objects of any type: f32 of 256 on GPU 0 at the object's own address,
 * which nobody reads.
 *
 *   cc -O2 -shared -fPIC bench/timed_driver.c -o build/timed_driver.so -Wl,--no-as-needed \
 *      -Lbuild/dev/lib/cuda -l:libcuda.so.1 -ldl
 *
 * bench/python_calls.py reads it where TESSERA_LIBCUDA names it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

uint64_t tessera_timed_launches, tessera_timed_nanoseconds;
int32_t tessera_timed_drop;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *find(const char *symbol) {
  return dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), symbol);
}

int cuLaunchKernelEx(const void *config, void *function, void **arguments, void **extra) {
  static int (*launch)(const void *, void *, void **, void **);
  if (!launch)
    *(void **)&launch = find("cuLaunchKernelEx");
  ++tessera_timed_launches;
  if (tessera_timed_drop)
    return 0;
  uint64_t begin = now();
  int code = launch(config, function, arguments, extra);
  tessera_timed_nanoseconds += now() - begin;
  return code;
}

int cuCtxSetCurrent(void *context) {
  static int (*set)(void *);
  if (!set)
    *(void **)&set = find("cuCtxSetCurrent");
  if (tessera_timed_drop)
    return 0;
  uint64_t begin = now();
  int code = set(context);
  tessera_timed_nanoseconds += now() - begin;
  return code;
}

typedef struct Tensor { /* DLTensor */
  void *data;
  int32_t device_type, device_id, rank;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;

static int tensor_of(void *object, Tensor *out) {
  static const int64_t shape[] = {256}, strides[] = {1};
  *out =
      (Tensor){(void *)((uintptr_t)object & ~(uintptr_t)255), 2, 0, 1, 2, 32, 1, shape, strides, 0};
  return 0;
}

static int stream_of(int32_t type, int32_t device, void **stream) {
  (void)type, (void)device;
  *stream = NULL;
  return 0;
}

struct {
  uint32_t major, minor;
  void *earlier, *allocator, *owned_from_object, *owned_to_object;
  int (*tensor_from_object)(void *, Tensor *);
  int (*current_stream)(int32_t, int32_t, void **);
} tessera_timed_exchange = {1, 3, NULL, NULL, NULL, NULL, tensor_of, stream_of};
