/* The C API of programs from C99: devices, files of the README, questions, calls, refusals.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tessera-c/Tessera.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(const char *what, int holds) {
  if (holds)
    return;
  ++failures;
  fprintf(stderr, "failed: %s\n", what);
}
static void expectText(const char *what, const char *got, const char *expected) {
  if (got && strcmp(got, expected) == 0)
    return;
  ++failures;
  fprintf(stderr, "%s: expected \"%s\", got \"%s\"\n", what, expected, got ? got : "(null)");
}
/* The error's id; destroys it. */
static void expectRefusal(const char *what, int done, TesseraError *error, const char *id) {
  expect(what, !done);
  expectText(what, tesseraErrorId(error), id);
  expect("a sentence", strlen(tesseraErrorText(error)) > 10);
  tesseraErrorDestroy(error);
}

/* The kernel of the README, between its marks. */
static char *kernelOf(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text, *begin, *end;
  long size;
  if (!file)
    exit(2);
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  text = calloc((size_t)size + 1, 1);
  if (fread(text, 1, (size_t)size, file) != (size_t)size)
    exit(2);
  fclose(file);
  begin = strstr(text, "```mlir\n");
  end = begin ? strstr(begin + 8, "```") : NULL;
  if (!end)
    exit(2);
  *end = 0;
  memmove(text, begin + 8, strlen(begin + 8) + 1);
  return text;
}

static float x[256], y[256];

static TesseraTensor vectorOf(float *data, const int64_t *extent) {
  TesseraTensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.device_type = 1;
  t.rank = 1;
  t.type_code = 2;
  t.type_bits = 32;
  t.type_lanes = 1;
  t.shape = extent;
  return t;
}
static TesseraArgument argumentOf(const TesseraTensor *tensor) {
  TesseraArgument a;
  memset(&a, 0, sizeof a);
  a.kind = TESSERA_TENSOR;
  a.value.tensor = tensor;
  return a;
}

static void callsOn(TesseraProgram *program) {
  const int64_t extent = 256, short_extent = 100;
  TesseraTensor tx = vectorOf(x, &extent), ty = vectorOf(y, &extent), tz;
  TesseraArgument arguments[3];
  TesseraError *error = NULL;
  TesseraLaunch launch = {{1, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0};
  size_t i, kernel = 9;
  int right = 1;
  for (i = 0; i < 256; ++i)
    x[i] = (float)i, y[i] = -1;
  arguments[0] = argumentOf(&tx);
  arguments[1] = argumentOf(&ty);
  expect("host call", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error));
  expect("synchronize", tesseraProgramSynchronize(program, NULL, &error));
  for (i = 0; i < 256; ++i)
    right &= y[i] == 2 * x[i], y[i] = -1;
  expect("numbers", right);
  expect("find", tesseraProgramFind(program, "twice", &kernel, &error) && kernel == 1);
  expect("launch", tesseraProgramCall(program, kernel, arguments, 2, &launch, NULL, &error));
  for (i = 0; i < 256; ++i)
    right &= y[i] == 2 * x[i];
  expect("numbers of the kernel", right && !error);

  expectRefusal("one argument", tesseraProgramCall(program, 0, arguments, 1, NULL, NULL, &error),
                error, "BindCount");
  error = NULL;
  launch.cluster[0] = 3; /* and 0 and 0 */
  expectRefusal("half a cluster",
                tesseraProgramCall(program, kernel, arguments, 2, &launch, NULL, &error), error,
                "LaunchExtents");
  error = NULL;
  launch.cluster[0] = 0, launch.dynamic_shared = UINT64_MAX;
  expect("all bytes as shared memory",
         !tesseraProgramCall(program, kernel, arguments, 2, &launch, NULL, &error));
  expect("and not fewer than none", !strchr(tesseraErrorText(error), '-'));
  expectRefusal("all bytes", 0, error, "LaunchShared");
  error = NULL;
  launch.dynamic_shared = 0, launch.grid[1] = 0;
  expectRefusal("half a grid", tesseraProgramCall(program, 0, arguments, 2, &launch, NULL, &error),
                error, "LaunchExtents");
  error = NULL;
  /* Memory that nobody may write: read it is, and written it is refused and left alone. */
  arguments[0].kind = TESSERA_READ_ONLY_TENSOR;
  for (i = 0; i < 256; ++i)
    y[i] = -1;
  expect("reads", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error));
  expect("numbers of what is read", y[255] == 510 && !error);
  arguments[0].kind = TESSERA_TENSOR;
  arguments[1].kind = TESSERA_READ_ONLY_TENSOR;
  for (i = 0; i < 256; ++i)
    y[i] = -1;
  expectRefusal("writes", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error), error,
                "TensorReadOnly");
  for (i = 0; i < 256; ++i)
    right &= y[i] == -1;
  expect("nothing was written", right);
  error = NULL;
  tz = vectorOf(NULL, &extent);
  arguments[1] = argumentOf(&tz);
  expectRefusal("no memory", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error),
                error, "CallNull");
  error = NULL;
  tz = vectorOf(y, &short_extent);
  tz.device_type = 2;
  arguments[1] = argumentOf(&tz);
  expectRefusal("a GPU's tensor", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error),
                error, "TensorOnGpu");
  error = NULL;
  tz.device_type = 1;
  tz.rank = 99;
  expectRefusal("rank 99", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error), error,
                "CallRank");
  error = NULL;
  arguments[1].kind = (TesseraArgumentKind)77;
  expectRefusal("kind 77", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error), error,
                "ArgumentKind");
  error = NULL;
  arguments[1].kind = TESSERA_BYTES;
  arguments[1].value.bytes = x;
  arguments[1].size = 3;
  expectRefusal("3 bytes", tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error), error,
                "CallBytes");
  error = NULL;
  expectRefusal("no kernel 5", tesseraProgramCall(program, 5, arguments, 2, NULL, NULL, &error),
                error, "NoKernel");
}

