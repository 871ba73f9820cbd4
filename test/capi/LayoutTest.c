/* The C API of the layout algebra, from C99: values, every operation, every refusal, ownership.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tessera-c/Layout.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expectText(const char *what, const char *got, const char *expected) {
  if (strcmp(got, expected) == 0)
    return;
  ++failures;
  fprintf(stderr, "%s: expected \"%s\", got \"%s\"\n", what, expected, got);
}

static void expectNumber(const char *what, int64_t got, int64_t expected) {
  if (got == expected)
    return;
  ++failures;
  fprintf(stderr, "%s: expected %lld, got %lld\n", what, (long long)expected, (long long)got);
}

static TesseraValue *read(const char *text) {
  TesseraError *error = NULL;
  TesseraValue *value = text ? tesseraParse(text, &error) : NULL;
  if (error) {
    expectText(text, tesseraErrorText(error), "");
    tesseraErrorDestroy(error);
  }
  return value;
}

/* Destroys what an operation made, and compares its text, or "Id: sentence". */
static void expectValue(const char *what, TesseraValue *made, TesseraError *error,
                        const char *expected) {
  char text[512];
  if (made)
    tesseraPrint(made, text, sizeof text);
  else
    snprintf(text, sizeof text, "%s: %s", tesseraErrorId(error), tesseraErrorText(error));
  expectText(what, text, expected);
  tesseraDestroy(made);
  tesseraErrorDestroy(error);
}

typedef TesseraValue *(*Operation1)(const TesseraValue *, TesseraError **);
typedef TesseraValue *(*Operation2)(const TesseraValue *, const TesseraValue *, TesseraError **);
typedef TesseraValue *(*Operation3)(const TesseraValue *, const TesseraValue *,
                                    const TesseraValue *, TesseraError **);

/* An operation of one, two or three operands, and its expected text. */
typedef struct Case {
  const char *name;
  Operation1 one;
  Operation2 two;
  Operation3 three;
  const char *a, *b, *c, *expected;
} Case;

