/* A tile program on the CPU, from C: what it takes, what it computes, and what it does wrong.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "Add.h"
#include "tessera-c/Tile.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {10, 20, 30, 40, 50, 60, 70, 80}, c[8];
  void *arrays[3];
  uint64_t arguments[3];
  uint32_t grid[3] = {2, 1, 1};
  TesseraTileError *error = NULL;
  TesseraTileProgram *program = tesseraTileProgramRead(add, sizeof(add), &error);
  TesseraTileInterpreter *interpreter = tesseraTileInterpreterCreate(program, &error);
  size_t i;
  arrays[0] = a, arrays[1] = b, arrays[2] = c;
  for (i = 0; i < tesseraTileParameterCount(program, "add"); ++i) {
    TesseraTileParameter parameter;
    tesseraTileParameter(program, "add", i, &parameter, &error);
    tesseraTileArrayAdd(interpreter, arrays[i], sizeof(c), &error);
    arguments[i] = (uint64_t)(uintptr_t)arrays[i];
    printf("%s ", parameter.type);
  }
  printf("\n");
  if (tesseraTileLaunch(interpreter, "add", grid, arguments, 3, NULL, &error))
    for (i = 0; i < 8; ++i)
      printf("%g ", c[i]);
  printf("\n");
  grid[0] = 3;
  tesseraTileLaunch(interpreter, "add", grid, arguments, 3, NULL, &error);
  if (error) /* the address at the end is another one in each run */
    printf("%.*s\n", (int)(strchr(tesseraTileErrorText(error), ':') - tesseraTileErrorText(error)),
           tesseraTileErrorText(error));
  tesseraTileErrorDestroy(error);
  tesseraTileInterpreterDestroy(interpreter);
  tesseraTileProgramDestroy(program);
  return 0;
}
