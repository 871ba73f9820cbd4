/* What TVM FFI calls: arguments as tagged values, from which an exported function's are made.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of runtime.c. The places and numbers are those of tvm/ffi/c_api.h (apache/tvm-ffi, 2025) and
 * dlpack.h 1.1. Errors are raised, and the stream is asked for, by functions of libtvm_ffi where
 * the process has it: an object needs no library of TVM. */

/* TVMFFIAny */
struct Any {
  int32_t type;
  uint32_t zero;
  union {
    int64_t integer;
    double real;
    void *pointer;
  } value;
};
enum AnyType { /* TVMFFITypeIndex */
  AnyNone = 0,
  AnyInteger = 1,
  AnyBool = 2,
  AnyFloat = 3,
  AnyPointer = 4,
  AnyDlTensor = 7, /* a DLTensor * */
  AnyTensor = 70   /* an object: a header, then a DLTensor */
};
enum {
  objectHeader = 24, /* TVMFFIObject */
  dlCuda = 2,
  dlCudaHost = 3,
  dlCudaManaged = 13
};
struct DlTensor {
  void *data;
  int32_t deviceType, device;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape, *strides; /* strides: null where compact */
  uint64_t offset;                /* bytes */
};

/* What the exporter says of a parameter that takes an argument. */
struct Row {
  int32_t kind; /* 0 tensor, 1 pointer, 2 integer, 3 float */
  int32_t rank;
  int32_t onDevice;
  int32_t formatCount;
  const uint8_t *formats; /* pairs: DLDataTypeCode, bits */
  const int64_t *steps;   /* pairs of a mode: whether its stride is known; it, or what divides it */
  const char *text;       /* "argument 0: f32 (?):(1), aligned to 4 bytes" */
};

extern void TVMFFIErrorSetRaisedFromCStr(const char *, const char *) __attribute__((weak));
extern void *TVMFFIEnvGetStream(int32_t, int32_t) __attribute__((weak));

/* A function of libtvm_ffi: as it was linked, or as any library of the process has it. */
static void *ofTvm(void *linked, const char *symbol) {
  return linked ? linked : dlsym(0 /* RTLD_DEFAULT */, symbol);
}
static int32_t raise(const char *kind, const char *name, const char *what, const char *came) {
  char text[2048];
  void *found = ofTvm((void *)TVMFFIErrorSetRaisedFromCStr, "TVMFFIErrorSetRaisedFromCStr");
  void (*set)(const char *, const char *);
  snprintf(text, sizeof text, "%s: %s%s%s", name, what, *came ? ", but got " : "", came);
  memcpy(&set, &found, sizeof set);
  if (set)
    set(kind, text);
  return -1;
}

/* "a tensor of type code 2, 32 bits, 2 modes, in memory of device type 1". */
static void describe(const struct Any *given, const struct DlTensor *tensor, char *text,
                     size_t size) {
  if (tensor)
    snprintf(text, size,
             "a tensor of DLPack's type code %d with %d bits and %d lanes, of %d modes, on device "
             "type %d",
             tensor->code, tensor->bits, tensor->lanes, (int)tensor->rank, (int)tensor->deviceType);
  else if (given->type == AnyInteger || given->type == AnyBool)
    snprintf(text, size, "the integer %lld", (long long)given->value.integer);
  else if (given->type == AnyFloat)
    snprintf(text, size, "the float %g", given->value.real);
  else
    snprintf(text, size, "a value of TVM FFI's type index %d", (int)given->type);
}

static const struct DlTensor *tensorOf(const struct Any *given) {
  if (given->type == AnyDlTensor)
    return given->value.pointer;
  if (given->type == AnyTensor)
    return (const struct DlTensor *)((const char *)given->value.pointer + objectHeader);
  return 0;
}

static int32_t fitsTensor(const struct Row *row, const struct DlTensor *t) {
  int32_t known = 0, gpu = t->deviceType == dlCuda, host = t->deviceType == 1;
  int32_t both = t->deviceType == dlCudaHost || t->deviceType == dlCudaManaged;
  for (int32_t i = 0; i < row->formatCount; ++i)
    known |= row->formats[2 * i] == t->code && row->formats[2 * i + 1] == t->bits;
  return known && t->lanes == 1 && t->rank == row->rank && (both || (row->onDevice ? gpu : host));
}