static void questions(TesseraProgram *program) {
  TesseraKernel kernel;
  TesseraParameter parameter;
  TesseraOccupancy occupancy;
  const char *code;
  size_t bytes = 1;
  TesseraError *error = NULL;
  expect("two kernels", tesseraProgramKernelCount(program) == 2);
  expectText("arch", tesseraProgramArch(program), "sm_80");
  expectText("warnings", tesseraProgramWarnings(program), "");
  expect("kernel 0", tesseraProgramKernel(program, 0, &kernel, &error));
  expectText("name", kernel.name, "main");
  expect("host", kernel.is_host && kernel.parameters == 3 && kernel.registers == -1);
  expect("kernel 1", tesseraProgramKernel(program, 1, &kernel, &error));
  expectText("name", kernel.name, "twice");
  expectText("module", kernel.module, "kernels");
  expect("device", !kernel.is_host && kernel.parameters == 2 && kernel.shared_bytes == 0);
  expect("one module's code", tesseraProgramCodeCount(program) == 1);
  code = tesseraProgramCode(program, 0, &bytes);
  expect("PTX", code && bytes > 100 && strstr(code, ".visible .entry twice"));
  expect("no more code", !tesseraProgramCode(program, 1, &bytes) && bytes == 0);
  expectRefusal("occupancy of a host function",
                tesseraProgramOccupancy(program, 0, 0, 0, &occupancy, &error), error,
                "OccupancyOfHost");
  error = NULL;
  expectRefusal("occupancy on the simulator",
                tesseraProgramOccupancy(program, 1, 256, 0, &occupancy, &error), error,
                "OccupancyWithoutGpu");
  error = NULL;
  expect("parameter", tesseraProgramParameter(program, 0, 0, &parameter, &error));
  expectText("kind", parameter.kind, "tensor");
  expectText("type", parameter.type, "!cute.memref<f32, gmem, \"(?):(1)\">");
  expectText("constraint", parameter.constraint, "f32 (?):(1), aligned to 4 bytes");
  expect("argument", parameter.takes_argument && parameter.bytes == 16);
  expect("parameter", tesseraProgramParameter(program, 0, 2, &parameter, &error));
  expectText("kind", parameter.kind, "stream");
  expect("no argument", !parameter.takes_argument && !error);
  expectRefusal("parameter 3", tesseraProgramParameter(program, 0, 3, &parameter, &error), error,
                "NoParameter");
  error = NULL;
  expectRefusal("kernel 2", tesseraProgramKernel(program, 2, &kernel, &error), error, "NoKernel");
}