static const Case cases[] = {
    {"shape", tesseraShape, NULL, NULL, "(4,8):(8,1)", NULL, NULL, "(4,8)"},
    {"stride", tesseraStride, NULL, NULL, "(4,8):(8,1)", NULL, NULL, "(8,1)"},
    {"mode", NULL, tesseraMode, NULL, "(8,(8,10)):(16,(0,8))", "(1,0)", NULL, "8:0"},
    {"flatten", tesseraFlatten, NULL, NULL, "((4,2),3):((1,4),8)", NULL, NULL, "(4,2,3):(1,4,8)"},
    {"coalesce", NULL, tesseraCoalesce, NULL, "(2,(1,6)):(1,(6,2))", NULL, NULL, "12:1"},
    {"coalesce", NULL, tesseraCoalesce, NULL, "(2,(1,6)):(1,(6,2))", "(1,1)", NULL, "(2,6):(1,2)"},
    {"filter", tesseraFilter, NULL, NULL, "(2,4):(0,1)", NULL, NULL, "4:1"},
    {"composition", NULL, tesseraComposition, NULL, "(6,2):(8,2)", "(4,3):(3,1)", NULL,
     "((2,2),3):((24,2),8)"},
    {"composition", NULL, tesseraComposition, NULL, "S<2,0,3>", "(8,8):(8,1)", NULL,
     "S<2,0,3> o 0 o (8,8):(8,1)"},
    {"complement", NULL, tesseraComplement, NULL, "(2,2):(1,6)", "24", NULL, "(3,2):(2,12)"},
    {"complement", NULL, tesseraComplement, NULL, "4:2", NULL, NULL, "2:1"},
    {"right inverse", tesseraRightInverse, NULL, NULL, "(4,8):(8,1)", NULL, NULL, "(8,4):(4,1)"},
    {"left inverse", tesseraLeftInverse, NULL, NULL, "(4,8):(8,1)", NULL, NULL, "(8,4):(4,1)"},
    {"logical divide", NULL, tesseraLogicalDivide, NULL, "(128,128):(1,128)", "[64:1;64:1]", NULL,
     "((64,2),(64,2)):((1,64),(128,8192))"},
    {"zipped divide", NULL, tesseraZippedDivide, NULL, "(8,6):(1,8)", "(4,3)", NULL,
     "((4,3),(2,2)):((1,8),(4,24))"},
    {"tiled divide", NULL, tesseraTiledDivide, NULL, "(8,6):(1,8)", "(4,3)", NULL,
     "((4,3),2,2):((1,8),4,24)"},
    {"flat divide", NULL, tesseraFlatDivide, NULL, "(8,6):(1,8)", "(4,3)", NULL,
     "(4,3,2,2):(1,8,4,24)"},
    {"logical product", NULL, tesseraLogicalProduct, NULL, "(2,2):(4,1)", "(4,2):(2,1)", NULL,
     "((2,2),(4,2)):((4,1),(8,2))"},
    {"zipped product", NULL, tesseraZippedProduct, NULL, "(4,2):(2,1)", "(6,3):(1,0)", NULL,
     "((4,2),(6,3)):((2,1),(8,0))"},
    {"tiled product", NULL, tesseraTiledProduct, NULL, "(4,2):(1,4)", "(7,5):(5,1)", NULL,
     "((4,2),7,5):((1,4),40,8)"},
    {"blocked product", NULL, tesseraBlockedProduct, NULL, "(2,5):(5,1)", "(3,4):(1,3)", NULL,
     "((2,3),(5,4)):((5,10),(1,30))"},
    {"raked product", NULL, tesseraRakedProduct, NULL, "(2,5):(5,1)", "(3,4):(1,3)", NULL,
     "((3,2),(4,5)):((10,5),(30,1))"},
    {"tile to shape", NULL, NULL, tesseraTileToShape, "(4,4):(4,1)", "(8,8)", NULL,
     "((4,2),(4,2)):((4,16),(1,32))"},
    {"tile to shape", NULL, NULL, tesseraTileToShape, "8:1", "(24,1)", "(0,1)",
     "((8,3),(1,1)):((1,8),(0,0))"},
    {"local tile", NULL, NULL, tesseraLocalTile, "(24,12):(96,2)", "(24,8)", "(0,_)",
     "(24,8,2):(96,2,16) + 0"},
    {"slice", NULL, tesseraSlice, NULL, "(_,2)", "(4,5):(1,4)", NULL, "(4):(1) + 8"},
    {"crd2idx", NULL, tesseraCrd2Idx, NULL, "(6,2)", "(12,9):(6,72)", NULL, "180"},
    {"idx2crd", NULL, tesseraIdx2Crd, NULL, "13", "(4,8)", NULL, "(1,3)"},
    {"layout", NULL, tesseraLayout, NULL, "(4,8)", "(8,1)", NULL, "(4,8):(8,1)"},
    {"layout", NULL, tesseraLayout, NULL, "(4,?{i64 div=4})", NULL, NULL, "(4,?{i64 div=4}):(1,4)"},
    /* Run-time values stay with their leaves, and what they break is refused. */
    {"dynamic", NULL, tesseraCrd2Idx, NULL, "(?{3},2)", "(4,8):(8,1)", NULL, "?{26}"},
    {"dynamic", NULL, tesseraComposition, NULL, "(?{6},2):(1,?{100})", "3:4", NULL,
     "AssumptionFails: composition: the run-time values break an assumption: 4 divides 6, or 6 "
     "divides 4, or 3 steps of 4 stay "
     "below 6"},
    /* Refusals of the algebra come with their ids. */
    {"refused", NULL, tesseraComposition, NULL, "(6,2):(1,100)", "3:4", NULL,
     "CompositionStride: composition: mode 0 of the left layout has extent 6, which stride 4 of "
     "the right layout does "
     "not divide"},
    {"refused", NULL, tesseraLogicalDivide, NULL, "(8,6)", "S<1,2,3>", NULL,
     "ArgumentKind: logical_divide expects a tile `[t0;t1]`, a layout or extents as argument 2, "
     "but got the swizzle "
     "S<1,2,3>"},
    {"NULL", NULL, tesseraComposition, NULL, NULL, "4:1", NULL,
     "NullArgument: composition expects a value as operand 1, but got NULL"},
    {"NULL", tesseraShape, NULL, NULL, NULL, NULL, NULL,
     "ArgumentCount: shape expects 1 argument, but got 0"},
};

