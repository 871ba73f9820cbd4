/* Divides a row-major matrix into tiles and prints where each starts: the layout algebra from C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <tessera-c/Layout.h>

#include <stdio.h>

static int tiles(const char *matrix, const char *tile, TesseraError **error) {
  TesseraValue *whole = tesseraParse(matrix, error), *tiler = tesseraParse(tile, error);
  TesseraValue *divided = whole && tiler ? tesseraZippedDivide(whole, tiler, error) : NULL;
  TesseraValue *mode = tesseraNumber(1, error);
  TesseraValue *rest = divided && mode ? tesseraMode(divided, mode, error) : NULL;
  int64_t starts[64];
  size_t count = 0, i;
  int ok = rest && tesseraTable(rest, starts, 64, &count, error);
  char text[256];
  if (divided && tesseraPrint(divided, text, sizeof text) < sizeof text)
    printf("%s in tiles of %s: %s\n", matrix, tile, text);
  for (i = 0; i < count; ++i)
    printf("tile %d starts at %d\n", (int)i, (int)starts[i]);
  tesseraDestroy(rest), tesseraDestroy(mode), tesseraDestroy(divided);
  tesseraDestroy(tiler), tesseraDestroy(whole);
  return ok;
}

int main(void) {
  static const char *tilers[] = {"[4:1;3:1]",
                                 "[5:2;4:1;2:1]"}; /* the second one has a mode too many */
  TesseraError *error = NULL;
  int i;
  for (i = 0; i < 2; ++i)
    if (!tiles("(8,6):(6,1)", tilers[i], &error))
      printf("%s: %s\n", tesseraErrorId(error), tesseraErrorText(error));
  tesseraErrorDestroy(error);
  return 0;
}