/* By hand: 8 heads of K give 16 parts each to 128 blocks, without clusters, whose teams leave 64
 * rows of 128 sums and two numbers. 66 rows are two tiles. Many heads fill a GPU by themselves. */
static void workspaces(TesseraAttention attention) {
  const struct {
    bool workspace;
    int64_t groups, rows, numbers, counters;
  } rows[] = {{true, 8, 4, 8 * 16 * 64 * 130, 8},
              {true, 8, 66, 2 * 8 * 16 * 64 * 130, 2 * 8},
              {true, 1, 8, 15 * 64 * 130, 8},
              {true, 200, 8, 0, 0},
              {false, 8, 4, 0, 0},
              {true, 0, 4, 0, 0},
              {true, 8, 0, 0, 0}};
  TesseraError *error = NULL;
  int64_t numbers, counters;
  size_t i;
  attention.head_dim = 128;
  for (i = 0; i < sizeof rows / sizeof *rows; ++i) {
    attention.workspace = rows[i].workspace, attention.groups = rows[i].groups;
    numbers = counters = -1;
    expect("an answer",
           tesseraAttentionWorkspace(&attention, rows[i].rows, &numbers, &counters, &error));
    expect("numbers", numbers == rows[i].numbers);
    expect("counters", counters == rows[i].counters);
  }
  expectRefusal("no form", tesseraAttentionWorkspace(NULL, 4, &numbers, &counters, &error), error,
                "NullHandle");
  error = NULL;
  expectRefusal("no place", tesseraAttentionWorkspace(&attention, 4, &numbers, NULL, &error), error,
                "NullHandle");
  error = NULL;
  attention.workspace = true, attention.groups = 8;
  expectRefusal("-1 rows", tesseraAttentionWorkspace(&attention, -1, &numbers, &counters, &error),
                error, "AttentionRows");
  error = NULL;
  attention.groups = -3;
  expectRefusal("-3 groups", tesseraAttentionWorkspace(&attention, 4, &numbers, &counters, &error),
                error, "AttentionRows");
  error = NULL;
  attention.groups = 8, attention.head_dim = 77;
  expectRefusal("heads of 77",
                tesseraAttentionWorkspace(&attention, 4, &numbers, &counters, &error), error,
                "AttentionHead");
}

