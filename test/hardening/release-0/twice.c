/* The same from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tessera-c/Sim.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry twice(.param .u64 data) {\n"
    "  .reg .b32 %r<2>;\n  .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [data];\n  mov.u32 %r1, %tid.x;\n  mad.wide.u32 %d1, %r1, 4, %d1;\n"
    "  ld.global.u32 %r1, [%d1];\n  shl.b32 %r1, %r1, 1;\n  st.global.u32 [%d1], %r1;\n  ret;\n}\n";

static void run(const TesseraSimProgram *program, uint32_t threads, TesseraSimError **error) {
  uint32_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, i;
  uint64_t data = 0;
  const void *arguments[1];
  TesseraSimLaunch launch = {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0};
  TesseraSimMachine *machine = tesseraSimMachineCreate(NULL, error);
  TesseraSimModule *module = tesseraSimModuleLoad(machine, program, error);
  launch.block[0] = threads;
  arguments[0] = &data;
  if (tesseraSimAllocate(machine, sizeof(values), &data, error) &&
      tesseraSimWrite(machine, data, values, sizeof(values), error) &&
      tesseraSimLaunch(module, "twice", &launch, arguments, 1, error) &&
      tesseraSimRead(machine, values, data, sizeof(values), error)) {
    for (i = 0; i < 8; ++i)
      printf("%u ", (unsigned)values[i]);
    printf("\n");
  }
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
}

int main(void) {
  TesseraSimError *error = NULL;
  TesseraSimProgram *program = tesseraSimProgramParse(text, strlen(text), &error);
  run(program, 8, &error);
  run(program, 9, &error);
  if (error)
    printf("%s\n", tesseraSimErrorText(error));
  tesseraSimErrorDestroy(error);
  tesseraSimProgramDestroy(program);
  return 0;
}
