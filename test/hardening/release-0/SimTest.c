/* The C API of the simulator, from C99: a kernel run with arguments, its memory, limits and errors.
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

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 factor = 3;\n"
    ".visible .entry scale(.param .u64 to, .param .u32 offset, .param .u64 n) {\n"
    "  .reg .b32 %r<8>;\n  .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to];\n  ld.param.u32 %r1, [offset];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n  mad.lo.u32 %r2, "
    "%r2, %r3, %r4;\n"
    "  ld.global.u32 %r5, [factor];\n  mad.lo.u32 %r6, %r2, %r5, %r1;\n"
    "  mad.wide.u32 %d1, %r2, 4, %d1;\n  st.global.u32 [%d1], %r6;\n  ret;\n}\n"
    ".visible .entry endless() {\nagain:\n  bra again;\n}\n";

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

static void runs(const TesseraSimProgram *program) {
  TesseraSimError *error = NULL;
  TesseraSimMachine *machine = tesseraSimMachineCreate(NULL, &error);
  TesseraSimModule *module = tesseraSimModuleLoad(machine, program, &error);
  uint64_t to = 0, variable = 0, n = 64;
  uint32_t offset = 100, got[64], factor = 7;
  const void *arguments[3];
  TesseraSimLaunch launch = {{2, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0};
  int i;
  arguments[0] = &to, arguments[1] = &offset, arguments[2] = &n;
  CHECK(machine && module && !error);
  CHECK(tesseraSimAllocate(machine, sizeof(got), &to, &error));
  CHECK(tesseraSimSymbol(module, "factor", &variable, &error));
  CHECK(tesseraSimWrite(machine, variable, &factor, sizeof(factor), &error));
  CHECK(tesseraSimLaunch(module, "scale", &launch, arguments, 3, &error));
  CHECK(tesseraSimRead(machine, got, to, sizeof(got), &error));
  for (i = 0; i < 64; ++i)
    CHECK(got[i] == (uint32_t)(7 * i + 100));
  CHECK(tesseraSimLastLaunch(machine).thread_instructions ==
        32 * tesseraSimLastLaunch(machine).warp_instructions);
  CHECK(!strcmp(tesseraSimTakeOutput(machine), ""));
  launch.grid[0] = 3; /* one block more than the buffer has room for */
  CHECK(!tesseraSimLaunch(module, "scale", &launch, arguments, 3, &error));
  CHECK(isError(&error, "OutOfBounds", "block (2, 0, 0)"));
  CHECK(!tesseraSimLaunch(module, "scale", &launch, arguments, 2, &error));
  CHECK(isError(&error, "ArgumentCount", "kernel 'scale' has 3 parameters, but got 2 arguments"));
  CHECK(!tesseraSimLaunch(module, "square", &launch, arguments, 3, &error));
  CHECK(
      isError(&error, "NoKernel", "there is no kernel 'square'; the file has 'scale', 'endless'"));
  launch.cluster[0] = 2, launch.cluster[1] = launch.cluster[2] = 1;
  CHECK(!tesseraSimLaunch(module, "scale", &launch, arguments, 3, &error));
  CHECK(isError(&error, "ClusterDivides", "(3, 1, 1)"));
  CHECK(!tesseraSimSymbol(module, "nothing", &variable, &error));
  CHECK(isError(&error, "Undefined", "'nothing'"));
  CHECK(tesseraSimFree(machine, to, &error));
  CHECK(!tesseraSimRead(machine, got, to, 4, &error));
  CHECK(isError(&error, "HostAccess", "4 bytes"));
  CHECK(!tesseraSimWrite(NULL, to, got, 4, &error));
  CHECK(isError(&error, "NullArgument", "tesseraSimWrite expects a machine, but got NULL"));
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
}

static void keepsLimits(const TesseraSimProgram *program) {
  TesseraSimError *error = NULL;
  TesseraSimLimits limits = tesseraSimDefaultLimits();
  TesseraSimLaunch launch = {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0};
  TesseraSimMachine *machine;
  TesseraSimModule *module;
  uint64_t address = 0;
  limits.instructions = 100000, limits.global_bytes = 1 << 20;
  machine = tesseraSimMachineCreate(&limits, &error);
  module = tesseraSimModuleLoad(machine, program, &error);
  CHECK(!tesseraSimLaunch(module, "endless", &launch, NULL, 0, &error));
  CHECK(isError(&error, "Instructions", "the limit of 100000 instructions"));
  CHECK(!tesseraSimAllocate(machine, 2 << 20, &address, &error));
  CHECK(isError(&error, "NoMemory", "2097152 bytes"));
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
}

int main(void) {
  TesseraSimError *error = NULL;
  TesseraSimParameter parameter = {NULL, 0, 0};
  const char *wrong = ".version 8.0\n.target sm_90\n.entry k() { add.f99 %r1; }";
  TesseraSimProgram *program = tesseraSimProgramParse(text, strlen(text), &error);
  CHECK(program && !error);
  CHECK(tesseraSimKernelCount(program) == 2);
  CHECK(!strcmp(tesseraSimKernelName(program, 1), "endless") && !tesseraSimKernelName(program, 2));
  CHECK(tesseraSimParameterCount(program, "scale") == 3 &&
        tesseraSimParameterCount(program, "square") == 0);
  CHECK(tesseraSimParameter(program, "scale", 2, &parameter, &error));
  CHECK(!strcmp(parameter.name, "n") && parameter.offset == 16 && parameter.size == 8);
  CHECK(!tesseraSimParameter(program, "scale", 3, &parameter, &error));
  CHECK(isError(&error, "NoParameter",
                "kernel 'scale' has 3 parameters, but got the parameter number 3"));
  runs(program);
  keepsLimits(program);
  tesseraSimProgramDestroy(program);
  CHECK(!tesseraSimProgramParse(wrong, strlen(wrong), &error));
  CHECK(isError(&error, "Modifiers", "line 3: 'add.f99'"));
  CHECK(!tesseraSimProgramParse(NULL, 0, NULL));
  tesseraSimErrorDestroy(NULL);
  if (!failures)
    printf("the C API of the simulator does what its header says\n");
  return failures != 0;
}