static void refusalsOfReadyKernels(TesseraDevice *device) {
  TesseraError *error = NULL;
  TesseraGemm gemm = {64, 64, 64, "f64", "f64", "f64", NULL, false, NULL, 0};
  TesseraAttention attention = {0};
  TesseraAttentionBackward backward = {.element = "f16", .head_dim = 80};
  TesseraRows rows = {0};
  expectRefusal("f64", tesseraProgramGemm(device, &gemm, NULL, &error) != NULL, error,
                "GemmElement");
  error = NULL;
  gemm.a = gemm.b = "f8E4M3FN", gemm.d = "f32", gemm.major = "km";
  expectRefusal("major", tesseraProgramGemm(device, &gemm, NULL, &error) != NULL, error,
                "GemmMajorBits");
  error = NULL;
  gemm.a = "f16", gemm.b = "i4", gemm.group_scales = 48, gemm.major = NULL;
  expectRefusal("groups of 48", tesseraProgramGemm(device, &gemm, NULL, &error) != NULL, error,
                "GemmWeightsGroup");
  error = NULL;
  gemm.a = gemm.b = "f16", gemm.block_scales = true, gemm.group_scales = 0;
  expectRefusal("factors", tesseraProgramGemm(device, &gemm, NULL, &error) != NULL, error,
                "GemmBlockFactorsOf");
  error = NULL;
  expectRefusal("no type", tesseraProgramAttention(device, &attention, NULL, &error) != NULL, error,
                "AttentionElement");
  error = NULL;
  attention.element = "f16";
  attention.head_dim = 80;
  expectRefusal("80", tesseraProgramAttention(device, &attention, NULL, &error) != NULL, error,
                "AttentionHead");
  error = NULL;
  attention.head_dim = 64;
  attention.varlen = true;
  attention.groups = 8;
  expectRefusal("few", tesseraProgramAttention(device, &attention, NULL, &error) != NULL, error,
                "AttentionFewVarlen");
  error = NULL;
  attention.varlen = false;
  attention.lse = true;
  expectRefusal("logarithms", tesseraProgramAttention(device, &attention, NULL, &error) != NULL,
                error, "AttentionFewLogs");
  error = NULL;
  expectRefusal("no form", tesseraProgramAttention(device, NULL, NULL, &error) != NULL, error,
                "NullHandle");
  attention.lse = false;
  workspaces(attention);
  error = NULL;
  expectRefusal("80", tesseraProgramAttentionBackward(device, &backward, NULL, &error) != NULL,
                error, "AttentionBackwardHead");
  error = NULL;
  expectRefusal("no form", tesseraProgramAttentionBackward(device, NULL, NULL, &error) != NULL,
                error, "NullHandle");
  error = NULL;
  expectRefusal("no name", tesseraProgramRows(device, &rows, NULL, &error) != NULL, error,
                "RowKernel");
  error = NULL;
  rows.kernel = "softmax-backward";
  rows.element = "f16";
  rows.columns = (int64_t)1 << 40;
  expectRefusal("long", tesseraProgramRows(device, &rows, NULL, &error) != NULL, error, "RowFits");
  error = NULL;
  expectRefusal("no device", tesseraProgramRows(NULL, &rows, NULL, &error) != NULL, error,
                "NullHandle");
}
static void refusals(TesseraDevice *device) {
  TesseraError *error = NULL;
  TesseraLoadOptions options = {0};
  expectRefusal("null", tesseraProgramLoad(NULL, "x", NULL, &error) != NULL, error, "NullHandle");
  error = NULL;
  expectRefusal("no file", tesseraProgramLoad(device, "/no/such/file", NULL, &error) != NULL, error,
                "FileRead");
  error = NULL;
  expectRefusal("garbage", tesseraProgramRead(device, "x y", 3, "g", NULL, &error) != NULL, error,
                "CompileFailed");
  error = NULL;
  options.input_version = "9.9.9";
  expectRefusal("version",
                tesseraProgramRead(device, "module {}", 9, "m", &options, &error) != NULL, error,
                "InputVersion");
  error = NULL;
  expectRefusal("device", tesseraDeviceOpen("tpu", NULL, &error) != NULL, error, "DeviceName");
  error = NULL;
  expectRefusal("null call", tesseraProgramCall(NULL, 0, NULL, 0, NULL, NULL, &error), error,
                "NullHandle");
  expect("no error wanted", tesseraDeviceOpen("tpu", NULL, NULL) == NULL);
  refusalsOfReadyKernels(device);
}

int main(int argc, char **argv) {
  TesseraError *error = NULL;
  TesseraLoadOptions options = {0};
  TesseraDeviceOptions sanitized = tesseraDeviceDefaultOptions();
  TesseraDevice *device = tesseraDeviceOpen("sim", NULL, &error);
  TesseraProgram *program;
  TesseraReports *reports;
  char *text = kernelOf(argc > 1 ? argv[1] : "README.md");
  options.arch = "sm_80";
  program = tesseraProgramRead(device, text, strlen(text), "twice.mlir", &options, &error);
  if (!program) {
    fprintf(stderr, "%s\n", tesseraErrorText(error));
    return 1;
  }
  expectText("hardware", tesseraDeviceHardware(device), "Tessera's simulator");
  questions(program);
  callsOn(program);
  refusals(device);
  tesseraDeviceDestroy(device); /* the program keeps it */
  callsOn(program);
  tesseraProgramDestroy(program);

  sanitized.sanitize = true;
  device = tesseraDeviceOpen("sim", &sanitized, &error);
  program = tesseraProgramRead(device, text, strlen(text), "twice.mlir", &options, &error);
  callsOn(program);
  reports = tesseraDeviceTakeReports(device);
  expect("no reports", tesseraReportCount(reports) == 0);
  tesseraReportsDestroy(reports);
  tesseraProgramDestroy(program);
  tesseraDeviceDestroy(device);
  tesseraProgramDestroy(NULL);
  free(text);
  return failures != 0;
}
