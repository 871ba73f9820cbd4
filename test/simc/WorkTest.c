/* The C API of the simulator, from C99: streams, events, tensor maps and reports.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tessera-c/Sim.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (0)

/* add: to[i] = from[i] + what, of 32 numbers. race: all threads of two blocks write the same word.
 * box: thread i writes word i of the box that the map brings to column 4, row 1. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry add(.param .u64 to, .param .u64 from, .param .u32 what) {\n"
    "  .reg .b32 %r<4>;\n  .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to];\n  ld.param.u64 %d2, [from];\n  ld.param.u32 %r1, [what];\n"
    "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %d3, %r2, 4;\n"
    "  add.u64 %d1, %d1, %d3;\n  add.u64 %d2, %d2, %d3;\n"
    "  ld.global.u32 %r3, [%d2];\n  add.u32 %r3, %r3, %r1;\n  st.global.u32 [%d1], %r3;\n  "
    "ret;\n}\n"
    ".visible .entry race(.param .u64 to) {\n"
    "  .reg .b32 %r<2>;\n  .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [to];\n  mov.u32 %r1, %ctaid.x;\n  st.global.u32 [%d1], %r1;\n  ret;\n}\n"
    ".visible .entry box(.param .align 64 .b8 map[128], .param .u64 to) {\n"
    "  .reg .b32 %r<8>;\n  .reg .b64 %d<4>;\n  .reg .pred %p<3>;\n"
    "  .shared .align 128 .b8 tile[128];\n  .shared .align 8 .b64 barrier;\n"
    "  mov.u32 %r1, %tid.x;\n  setp.ne.u32 %p1, %r1, 0;\n"
    "  @%p1 bra wait;\n"
    "  mbarrier.init.shared::cta.b64 [barrier], 1;\n"
    "  fence.proxy.async.shared::cta;\n"
    "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 128;\n"
    "  mov.b64 %d1, map;\n  cvta.param.u64 %d1, %d1;\n  mov.u32 %r2, 4;\n  mov.u32 %r3, 1;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1, "
    "{%r2, %r3}], [barrier];\n"
    "wait:\n  bar.sync 0;\n"
    "again:\n  mbarrier.try_wait.parity.shared::cta.b64 %p2, [barrier], 0;\n  @!%p2 bra again;\n"
    "  mov.u32 %r4, tile;\n  shl.b32 %r5, %r1, 2;\n  add.u32 %r4, %r4, %r5;\n"
    "  ld.shared.u32 %r6, [%r4];\n"
    "  ld.param.u64 %d2, [to];\n  cvt.u64.u32 %d3, %r5;\n  add.u64 %d2, %d2, %d3;\n"
    "  st.global.u32 [%d2], %r6;\n  ret;\n}\n";

/* Whether there is an error with this id whose text has these words; it is gone afterwards. */
static int isError(TesseraSimError **error, const char *id, const char *words) {
  int is = *error && !strcmp(tesseraSimErrorId(*error), id) &&
           strstr(tesseraSimErrorText(*error), words);
  if (!is)
    fprintf(stderr, "%s: %s\n", tesseraSimErrorId(*error), tesseraSimErrorText(*error));
  tesseraSimErrorDestroy(*error);
  *error = NULL;
  return is;
}

