/* The C API of tile programs, from C99: bytecode read and written, a kernel run, every refusal.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tessera-c/Tile.h"

#include "examples/tile/Add.h"

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

/* Whether there is an error with this id whose text has these words; it is gone afterwards. */
static int isError(TesseraTileError **error, const char *id, const char *words) {
  int is = *error && !strcmp(tesseraTileErrorId(*error), id) &&
           strstr(tesseraTileErrorText(*error), words);
  if (!is)
    fprintf(stderr, "%s: %s\n", tesseraTileErrorId(*error), tesseraTileErrorText(*error));
  tesseraTileErrorDestroy(*error);
  *error = NULL;
  return is;
}

static void reads(TesseraTileProgram *program) {
  TesseraTileError *error = NULL;
  TesseraTileParameter parameter = {NULL, NULL, 0, false};
  unsigned char longer[sizeof(add) + 4];
  const void *bytes = NULL;
  size_t size = 0;
  CHECK(tesseraTileProgramMinor(program) == 1);
  CHECK(tesseraTileKernelCount(program) == 1);
  CHECK(!strcmp(tesseraTileKernelName(program, 0), "add") && !tesseraTileKernelName(program, 1));
  CHECK(tesseraTileParameterCount(program, "add") == 3 &&
        tesseraTileParameterCount(program, "sub") == 0);
  CHECK(tesseraTileParameter(program, "add", 2, &parameter, &error));
  CHECK(!strcmp(parameter.type, "tile<ptr<f32>>") && !strcmp(parameter.element, "f32") &&
        parameter.bits == 32 && parameter.is_pointer);
  CHECK(!tesseraTileParameter(program, "add", 3, &parameter, &error));
  CHECK(isError(&error, "NoParameter",
                "kernel 'add' has 3 parameters, but got the parameter number 3"));
  CHECK(!tesseraTileParameter(program, "sub", 0, &parameter, &error));
  CHECK(isError(&error, "NoKernel", "expects a kernel 'sub', but the program has 'add'"));

  memcpy(longer, add, sizeof(add));
  memset(longer + sizeof(add), 7, 4);
  CHECK(tesseraTileBytecodeSize(longer, sizeof(longer), &size, &error) && size == sizeof(add));
  CHECK(!tesseraTileBytecodeSize(longer, 30, &size, &error));
  CHECK(isError(&error, "Expected", "exceeds remaining data size"));
  CHECK(!tesseraTileProgramRead(longer, sizeof(longer), &error));
  CHECK(isError(&error, "TrailingBytes", "4 bytes follow"));

  CHECK(tesseraTileProgramWrite(program, 1, &bytes, &size, &error));
  CHECK(size == sizeof(add) && !memcmp(bytes, add, size));
  CHECK(tesseraTileProgramWrite(program, 4, &bytes, &size, &error));
  CHECK(((const unsigned char *)bytes)[9] == 4);
  CHECK(!tesseraTileProgramWrite(program, 9, &bytes, &size, &error));
  CHECK(isError(&error, "WriteVersionUnknown", "13.1 to 13.4, but got 13.9"));
}