/* The words of an exported function's struct. */
static int64_t *putTensor(const struct Row *row, const struct DlTensor *t, int64_t *to) {
  int64_t compact = 1, isEmpty = 0;
  *to = (int64_t)(intptr_t)t->data + (int64_t)t->offset;
  for (int32_t i = 0; i < row->rank; ++i)
    to[1 + i] = t->shape[i], isEmpty |= t->shape[i] == 0;
  for (int32_t i = row->rank - 1; i >= 0; --i) {
    int64_t stride = t->strides ? t->strides[i] : compact, by = row->steps[2 * i + 1];
    compact *= t->shape[i];
    if (t->shape[i] == 1 || isEmpty) /* it says nothing */
      stride = row->steps[2 * i] ? by : (stride + by - 1) / by * by;
    to[1 + row->rank + i] = stride;
  }
  return to + 1 + 2 * row->rank;
}

static const char *meaningOf(int32_t code, char *text, size_t size) {
  switch (code) {
#define CODE(name, number, meaning)                                                                \
  case number: return meaning;
#include "Codes.def"
#undef CODE
  default: snprintf(text, size, "CUDA failed with CUresult %d", (int)code); return text;
  }
}

/* The context of the tensors' device while the function runs. */
static int32_t enter(int32_t device, Handle *before) {
  int32_t current = -1, code = ready();
  Handle context = 0;
  if (!code)
    code = driver.getContext(before);
  if (!code && *before)
    code = driver.contextDevice(&current);
  if (code || current == device)
    return code;
  code = driver.retain(&context, device);
  return code ? code : driver.setContext(context);
}

int32_t tessera_tvm_call(const char *name, const struct Row *rows, int32_t count,
                         const struct Any *given, int32_t numGiven, int64_t *words,
                         int32_t (*call)(const void *, void *), struct Any *result) {
  char text[256];
  int64_t *to = words;
  const struct DlTensor *onGpu = 0;
  if (numGiven != count) {
    char takes[96];
    snprintf(takes, sizeof takes, "expects %d arguments", (int)count);
    snprintf(text, sizeof text, "%d", (int)numGiven);
    return raise("TypeError", name, takes, text);
  }
  for (int32_t i = 0; i < count; ++i) {
    const struct Row *row = &rows[i];
    const struct DlTensor *tensor = tensorOf(&given[i]);
    int32_t type = given[i].type, whole = type == AnyInteger || type == AnyBool;
    int32_t fits = row->kind == 0   ? tensor && fitsTensor(row, tensor)
                   : row->kind == 1 ? tensor || type == AnyPointer || type == AnyNone
                   : row->kind == 2 ? whole
                                    : whole || type == AnyFloat;
    if (!fits) {
      describe(&given[i], tensor, text, sizeof text);
      return raise("TypeError", name, row->text, text);
    }
    if (tensor && (tensor->deviceType == dlCuda) && !onGpu)
      onGpu = tensor;
    if (row->kind == 0)
      to = putTensor(row, tensor, to);
    else if (row->kind == 1)
      *to++ = tensor ? (int64_t)(intptr_t)tensor->data + (int64_t)tensor->offset
                     : (int64_t)(intptr_t)(type == AnyNone ? 0 : given[i].value.pointer);
    else if (row->kind == 2)
      *to++ = given[i].value.integer;
    else {
      double real = whole ? (double)given[i].value.integer : given[i].value.real;
      memcpy(to++, &real, sizeof real);
    }
  }
  void *stream = 0, *found = ofTvm((void *)TVMFFIEnvGetStream, "TVMFFIEnvGetStream");
  void *(*streamOf)(int32_t, int32_t);
  memcpy(&streamOf, &found, sizeof streamOf);
  if (streamOf && onGpu)
    stream = streamOf(dlCuda, onGpu->device);
  Handle before = 0;
  int32_t code = onGpu ? enter(onGpu->device, &before) : 0;
  if (!code) {
    code = call(words, stream);
    if (onGpu && before)
      driver.setContext(before);
  }
  if (code)
    return raise(code < 0 && code > NoDriver ? "ValueError" : "RuntimeError", name,
                 code == FailedCheck ? tessera_aot_message() : meaningOf(code, text, sizeof text),
                 "");
  memset(result, 0, sizeof *result); /* None */
  return 0;
}
