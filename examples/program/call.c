/* A dump called from C99, on the simulator; with the device "gpu" on a GPU.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <tessera-c/Tessera.h>

#include <stdio.h>

int main(void) {
  float x[256], y[256];
  const int64_t extent = 256;
  TesseraError *error = NULL;
  TesseraLoadOptions options = {0};
  TesseraTensor tx = {0}, ty;
  TesseraArgument arguments[2] = {{TESSERA_TENSOR, {NULL}, 0}, {TESSERA_TENSOR, {NULL}, 0}};
  TesseraDevice *device = tesseraDeviceOpen("sim", NULL, &error);
  TesseraProgram *program;
  int i;
  for (i = 0; i < 256; ++i)
    x[i] = (float)i;
  tx.data = x;
  tx.device_type = 1; /* the host, as DLPack numbers it */
  tx.rank = 1;
  tx.type_code = 2; /* f32 */
  tx.type_bits = 32;
  tx.type_lanes = 1;
  tx.shape = &extent;
  ty = tx;
  ty.data = y;
  arguments[0].value.tensor = &tx;
  arguments[1].value.tensor = &ty;
  options.arch = "sm_80";
  program = tesseraProgramLoad(device, KERNEL, &options, &error);
  if (program && tesseraProgramCall(program, 0, arguments, 2, NULL, NULL, &error))
    printf("%g %g %g\n", y[0], y[1], y[255]);
  if (error)
    printf("%s: %s\n", tesseraErrorId(error), tesseraErrorText(error));
  tesseraErrorDestroy(error);
  tesseraProgramDestroy(program);
  tesseraDeviceDestroy(device);
  return 0;
}