static void runs(const TesseraTileProgram *program) {
  TesseraTileError *error = NULL;
  TesseraTileInterpreter *interpreter = tesseraTileInterpreterCreate(program, &error);
  TesseraTileOptions options = tesseraTileDefaultOptions();
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {10, 20, 30, 40, 50, 60, 70, 80}, c[8];
  uint64_t arguments[3], address = 0;
  uint32_t grid[3] = {2, 1, 1};
  int i;
  arguments[0] = (uint64_t)(uintptr_t)a, arguments[1] = (uint64_t)(uintptr_t)b;
  arguments[2] = (uint64_t)(uintptr_t)c;
  CHECK(interpreter && !error);
  CHECK(tesseraTileArrayAdd(interpreter, a, sizeof(a), &error));
  CHECK(tesseraTileArrayAdd(interpreter, b, sizeof(b), &error));
  CHECK(!tesseraTileLaunch(interpreter, "add", grid, arguments, 3, NULL, &error));
  CHECK(isError(&error, "OutOfBounds", "store_ptr_tko of kernel 'add' in tile block ("));
  CHECK(tesseraTileArrayAdd(interpreter, c, sizeof(c), &error));
  CHECK(tesseraTileLaunch(interpreter, "add", grid, arguments, 3, NULL, &error));
  for (i = 0; i < 8; ++i)
    CHECK(c[i] == 11 * (i + 1));
  CHECK(tesseraTileSteps(interpreter) % 2 == 0 && tesseraTileSteps(interpreter) > 30);
  CHECK(!strcmp(tesseraTileTakeOutput(interpreter), ""));
  CHECK(options.bytes == (uint64_t)1 << 32);
  options.steps = 10;
  CHECK(!tesseraTileLaunch(interpreter, "add", grid, arguments, 3, &options, &error));
  CHECK(isError(&error, "Steps", "stopped after 10 operations"));
  grid[0] = 3; /* one tile block more than the arrays have room for */
  CHECK(!tesseraTileLaunch(interpreter, "add", grid, arguments, 3, NULL, &error));
  CHECK(isError(&error, "OutOfBounds", "in tile block (2, 0, 0), element (0)"));
  CHECK(!tesseraTileLaunch(interpreter, "add", grid, arguments, 2, NULL, &error));
  CHECK(isError(&error, "ArgumentCount", "kernel 'add' expects 3 arguments, but got 2"));
  tesseraTileArrayRemove(interpreter, a);
  CHECK(!tesseraTileLaunch(interpreter, "add", grid, arguments, 3, NULL, &error));
  CHECK(isError(&error, "OutOfBounds", "load_ptr_tko"));
  CHECK(!tesseraTileGlobal(interpreter, "g", &address, &error));
  CHECK(isError(&error, "Unsupported", "no global 'g'"));
  tesseraTileInterpreterDestroy(interpreter);
}

static void refusesNull(TesseraTileProgram *program) {
  TesseraTileError *error = NULL;
  uint32_t grid[3] = {1, 1, 1};
  CHECK(!tesseraTileProgramRead(NULL, 0, &error));
  CHECK(isError(&error, "NullArgument", "tesseraTileProgramRead expects bytecode, but got NULL"));
  CHECK(!tesseraTileBytecodeSize(add, sizeof(add), NULL, &error));
  CHECK(isError(&error, "NullArgument", "a place for the size"));
  CHECK(!tesseraTileProgramWrite(program, 1, NULL, NULL, &error));
  CHECK(isError(&error, "NullArgument", "a place for the bytes"));
  CHECK(!tesseraTileParameter(program, "add", 0, NULL, &error));
  CHECK(isError(&error, "NullArgument", "a place for the parameter"));
  CHECK(!tesseraTileInterpreterCreate(NULL, &error));
  CHECK(isError(&error, "NullArgument", "a program"));
  CHECK(!tesseraTileArrayAdd(NULL, grid, 4, &error));
  CHECK(isError(&error, "NullArgument", "an interpreter"));
  CHECK(!tesseraTileGlobal(NULL, "g", NULL, &error));
  CHECK(isError(&error, "NullArgument", "an interpreter"));
  CHECK(!tesseraTileLaunch(NULL, "add", grid, NULL, 0, NULL, &error));
  CHECK(isError(&error, "NullArgument", "tesseraTileLaunch expects an interpreter, but got NULL"));
  CHECK(!tesseraTileProgramRead("bytes", 5, NULL));
  CHECK(tesseraTileKernelCount(NULL) == 0 && !tesseraTileKernelName(NULL, 0));
  CHECK(tesseraTileProgramMinor(NULL) == 0 && tesseraTileParameterCount(NULL, "add") == 0);
  CHECK(tesseraTileSteps(NULL) == 0 && !strcmp(tesseraTileTakeOutput(NULL), ""));
  tesseraTileArrayRemove(NULL, grid);
  tesseraTileErrorDestroy(NULL);
  tesseraTileInterpreterDestroy(NULL);
  tesseraTileProgramDestroy(NULL);
}

int main(void) {
  TesseraTileError *error = NULL;
  TesseraTileProgram *program = tesseraTileProgramRead(add, sizeof(add), &error);
  CHECK(program && !error);
  reads(program);
  runs(program);
  refusesNull(program);
  tesseraTileProgramDestroy(program);
  if (!failures)
    printf("the C API of tile programs does what its header says\n");
  return failures != 0;
}