static const TesseraSimLaunch one = {{1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0};

/* Queues y = x + what. */
static int add(TesseraSimStream *stream, TesseraSimModule *module, uint64_t to, uint64_t from,
               uint32_t what, TesseraSimError **error) {
  const void *arguments[3];
  arguments[0] = &to, arguments[1] = &from, arguments[2] = &what;
  return tesseraSimStreamLaunch(stream, module, "add", &one, arguments, 3, error);
}

/* One stream makes b = a + 5, another c = b + 7, with an event between them or without: how many of
 * 32 seeds give c = 12. */
static int ordered(const TesseraSimProgram *program, int withEvent) {
  int right = 0;
  uint64_t seed;
  for (seed = 1; seed <= 32; ++seed) {
    TesseraSimError *error = NULL;
    TesseraSimMachine *machine = tesseraSimMachineCreate(NULL, &error);
    TesseraSimModule *module = tesseraSimModuleLoad(machine, program, &error);
    TesseraSimStream *first = tesseraSimStreamCreate(machine, &error);
    TesseraSimStream *second = tesseraSimStreamCreate(machine, &error);
    TesseraSimEvent *event = tesseraSimEventCreate(machine, &error);
    uint64_t a = 0, b = 0, c = 0;
    uint32_t got[32];
    int i, good = 1;
    CHECK(module && first && second && event && !error);
    CHECK(tesseraSimSeedStreams(machine, seed, &error));
    CHECK(tesseraSimAllocate(machine, 128, &a, &error));
    CHECK(tesseraSimAllocate(machine, 128, &b, &error));
    CHECK(tesseraSimAllocate(machine, 128, &c, &error));
    CHECK(tesseraSimStreamWait(second, event,
                               &error)); /* recorded nowhere yet: nothing to wait for */
    CHECK(add(first, module, b, a, 5, &error));
    CHECK(tesseraSimStreamRecord(first, event, &error));
    if (withEvent)
      CHECK(tesseraSimStreamWait(second, event, &error));
    CHECK(add(second, module, c, b, 7, &error));
    CHECK(tesseraSimStreamRead(second, got, c, sizeof(got), &error));
    CHECK(tesseraSimStreamSynchronize(second, &error));
    for (i = 0; i < 32; ++i)
      good &= got[i] == 12;
    right += good;
    CHECK(tesseraSimSynchronize(machine, &error));
    tesseraSimEventDestroy(event);
    tesseraSimStreamDestroy(second);
    tesseraSimStreamDestroy(first);
    tesseraSimModuleDestroy(module);
    tesseraSimMachineDestroy(machine);
  }
  return right;
}

static void queues(const TesseraSimProgram *program) {
  TesseraSimError *error = NULL;
  TesseraSimMachine *machine = tesseraSimMachineCreate(NULL, &error),
                    *other = tesseraSimMachineCreate(NULL, &error);
  TesseraSimModule *module = tesseraSimModuleLoad(machine, program, &error);
  TesseraSimStream *stream = tesseraSimStreamCreate(machine, &error);
  TesseraSimEvent *event = tesseraSimEventCreate(machine, &error),
                  *foreign = tesseraSimEventCreate(other, &error);
  uint64_t a = 0;
  uint32_t given[32], got[32];
  const void *arguments[1];
  int i;
  CHECK(tesseraSimAllocate(machine, 128, &a, &error));
  for (i = 0; i < 32; ++i)
    given[i] = (uint32_t)i;
  CHECK(tesseraSimStreamWrite(stream, a, given, sizeof(given), &error));
  CHECK(add(stream, module, a, a, 1, &error));
  CHECK(tesseraSimStreamRecord(stream, event, &error));
  CHECK(add(stream, module, a, a, 1, &error));
  CHECK(tesseraSimRead(machine, got, a, sizeof(got), &error)); /* waits for no stream */
  CHECK(got[31] == 0);
  CHECK(tesseraSimEventSynchronize(event, &error));
  CHECK(tesseraSimRead(machine, got, a, sizeof(got), &error));
  CHECK(got[31] == 32);
  CHECK(tesseraSimSynchronize(machine, &error));
  CHECK(tesseraSimRead(machine, got, a, sizeof(got), &error));
  CHECK(got[31] == 33 && got[0] == 2);
  /* What fails is said where it is waited for, and takes what comes after it along. */
  CHECK(add(stream, module, 64, a, 1, &error));
  CHECK(add(stream, module, a, a, 1, &error));
  CHECK(!tesseraSimStreamSynchronize(stream, &error));
  CHECK(isError(&error, "OutOfBounds", "block (0, 0, 0)"));
  CHECK(tesseraSimStreamSynchronize(stream, &error));
  CHECK(tesseraSimRead(machine, got, a, sizeof(got), &error) && got[31] == 33);
  /* What is wrong with a call is said at once. */
  CHECK(!tesseraSimStreamLaunch(stream, module, "add", &one, NULL, 3, &error));
  CHECK(isError(&error, "NullArgument", "tesseraSimStreamLaunch expects arguments, but got NULL"));
  arguments[0] = &a;
  CHECK(!tesseraSimStreamLaunch(stream, module, "add", &one, arguments, 1, &error));
  CHECK(isError(&error, "ArgumentCount", "'add' has 3 parameters, but got 1 arguments"));
  CHECK(!tesseraSimStreamWait(stream, foreign, &error));
  CHECK(isError(&error, "OtherMachine", "expects event and stream of one machine"));
  CHECK(!tesseraSimStreamRecord(NULL, event, &error));
  CHECK(isError(&error, "NullArgument", "expects a stream"));
  tesseraSimEventDestroy(foreign);
  tesseraSimEventDestroy(event);
  tesseraSimStreamDestroy(stream);
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(other);
  tesseraSimMachineDestroy(machine);
}

/* A matrix of 8 rows of 16 words; its map has 4 rows of 11, and a box 4 rows of 8. */
static void maps(const TesseraSimProgram *program) {
  TesseraSimError *error = NULL;
  TesseraSimMachine *machine = tesseraSimMachineCreate(NULL, &error);
  TesseraSimModule *module = tesseraSimModuleLoad(machine, program, &error);
  TesseraSimTensorMap map;
  unsigned char image[128];
  uint32_t matrix[8][16], got[4][8];
  uint64_t from = 0, to = 0;
  const void *arguments[2];
  uint32_t i, j;
  for (i = 0; i < 8; ++i)
    for (j = 0; j < 16; ++j)
      matrix[i][j] = 100 * i + j;
  CHECK(tesseraSimAllocate(machine, sizeof(matrix), &from, &error));
  CHECK(tesseraSimAllocate(machine, sizeof(got), &to, &error));
  CHECK(tesseraSimWrite(machine, from, matrix, sizeof(matrix), &error));
  memset(&map, 0, sizeof(map));
  map.type = "UINT32", map.rank = 2, map.address = from;
  map.extents[0] = 11, map.extents[1] = 4;
  map.strides[0] = 64;
  map.box[0] = 8, map.box[1] = 4;
  CHECK(tesseraSimTensorMapEncode(&map, image, &error));
  arguments[0] = image, arguments[1] = &to;
  CHECK(tesseraSimLaunch(module, "box", &one, arguments, 2, &error));
  if (error)
    fprintf(stderr, "%s\n", tesseraSimErrorText(error));
  CHECK(tesseraSimRead(machine, got, to, sizeof(got), &error));
  for (i = 0; i < 4; ++i)
    for (j = 0; j < 8; ++j)
      CHECK(got[i][j] == (i + 1 < 4 && j + 4 < 11 ? 100 * (i + 1) + j + 4 : 0));
  map.swizzle = "127B";
  CHECK(!tesseraSimTensorMapEncode(&map, image, &error));
  CHECK(isError(&error, "TensorMapName", "as its swizzle one of NONE, 32B, 64B, 128B"));
  map.swizzle = "32B", map.strides[0] = 60;
  CHECK(!tesseraSimTensorMapEncode(&map, image, &error));
  CHECK(error && strstr(tesseraSimErrorText(error), "60"));
  tesseraSimErrorDestroy(error);
  error = NULL;
  map.rank = 6;
  CHECK(!tesseraSimTensorMapEncode(&map, image, &error));
  CHECK(isError(&error, "TensorMapRank", "1 to 5 modes, but got 6"));
  map.rank = 2, map.type = "F16";
  CHECK(!tesseraSimTensorMapEncode(&map, image, &error));
  CHECK(isError(&error, "TensorMapName", "its type one of UINT8"));
  map.type = NULL;
  CHECK(!tesseraSimTensorMapEncode(&map, image, &error));
  CHECK(isError(&error, "NullArgument", "the name of a type"));
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
}

static void reports(const TesseraSimProgram *program) {
  TesseraSimError *error = NULL;
  TesseraSimLimits limits = tesseraSimDefaultLimits();
  TesseraSimLaunch two = {{2, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0};
  TesseraSimMachine *machine;
  TesseraSimModule *module;
  TesseraSimReports *found;
  TesseraSimReport report;
  const void *arguments[1];
  const char *file;
  uint64_t word = 0, nowhere = 64;
  limits.sanitize = true;
  machine = tesseraSimMachineCreate(&limits, &error);
  module = tesseraSimModuleLoad(machine, program, &error);
  CHECK(tesseraSimAllocate(machine, 4, &word, &error));
  CHECK(tesseraSimName(machine, word, "the counter", &error));
  arguments[0] = &word;
  CHECK(!tesseraSimLaunch(module, "race", &two, arguments, 1, &error));
  CHECK(isError(&error, "Race", "races with a write"));
  arguments[0] = &nowhere;
  CHECK(!tesseraSimLaunch(module, "race", &two, arguments, 1, &error));
  CHECK(isError(&error, "OutOfBounds", "race"));
  found = tesseraSimTakeReports(machine, &error);
  CHECK(found && tesseraSimReportCount(found) == 2 && !tesseraSimReport(found, 2, &report));
  CHECK(tesseraSimReport(found, 0, &report));
  CHECK(!strcmp(report.rule, "Race") && !report.ended_kernel && !strcmp(report.kernel, "race"));
  CHECK(!strcmp(report.space, "global") && !strcmp(report.allocation, "the counter"));
  CHECK(report.address == word && report.buffer_offset == 0 && report.buffer_bytes == 4);
  CHECK(report.has_earlier && strcmp(report.party.block, report.earlier.block));
  CHECK(strstr(report.party.line_text, "st.global.u32") &&
        report.party.line == report.earlier.line);
  CHECK(tesseraSimReport(found, 1, &report));
  CHECK(!strcmp(report.rule, "OutOfBounds") && report.ended_kernel && !report.has_earlier);
  CHECK(report.buffer_offset == -1 && report.address == 64);
  file = tesseraSimReportsAs(found, "json", "race.ptx", &error);
  CHECK(file && strstr(file, "\"Race\"") && strstr(file, "the counter"));
  file = tesseraSimReportsAs(found, "sarif", "race.ptx", &error);
  CHECK(file && strstr(file, "race.ptx") && strstr(file, "\"2.1.0\""));
  file = tesseraSimReportsAs(found, "junit", "race.ptx", &error);
  CHECK(file && strstr(file, "<testcase") && strstr(file, "<failure"));
  CHECK(!tesseraSimReportsAs(found, "html", "race.ptx", &error));
  CHECK(isError(&error, "ReportFormat", "expects json, sarif or junit, but got 'html'"));
  tesseraSimReportsDestroy(found);
  found = tesseraSimTakeReports(machine, &error); /* they were taken */
  CHECK(found && tesseraSimReportCount(found) == 0);
  tesseraSimReportsDestroy(found);
  CHECK(tesseraSimReportCount(NULL) == 0 && !tesseraSimTakeReports(NULL, &error));
  CHECK(isError(&error, "NullArgument", "expects a machine"));
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
}

int main(void) {
  TesseraSimError *error = NULL;
  TesseraSimProgram *program = tesseraSimProgramParse(text, strlen(text), &error);
  int without;
  if (error)
    fprintf(stderr, "%s\n", tesseraSimErrorText(error));
  CHECK(program);
  CHECK(ordered(program, 1) == 32);
  without = ordered(program, 0);
  CHECK(without > 0 && without < 32);
  queues(program);
  maps(program);
  reports(program);
  tesseraSimProgramDestroy(program);
  if (!failures)
    printf("streams, tensor maps and reports of the C API are as its header says\n");
  return failures != 0;
}
