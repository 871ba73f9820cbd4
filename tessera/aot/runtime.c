/* What exported host code calls: the CUDA driver, opened when a kernel first runs, nothing else.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiled to assembly when Tessera is built, and put into each exported object, where all of its
 * symbols are local: objects know nothing of each other. The functions have the names and types
 * that lower/CudaHostToLLVM.cpp calls, as in jit/Runtime.h. Types and numbers are those of cuda.h
 * 13.0; the symbols are in drivers since CUDA 12.0. */
#include <dlfcn.h>
#include <sched.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the exporter puts beside this: one image for each module and architecture, with the blocks
 * that its kernels are compiled for where their host function does not know them. */
struct Block {
  const char *kernel;
  uint32_t extents[3];
};
struct Image {
  const char *module;
  const void *code; /* a cubin, or PTX with a 0 at its end */
  int32_t major, minor;
  int32_t is_ptx;
  int32_t is_exact; /* of an architecture with a suffix, which runs on that one only */
  int32_t block_count;
  const struct Block *blocks;
};
extern const struct Image tessera_aot_images[];
extern const int32_t tessera_aot_image_count;

/* As the exported header has them; above 0 the driver's own codes (CUresult). */
enum {
  FailedCheck = -6,
  NoDriver = -10,
  NoCode = -11,
  NoKernel = -12,
  TooManyContexts = -13
};

typedef void *Handle;
typedef struct {
  int32_t id;
  char pad[4];
  union {
    char bytes[64];
    int32_t flag;
    uint32_t cluster[3];
  } value;
} Attribute;
typedef struct {
  uint32_t grid[3], block[3], shared;
  Handle stream;
  Attribute *attributes;
  uint32_t count;
} DriverConfig;

static struct {
  int32_t (*init)(uint32_t);
  int32_t (*getContext)(Handle *);
  int32_t (*setContext)(Handle);
  int32_t (*retain)(Handle *, int32_t);
  int32_t (*contextDevice)(int32_t *);
  int32_t (*attribute)(int32_t *, int32_t, int32_t);
  int32_t (*load)(Handle *, const void *, uint32_t, void *, void *);
  int32_t (*function)(Handle *, Handle, const char *);
  int32_t (*setAttribute)(Handle, int32_t, int32_t);
  int32_t (*launch)(const DriverConfig *, Handle, void **, void **);
  int32_t (*encodeTiled)(void *, int32_t, uint32_t, void *, const uint64_t *, const uint64_t *,
                         const uint32_t *, const uint32_t *, int32_t, int32_t, int32_t, int32_t);
  int32_t (*encodeIm2col)(void *, int32_t, uint32_t, void *, const uint64_t *, const uint64_t *,
                          const int32_t *, const int32_t *, uint32_t, uint32_t, const uint32_t *,
                          int32_t, int32_t, int32_t, int32_t);
  int32_t (*encodeIm2colWide)(void *, int32_t, uint32_t, void *, const uint64_t *, const uint64_t *,
                              int32_t, int32_t, uint32_t, uint32_t, const uint32_t *, int32_t,
                              int32_t, int32_t, int32_t, int32_t);
} driver;

static const struct {
  const char *symbol;
  void *place;
} symbols[] = {
    {"cuInit", &driver.init},
    {"cuCtxGetCurrent", &driver.getContext},
    {"cuCtxSetCurrent", &driver.setContext},
    {"cuDevicePrimaryCtxRetain", &driver.retain},
    {"cuCtxGetDevice", &driver.contextDevice},
    {"cuDeviceGetAttribute", &driver.attribute},
    {"cuModuleLoadDataEx", &driver.load},
    {"cuModuleGetFunction", &driver.function},
    {"cuFuncSetAttribute", &driver.setAttribute},
    {"cuLaunchKernelEx", &driver.launch},
    {"cuTensorMapEncodeTiled", &driver.encodeTiled},
    {"cuTensorMapEncodeIm2col", &driver.encodeIm2col},
};

