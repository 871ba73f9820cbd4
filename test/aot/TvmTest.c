/* Exported kernels called as TVM FFI calls them, by tagged values.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The structs are those of tvm/ffi/c_api.h (apache/tvm-ffi) and dlpack.h; the functions of
 * libtvm_ffi that an object calls are here, to see what it says. */
#include "Driver.h"

typedef struct {
  int32_t type_index;
  uint32_t zero_padding;
  union {
    int64_t v_int64;
    double v_float64;
    void *v_ptr;
  } v;
} Any;
typedef struct {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;
typedef struct { /* TVMFFIObject, then what it is */
  uint64_t counts;
  int32_t type_index;
  uint32_t padding;
  void (*deleter)(void *, int);
  Tensor tensor;
} TensorObject;
enum {
  None = 0,
  Int = 1,
  DlTensorPtr = 7,
  TensorIndex = 70
};
int __tvm_ffi_twice(void *, const Any *, int32_t, Any *);
int __tvm_ffi_gemm(void *, const Any *, int32_t, Any *);

static char kind[64], message[2048];
static int streams;
void TVMFFIErrorSetRaisedFromCStr(const char *k, const char *m) {
  snprintf(kind, sizeof kind, "%s", k);
  snprintf(message, sizeof message, "%s", m);
}
void *TVMFFIEnvGetStream(int32_t type, int32_t id) {
  streams += type == 2 && id == 0;
  return NULL;
}

static int failures = 0;
static void expect(const char *what, int holds) {
  if (holds)
    return;
  ++failures;
  fprintf(stderr, "%s is wrong; last error: %s: %s\n", what, kind, message);
}
static void expectError(const char *what, int code, const char *of, const char *part) {
  expect(what, code == -1 && strcmp(kind, of) == 0 && strstr(message, part));
  kind[0] = message[0] = 0;
}

static Any of(Tensor *tensor) {
  Any any;
  memset(&any, 0, sizeof any);
  any.type_index = DlTensorPtr;
  any.v.v_ptr = tensor;
  return any;
}
static Tensor tensor(void *data, uint8_t code, uint8_t bits, int32_t ndim, int64_t *shape) {
  Tensor t = {data, 2, 0, ndim, code, bits, 1, shape, NULL, 0};
  return t;
}

static void twiceIsRight(void) {
  static float x[256], y[256], z[512];
  int64_t shape[2] = {256, 1}, strides[2] = {1, 1};
  Any args[3], result;
  TensorObject object;
  Tensor a, b;
  int i, right = 1;
  for (i = 0; i < 256; ++i)
    x[i] = (float)i;
  a = tensor(onDevice(x, sizeof x), 2, 32, 1, shape);
  b = tensor(onDevice(y, sizeof y), 2, 32, 1, shape);
  args[0] = of(&a), args[1] = args[2] = of(&b);
  memset(&result, 255, sizeof result);
  expect("call", __tvm_ffi_twice(NULL, args, 2, &result) == 0);
  expect("result", result.type_index == None && result.zero_padding == 0);
  expect("stream", streams == 1);
  copyFrom(y, (uint64_t)(uintptr_t)b.data, sizeof y);
  for (i = 0; i < 256; ++i)
    right &= y[i] == 2 * x[i];
  expect("numbers", right);

  /* An object with a tensor, of the second half of what is there. */
  memset(&object, 0, sizeof object);
  object.type_index = TensorIndex;
  object.tensor = tensor(onDevice(z, sizeof z), 2, 32, 1, shape);
  object.tensor.byte_offset = 256 * sizeof(float);
  args[1].type_index = TensorIndex, args[1].v.v_ptr = &object;
  expect("object", __tvm_ffi_twice(NULL, args, 2, &result) == 0);
  copyFrom(z, (uint64_t)(uintptr_t)object.tensor.data, sizeof z);
  for (i = 0; i < 512; ++i)
    right &= z[i] == (i < 256 ? 0 : 2 * x[i - 256]);
  expect("numbers of the object", right);
  args[1] = of(&b);

  expectError("a missing argument", __tvm_ffi_twice(NULL, args, 1, &result), "TypeError",
              "twice: expects 2 arguments, but got 1");
  expectError("too many arguments", __tvm_ffi_twice(NULL, args, 3, &result), "TypeError",
              "but got 3");
  b.bits = 64;
  expectError("f64", __tvm_ffi_twice(NULL, args, 2, &result), "TypeError",
              "argument 1 expects a tensor of f32 (?):(1), aligned to 4 bytes, but got a tensor of "
              "DLPack's type code 2 with 64 bits");
  b.bits = 32, b.lanes = 2;
  expectError("lanes", __tvm_ffi_twice(NULL, args, 2, &result), "TypeError", "2 lanes");
  b.lanes = 1, b.ndim = 2;
  expectError("two modes", __tvm_ffi_twice(NULL, args, 2, &result), "TypeError", "of 2 modes");
  b.ndim = 1, b.device_type = 1;
  expectError("host", __tvm_ffi_twice(NULL, args, 2, &result), "TypeError", "on device type 1");
  b.device_type = 2, strides[0] = 2, b.strides = strides;
  expectError("stride 2", __tvm_ffi_twice(NULL, args, 2, &result), "ValueError", "a stride is not");
  b.strides = NULL, b.byte_offset = 2;
  expectError("odd address", __tvm_ffi_twice(NULL, args, 2, &result), "ValueError",
              "an address is not aligned");
  args[0].type_index = Int, args[0].v.v_int64 = 5;
  expectError(
      "a number", __tvm_ffi_twice(NULL, args, 2, &result), "TypeError",
      "argument 0 expects a tensor of f32 (?):(1), aligned to 4 bytes, but got the integer 5");
  args[0].type_index = None;
  expectError("nothing", __tvm_ffi_twice(NULL, args, 2, &result), "TypeError", "type index 0");
}

/* Two rows of B are compact, so that their strides may be left out. */
static void gemmIsRight(void) {
  static uint16_t a[128 * 64], b[64 * 64];
  static float d[128 * 64];
  int64_t shapeA[2] = {128, 64}, shapeB[2] = {64, 64}, oneRow[2] = {1, 64}, foreign[2] = {7, 1};
  Tensor tensors[3];
  Any args[3], result;
  int i, right = 1;
  for (i = 0; i < 128 * 64; ++i)
    a[i] = 0x3c00; /* 1 */
  for (i = 0; i < 64 * 64; ++i)
    b[i] = i / 64 % 2 ? 0x4000 : 0; /* 2 or 0 by row */
  tensors[0] = tensor(onDevice(a, sizeof a), 2, 16, 2, shapeA);
  tensors[1] = tensor(onDevice(b, sizeof b), 2, 16, 2, shapeB);
  tensors[2] = tensor(onDevice(d, sizeof d), 2, 32, 2, shapeA);
  for (i = 0; i < 3; ++i)
    args[i] = of(&tensors[i]);
  expect("gemm", __tvm_ffi_gemm(NULL, args, 3, &result) == 0);
  copyFrom(d, (uint64_t)(uintptr_t)tensors[2].data, sizeof d);
  for (i = 0; i < 128 * 64; ++i)
    right &= d[i] == (i % 2 ? 128.0f : 0.0f);
  expect("numbers of gemm", right);
  /* The stride of a mode of one element says nothing. */
  for (i = 0; i < 64; ++i)
    d[i] = -1;
  tensors[2].data = onDevice(d, sizeof d);
  tensors[0].shape = tensors[2].shape = oneRow, tensors[0].strides = tensors[2].strides = foreign;
  expect("one row", __tvm_ffi_gemm(NULL, args, 3, &result) == 0);
  copyFrom(d, (uint64_t)(uintptr_t)tensors[2].data, sizeof d);
  for (i = 0; i < 64; ++i)
    right &= d[i] == (i % 2 ? 128.0f : 0.0f);
  expect("numbers of one row", right);

  /* Nor does any of a tensor without elements, as torch's and numpy's of no rows. */
  oneRow[0] = 0, tensors[0].data = tensors[2].data = NULL;
  expect("no rows", __tvm_ffi_gemm(NULL, args, 3, &result) == 0);

  oneRow[0] = 1;
  tensors[0].data = tensors[2].data = tensors[1].data;
  shapeB[1] = 32;
  expectError("K of 32", __tvm_ffi_gemm(NULL, args, 3, &result), "ValueError",
              "gemm: expects A of M x K, B of N x K and D (and C) of M x N");
}

int main(void) {
  openDriver();
  twiceIsRight();
  gemmIsRight();
  return failures != 0;
}
