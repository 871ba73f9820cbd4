/* The dialects from C: types are parsed by MLIR and asked by Tessera.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <tessera/mlir_capi/Dialects.h>

#include <stdio.h>

static void print(MlirStringRef text, void *out) {
  fprintf((FILE *)out, "%.*s", (int)text.length, text.data);
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tesseraRegisterDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirContextLoadAllAvailableDialects(context);

  static const char *const texts[] = {
      "!cute.layout<\"((2,4),?):((1,2),8)\">",
      "!cute.shape<\"(8,4)\">",
      "!cute.memref<f16, smem, align<16>, \"(8,4):(1,8)\">",
      "!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>",
      "!cute_nvgpu.atom.universal_copy<f16, 128 b>",
      "!cuda_tile.tile<4x8xf16>",
      "i32",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    MlirType type = mlirTypeParseGet(context, mlirStringRefCreateFromCString(texts[i]));
    if (mlirTypeIsNull(type))
      return 1;
    mlirTypePrint(type, print, stdout);
    printf(":%s%s%s%s%s%s", tesseraTypeIsALayout(type) ? " layout" : "",
           tesseraTypeIsATuple(type) ? " tuple" : "", tesseraTypeIsATensor(type) ? " tensor" : "",
           tesseraTypeIsACopyAtom(type) ? " copy" : "", tesseraTypeIsAnMmaAtom(type) ? " mma" : "",
           tesseraTypeIsStatic(type) ? " static" : "");
    printf(", value ");
    if (!tesseraTypeValue(type, print, stdout))
      printf("none");
    printf("\n");
  }
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return 0;
}