/* One thread at a time loads. */
static int32_t lock;
static void take(void) {
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
    sched_yield();
}
static void give(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

static int32_t openDriver(void) {
  static int32_t state = 1; /* 1: not tried */
  if (state != 1)
    return state;
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  state = library ? 0 : NoDriver;
  for (size_t i = 0; !state && i < sizeof symbols / sizeof *symbols; ++i) {
    void *found = dlsym(library, symbols[i].symbol);
    memcpy(symbols[i].place, &found, sizeof found);
    if (!found)
      state = NoDriver;
  }
  if (!state) { /* of CUDA 12.8 */
    void *found = dlsym(library, "cuTensorMapEncodeIm2colWide");
    memcpy(&driver.encodeIm2colWide, &found, sizeof found);
  }
  return state ? state : (state = driver.init(0));
}

/* The current context, that of device 0 where there is none. */
static int32_t contextOf(Handle *context) {
  int32_t code = driver.getContext(context);
  if (code || *context)
    return code;
  code = driver.retain(context, 0);
  return code ? code : driver.setContext(*context);
}

/* Machine code of this generation that is not newer, else PTX that is not; or PTX at once. */
static const struct Image *choose(const char *module, int32_t major, int32_t minor, int ptx) {
  const struct Image *best = 0;
  for (int32_t i = 0; i < tessera_aot_image_count; ++i) {
    const struct Image *image = &tessera_aot_images[i];
    int32_t here = 10 * major + minor, code = 10 * image->major + image->minor;
    int runs = image->is_exact ? code == here
               : image->is_ptx ? code <= here
                               : image->major == major && code <= here;
    if (strcmp(image->module, module) != 0 || !runs || (ptx && !image->is_ptx))
      continue;
    if (!best || best->is_ptx > image->is_ptx ||
        (best->is_ptx == image->is_ptx && 10 * best->major + best->minor < code) ||
        (best->is_ptx == image->is_ptx && 10 * best->major + best->minor == code &&
         image->is_exact))
      best = image;
  }
  return best;
}

/* What was loaded: a module of a context, and a kernel of it. */
enum {
  mostEntries = 256
};
static struct Entry {
  Handle context;
  const char *module, *kernel; /* null: the module itself */
  Handle handle;
  const struct Image *image; /* what it was loaded from */
  uint32_t block[3];         /* that the kernel is compiled for; zeros: its launches say it */
  int64_t shared;            /* bytes of dynamic shared memory that it may have */
  int32_t wide;              /* whether clusters of more than 8 blocks are allowed */
} entries[mostEntries];
static int32_t entryCount;

static struct Entry *find(Handle context, const char *module, const char *kernel) {
  for (int32_t i = 0; i < entryCount; ++i) {
    struct Entry *e = &entries[i];
    int same = e->kernel && kernel ? strcmp(e->kernel, kernel) == 0 : e->kernel == kernel;
    if (e->context == context && same && strcmp(e->module, module) == 0)
      return e;
  }
  return 0;
}
static struct Entry *keep(Handle context, const char *module, const char *kernel, Handle handle,
                          const struct Image *image) {
  if (entryCount == mostEntries)
    return 0;
  struct Entry *e = &entries[entryCount++];
  *e = (struct Entry){context, module, kernel, handle, image, {0, 0, 0}, 48 * 1024, 0};
  for (int32_t i = 0; kernel && i < image->block_count; ++i)
    if (strcmp(image->blocks[i].kernel, kernel) == 0)
      memcpy(e->block, image->blocks[i].extents, sizeof e->block);
  return e;
}

static int32_t loadModule(Handle context, const char *module, struct Entry **out) {
  enum {
    computeMajor = 75,
    computeMinor = 76
  }; /* CUdevice_attribute */
  int32_t device, major, minor, code = driver.contextDevice(&device);
  if (!code)
    code = driver.attribute(&major, computeMajor, device);
  if (!code)
    code = driver.attribute(&minor, computeMinor, device);
  if (code)
    return code;
  const struct Image *image = choose(module, major, minor, 0);
  if (!image)
    return NoCode;
  Handle loaded = 0;
  code = driver.load(&loaded, image->code, 0, 0, 0);
  /* A driver that is older than the machine code, or a stand-in, may take PTX. */
  if (code && !image->is_ptx && (image = choose(module, major, minor, 1)))
    code = driver.load(&loaded, image->code, 0, 0, 0);
  if (code)
    return code;
  *out = keep(context, module, 0, loaded, image);
  return *out ? 0 : TooManyContexts;
}

static int32_t findKernel(const char *module, const char *kernel, struct Entry **out) {
  Handle context = 0;
  int32_t code = contextOf(&context);
  if (code || (*out = find(context, module, kernel)))
    return code;
  struct Entry *loaded = find(context, module, 0);
  if (!loaded)
    code = loadModule(context, module, &loaded);
  Handle function = 0;
  if (!code)
    code = driver.function(&function, loaded->handle, kernel);
  if (code)
    return code == 500 ? NoKernel : code; /* CUDA_ERROR_NOT_FOUND */
  *out = keep(context, module, kernel, function, loaded->image);
  return *out ? 0 : TooManyContexts;
}

/* A configuration as host code builds it, in 128 bytes. */
struct Config {
  uint32_t block[3], grid[3], cluster[3];
  int64_t shared;
  void *stream;
  int32_t programmatic, cooperative;
};

/* A tensor map that could not be made: the next launch fails. */
static __thread int32_t broken;

void tessera_rt_launch_config(void *config, int32_t blockX, int32_t blockY, int32_t blockZ,
                              int64_t shared, int32_t gridX, int32_t gridY, int32_t gridZ,
                              void *stream, int32_t attributes) {
  struct Config *c = config;
  (void)attributes;
  memset(c, 0, sizeof *c);
  c->block[0] = (uint32_t)blockX, c->block[1] = (uint32_t)blockY, c->block[2] = (uint32_t)blockZ;
  c->grid[0] = (uint32_t)gridX, c->grid[1] = (uint32_t)gridY, c->grid[2] = (uint32_t)gridZ;
  c->shared = shared;
  c->stream = stream;
}
void tessera_rt_launch_cluster(void *config, int32_t x, int32_t y, int32_t z) {
  struct Config *c = config;
  c->cluster[0] = (uint32_t)x, c->cluster[1] = (uint32_t)y, c->cluster[2] = (uint32_t)z;
}
void tessera_rt_launch_programmatic(void *config, int32_t allowed) {
  ((struct Config *)config)->programmatic = allowed;
}
void tessera_rt_launch_cooperative(void *config, int32_t cooperative) {
  ((struct Config *)config)->cooperative = cooperative;
}

/* CUtensorMapL2promotion: 128 bytes, as CuTe asks for. */
enum {
  promotion128 = 2
};

static int32_t ready(void) {
  take();
  int32_t code = openDriver();
  give();
  return code;
}

void tessera_rt_tensor_map(void *image, uint64_t tensor, int32_t rank, const int64_t *extents,
                           const int64_t *strides, const int32_t *box, int32_t type,
                           int32_t swizzle) {
  static const uint32_t ones[5] = {1, 1, 1, 1, 1};
  int32_t code = ready();
  if (!code)
    code = driver.encodeTiled(image, type, (uint32_t)rank, (void *)tensor,
                              (const uint64_t *)extents, (const uint64_t *)strides,
                              (const uint32_t *)box, ones, 0, swizzle, promotion128, 0);
  if (code)
    broken = code;
}
void tessera_rt_tensor_map_im2col(void *image, uint64_t tensor, int32_t rank,
                                  const int64_t *extents, const int64_t *strides,
                                  const int32_t *lower, const int32_t *upper, const int32_t *steps,
                                  int32_t channels, int32_t pixels, int32_t type, int32_t swizzle) {
  int32_t code = ready();
  if (!code)
    code =
        driver.encodeIm2col(image, type, (uint32_t)rank, (void *)tensor, (const uint64_t *)extents,
                            (const uint64_t *)strides, lower, upper, (uint32_t)channels,
                            (uint32_t)pixels, (const uint32_t *)steps, 0, swizzle, promotion128, 0);
  if (code)
    broken = code;
}

void tessera_rt_tensor_map_im2col_wide(void *image, uint64_t tensor, int32_t rank,
                                       const int64_t *extents, const int64_t *strides,
                                       int32_t lower, int32_t upper, const int32_t *steps,
                                       int32_t channels, int32_t pixels, int32_t type,
                                       int32_t swizzle, int32_t mode) {
  int32_t code = ready();
  if (!code)
    code = driver.encodeIm2colWide
               ? driver.encodeIm2colWide(image, type, (uint32_t)rank, (void *)tensor,
                                         (const uint64_t *)extents, (const uint64_t *)strides,
                                         lower, upper, (uint32_t)channels, (uint32_t)pixels,
                                         (const uint32_t *)steps, 0, mode, swizzle, promotion128, 0)
               : NoDriver;
  if (code)
    broken = code;
}

/* What the launch needs the kernel to be allowed. */
static int32_t allow(struct Entry *e, const struct Config *c) {
  enum {
    maxShared = 8,
    nonPortable = 14
  }; /* CUfunction_attribute */
  int32_t code = 0;
  if (c->shared > e->shared &&
      !(code = driver.setAttribute(e->handle, maxShared, (int32_t)c->shared)))
    e->shared = c->shared;
  if (!code && c->cluster[0] * c->cluster[1] * c->cluster[2] > 8 && !e->wide &&
      !(code = driver.setAttribute(e->handle, nonPortable, 1)))
    e->wide = 1;
  return code;
}

int32_t tessera_rt_launch(const char *module, const char *kernel, void *config, void **arguments,
                          int32_t count) {
  enum {
    cooperative = 2,
    clusterDimension = 4,
    programmatic = 6
  }; /* CUlaunchAttributeID */
  const struct Config *c = config;
  struct Entry *e = 0;
  Attribute attributes[3];
  DriverConfig d;
  int32_t code = broken;
  (void)count;
  broken = 0;
  if (code)
    return code;
  take();
  code = openDriver();
  if (!code)
    code = findKernel(module, kernel, &e);
  if (!code)
    code = allow(e, c);
  Handle function = e ? e->handle : 0;
  give();
  if (code)
    return code;
  memset(attributes, 0, sizeof attributes);
  memset(&d, 0, sizeof d);
  memcpy(d.grid, c->grid, sizeof d.grid);
  memcpy(d.block, c->block[0] ? c->block : e->block, sizeof d.block);
  d.shared = (uint32_t)c->shared;
  d.stream = c->stream;
  d.attributes = attributes;
  if (c->cluster[0] * c->cluster[1] * c->cluster[2] > 1) {
    attributes[d.count].id = clusterDimension;
    memcpy(attributes[d.count++].value.cluster, c->cluster, sizeof c->cluster);
  }
  if (c->cooperative)
    attributes[d.count].id = cooperative, attributes[d.count++].value.flag = 1;
  if (c->programmatic)
    attributes[d.count].id = programmatic, attributes[d.count++].value.flag = 1;
  return driver.launch(&d, function, arguments, 0);
}

/* The code of the nearest number, of two the even one, in a format of so many bits, whose largest
 * exponent is of infinities and NaN. */
uint32_t tessera_aot_rounded(double number, int32_t exponent, int32_t mantissa) {
  enum {
    wide = 52, /* bits of a double's mantissa */
    wideBias = 1023
  };
  uint64_t bits, whole, half;
  int32_t bias = (1 << (exponent - 1)) - 1, shift = wide - mantissa, at;
  uint32_t most = ((1U << exponent) - 1) << mantissa, code = 0, sign;
  memcpy(&bits, &number, sizeof bits);
  sign = (uint32_t)(bits >> 63) << (exponent + mantissa);
  whole = (bits & (((uint64_t)1 << wide) - 1)) | (uint64_t)1 << wide;
  at = (int32_t)(bits >> wide & 0x7ff) - wideBias + bias; /* its exponent, as the format has it */
  if (number != number)
    return sign | most | 1U << (mantissa - 1);
  if (at < 1) { /* below the normal numbers */
    shift += 1 - at;
    at = 1;
  }
  if (shift < 64) {
    half = (uint64_t)1 << (shift - 1);
    code = (uint32_t)(whole >> shift);
    whole &= 2 * half - 1;
    code += whole > half || (whole == half && (code & 1));
  }
  if (at > (1 << exponent) - 2)
    return sign | most;
  code += (uint32_t)(at - 1) << mantissa; /* the 1 before the mantissa is the exponent's last bit */
  return sign | (code < most ? code : most);
}

/* What x86-64's code calls to round numbers of a host function to bf16. libgcc has them since 13,
 * and a program in C may have an older one. The code is in the lower half of xmm0, as a bf16 is. */
static float inLowerHalf(uint32_t code) {
  float number;
  memcpy(&number, &code, sizeof number);
  return number;
}
float __truncdfbf2(double number) { return inLowerHalf(tessera_aot_rounded(number, 8, 7)); }
float __truncsfbf2(float number) { return __truncdfbf2(number); }

/* MLIR lowers cf.assert to puts(message); abort(). An exported function returns instead: what it
 * calls has nothing to be taken down. */
static __thread jmp_buf *leaving;
static __thread const char *said;

int tessera_aot_puts(const char *message) {
  said = message;
  return 0;
}
_Noreturn void tessera_aot_abort(void) {
  if (!leaving)
    abort();
  longjmp(*leaving, 1);
}
int32_t tessera_aot_guarded(int32_t (*function)(const void *, void *), const void *arguments,
                            void *stream) {
  jmp_buf here, *before = leaving;
  int32_t code;
  leaving = &here;
  code = setjmp(here) ? FailedCheck : function(arguments, stream);
  leaving = before;
  return code;
}
const char *tessera_aot_message(void) { return said ? said : ""; }

#include "tvm_ffi.h"