static void testOperations(void) {
  size_t i;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const Case *c = &cases[i];
    TesseraError *error = NULL;
    TesseraValue *a = read(c->a), *b = read(c->b), *third = read(c->c);
    TesseraValue *made = c->one   ? c->one(a, &error)
                         : c->two ? c->two(a, b, &error)
                                  : c->three(a, b, third, &error);
    expectValue(c->name, made, error, c->expected);
    tesseraDestroy(a);
    tesseraDestroy(b);
    tesseraDestroy(third);
  }
}

static void testValues(void) {
  static const struct {
    const char *text;
    TesseraKind kind;
  } kinds[] = {{"(4,_)", TESSERA_TUPLE},
               {"4:1", TESSERA_LAYOUT},
               {"S<1,2,3> o 0 o 4:1", TESSERA_COMPOSED},
               {"[4:1;_]", TESSERA_TILE},
               {"S<1,2,3>", TESSERA_SWIZZLE},
               {"<0,2>", TESSERA_LIST},
               {"congruent(4, 8)", TESSERA_TRUTH},
               {"slice_and_offset((_,2), (4,5))", TESSERA_SLICE}};
  size_t i;
  TesseraError *error = NULL;
  char small[6];
  int64_t number = 0;
  TesseraValue *modes[2], *tuple, *copy, *layout;
  for (i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    TesseraValue *value = read(kinds[i].text);
    expectNumber(kinds[i].text, tesseraKindOf(value), kinds[i].kind);
    tesseraDestroy(value);
  }
  modes[0] = tesseraNumber(4, NULL);
  modes[1] = read("(?{3},8)");
  tuple = tesseraTuple((const TesseraValue *const *)modes, 2, NULL);
  copy = tesseraCopy(tuple, NULL);
  tesseraDestroy(tuple);
  expectNumber("whole length", (int64_t)tesseraPrint(copy, NULL, 0), 12);
  expectNumber("whole length", (int64_t)tesseraPrint(copy, small, sizeof small), 12);
  expectText("cut", small, "(4,(?");
  expectValue("tuple", copy, NULL, "(4,(?{3},8))");
  expectNumber("a number", tesseraGetNumber(modes[0], &number, NULL) ? number : -1, 4);
  expectNumber("no number", tesseraGetNumber(modes[1], &number, &error), 0);
  expectValue("no number", NULL, error,
              "NotNumber: expects a number whose value is known, but got the tuple (?{3},8)");
  layout = read("(4,8):(8,1)");
  tesseraDestroy(modes[0]);
  modes[0] = layout;
  error = NULL;
  expectValue(
      "no tuple", tesseraTuple((const TesseraValue *const *)modes, 1, &error), error,
      "NotTuple: expects numbers and tuples as modes of a tuple, but got the layout (4,8):(8,1)");
  tesseraDestroy(modes[0]);
  tesseraDestroy(modes[1]);
}

/* Each function once, and those that other tests call. */
static void testNames(void) {
  static const char *const expected[] = {"congruent", "logical_divide", "size", "complement"};
  size_t count = 0, i, j;
  while (tesseraFunctionName(count))
    ++count;
  for (i = 0; i < sizeof expected / sizeof *expected; ++i) {
    int64_t found = 0;
    for (j = 0; j < count; ++j)
      found += strcmp(tesseraFunctionName(j), expected[i]) == 0;
    expectNumber(expected[i], found, 1);
  }
  expectNumber("beyond", tesseraFunctionName((size_t)-1) == NULL, 1);
}

