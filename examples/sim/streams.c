/* Two streams and an event between them, and what the sanitizer says of a kernel, from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tessera-c/Sim.h"

#include <stdio.h>
#include <string.h>

/* twice doubles a word for each thread; total has two warps write the same word. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry twice(.param .u64 data) {\n"
    "  .reg .b32 %r<2>;\n  .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [data];\n  mov.u32 %r1, %tid.x;\n  mad.wide.u32 %d1, %r1, 4, %d1;\n"
    "  ld.global.u32 %r1, [%d1];\n  shl.b32 %r1, %r1, 1;\n  st.global.u32 [%d1], %r1;\n  ret;\n}\n"
    ".visible .entry total(.param .u64 to) {\n"
    "  .reg .b32 %r<2>;\n  .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [to];\n  mov.u32 %r1, %tid.x;\n  st.global.u32 [%d1], %r1;\n  ret;\n}\n";

/* With an event the second stream doubles what the first one has; without, any order may come. */
static void inOrder(TesseraSimMachine *machine, TesseraSimModule *module, TesseraSimError **error) {
  TesseraSimStream *copies = tesseraSimStreamCreate(machine, error),
                   *kernels = tesseraSimStreamCreate(machine, error);
  TesseraSimEvent *copied = tesseraSimEventCreate(machine, error);
  uint32_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, i;
  uint64_t data = 0;
  const TesseraSimLaunch launch = {{1, 1, 1}, {8, 1, 1}, {0, 0, 0}, 0};
  const void *arguments[1];
  arguments[0] = &data;
  if (tesseraSimSeedStreams(machine, 2026, error) &&
      tesseraSimAllocate(machine, sizeof(values), &data, error) &&
      tesseraSimStreamWrite(copies, data, values, sizeof(values), error) &&
      tesseraSimStreamRecord(copies, copied, error) &&
      tesseraSimStreamWait(kernels, copied, error) &&
      tesseraSimStreamLaunch(kernels, module, "twice", &launch, arguments, 1, error) &&
      tesseraSimStreamRead(kernels, values, data, sizeof(values), error) &&
      tesseraSimStreamSynchronize(kernels, error)) {
    for (i = 0; i < 8; ++i)
      printf("%u ", (unsigned)values[i]);
    printf("\n");
  }
  tesseraSimEventDestroy(copied);
  tesseraSimStreamDestroy(kernels);
  tesseraSimStreamDestroy(copies);
}

static void reported(TesseraSimMachine *machine, TesseraSimModule *module,
                     TesseraSimError **error) {
  TesseraSimReports *reports;
  TesseraSimReport report;
  uint64_t word = 0;
  const TesseraSimLaunch launch = {{1, 1, 1}, {64, 1, 1}, {0, 0, 0}, 0};
  const void *arguments[1];
  size_t i;
  arguments[0] = &word;
  if (!tesseraSimAllocate(machine, 4, &word, error) ||
      !tesseraSimName(machine, word, "the total", error))
    return;
  (void)tesseraSimLaunch(module, "total", &launch, arguments, 1, NULL); /* it has a report */
  reports = tesseraSimTakeReports(machine, error);
  for (i = 0; tesseraSimReport(reports, i, &report); ++i)
    printf("%s: %s by thread %s and %s by thread %s, at %s\n", report.rule, report.party.access,
           report.party.thread, report.earlier.access, report.earlier.thread, report.allocation);
  tesseraSimReportsDestroy(reports);
}

int main(void) {
  TesseraSimError *error = NULL;
  TesseraSimLimits limits = tesseraSimDefaultLimits();
  TesseraSimProgram *program = tesseraSimProgramParse(text, strlen(text), &error);
  TesseraSimMachine *machine;
  TesseraSimModule *module;
  limits.sanitize = true;
  machine = tesseraSimMachineCreate(&limits, &error);
  module = tesseraSimModuleLoad(machine, program, &error);
  inOrder(machine, module, &error);
  reported(machine, module, &error);
  if (error)
    printf("%s\n", tesseraSimErrorText(error));
  tesseraSimErrorDestroy(error);
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
  tesseraSimProgramDestroy(program);
  return 0;
}