static void testEvaluate(void) {
  TesseraError *error = NULL;
  TesseraValue *a = read("(8,?{12}):(1,8)"), *slice;
  TesseraBinding bound[2];
  const TesseraValue *operands[2];
  bound[0].name = "A";
  bound[0].value = a;
  expectValue("bound", tesseraEvaluate("zipped_divide(A, (4,3))", bound, 1, &error), error,
              "((4,3),(2,?{4})):((1,8),(4,24))");
  bound[1].name = "B";
  bound[1].value = NULL;
  expectValue(
      "no value", tesseraEvaluate("A", bound, 2, &error), error,
      "NullArgument: tesseraEvaluate expects a name and a value in each binding, but got NULL");
  error = NULL;
  expectValue("no text", tesseraParse(NULL, &error), error,
              "NullArgument: tesseraEvaluate expects a text, but got NULL");
  error = NULL;
  if (tesseraParse("(4,8", &error))
    expectText("(4,8", "read", "refused");
  expectValue("(4,8", NULL, error, "Unexpected: expects `,` or `)`, but got the end");
  error = NULL;
  if (tesseraParse("compositon(4:1, 2:1)", &error))
    expectText("compositon", "read", "refused");
  expectText("help", tesseraErrorHelp(error), "did you mean composition?");
  tesseraErrorDestroy(error);
  tesseraDestroy(tesseraParse("(4,8", NULL)); /* nobody asks why */
  error = NULL;
  tesseraDestroy(tesseraParse("(4,8", &error));
  expectValue("the first refusal stays", tesseraParse("B", &error), error,
              "Unexpected: expects `,` or `)`, but got the end");
  operands[0] = a;
  operands[1] = a;
  error = NULL;
  expectValue("call", tesseraCall("congruent", operands, 2, &error), error, "true");
  testNames();
  slice = read("slice_and_offset((_,2), (4,5))");
  expectValue("slice", tesseraSliceLayout(slice, &error), error, "(4):(1)");
  expectValue("slice", tesseraSliceOffset(slice, &error), error, "8");
  expectValue("no slice", tesseraSliceLayout(a, &error), error,
              "NotSlice: expects a slice `layout + offset`, but got the layout (8,?{12}):(1,8)");
  error = NULL;
  expectValue("recast", tesseraRecast(a, 32, 16, &error), error, "(16,?{12}):(1,16)");
  tesseraDestroy(slice);
  tesseraDestroy(a);
}

static void testFunction(void) {
  TesseraError *error = NULL;
  TesseraValue *l = read("S<1,0,2> o 0 o (4,2):(1,4)"), *plain = read("(4,(2,5)):(10,(5,1))"),
               *open = read("(4,?):(?,1)");
  int64_t number = -1, indices[8], coordinate[2] = {3, 9};
  static const int64_t expected[8] = {0, 1, 2, 3, 5, 4, 7, 6};
  size_t count = 0, i;
  expectNumber("size", tesseraSize(plain, &number, &error) ? number : -1, 40);
  expectNumber("cosize", tesseraCosize(plain, &number, &error) ? number : -1, 40);
  expectNumber("rank", tesseraRank(plain, &number, &error) ? number : -1, 2);
  expectNumber("depth", tesseraDepth(plain, &number, &error) ? number : -1, 2);
  expectNumber("index", tesseraIndex(plain, 7, &number, &error) ? number : -1, 35);
  expectNumber("index at", tesseraIndexAt(plain, coordinate, 2, &number, &error) ? number : -1, 39);
  expectNumber("table", tesseraTable(l, indices, 8, &count, &error), 1);
  expectNumber("count", (int64_t)count, 8);
  for (i = 0; i < count; ++i)
    expectNumber("table", indices[i], expected[i]);
  expectNumber("small table", tesseraTable(l, indices, 7, &count, &error), 0);
  expectValue(
      "small table", NULL, error,
      "TableTooSmall: expects room for the 8 indices of S<1,0,2> o 0 o (4,2):(1,4), but got 7");
  error = NULL;
  expectNumber("open", tesseraTable(open, indices, 8, &count, &error), 0);
  expectValue("open", NULL, error,
              "TableValues: expects a layout whose leaves have values and whose indices are "
              "numbers, but got the layout "
              "(4,?):(?,1)");
  error = NULL;
  expectNumber("open size", tesseraSize(open, &number, &error), 0);
  expectValue("open size", NULL, error,
              "NotNumber: expects a number whose value is known, but got the number ?{div=4}");
  tesseraDestroy(l);
  tesseraDestroy(plain);
  tesseraDestroy(open);
  tesseraDestroy(NULL);
  tesseraErrorDestroy(NULL);
}

int main(void) {
  testOperations();
  testValues();
  testEvaluate();
  testFunction();
  printf("%d failures\n", failures);
  return failures != 0;
}
