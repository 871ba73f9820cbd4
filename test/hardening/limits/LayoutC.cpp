// Every function of tessera-c/Layout.h where memory runs out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Faults.h"
#include "tessera-c/Layout.h"

#include <initializer_list>
#include <utility>

using namespace tessera::test;

namespace {

struct Api {
  using Error = TesseraError;
  static const char *id(const Error *error) { return tesseraErrorId(error); }
  static const char *text(const Error *error) { return tesseraErrorText(error); }
  static void destroy(Error *error) { tesseraErrorDestroy(error); }
  static void giveBack(TesseraValue *made) { tesseraDestroy(made); }
  static void giveBack(bool) {}
};

/// A value made with every allocation failing once.
template <class F> TesseraValue *made(const char *what, F f) { return exhausted<Api>(what, f); }

void expect(bool good, const char *what) {
  if (!good)
    wrong(what, "is not so");
}

/// The same, whose text has to be `text`.
template <class F> void makes(const char *what, const char *text, F f) {
  TesseraValue *value = made(what, f);
  char got[256];
  tesseraPrint(value, got, sizeof(got));
  if (std::strcmp(got, text) != 0)
    wrong(what, got);
  tesseraDestroy(value);
}

} // namespace

int main() {
  // Wider than what a tree holds in itself, so that there is something to allocate.
  const char *wide = "(4,8,(2,2),16,32):(1,4,(32,64),128,2048)";
  TesseraValue *layout = made("parse", [&](auto **e) { return tesseraParse(wide, e); });
  TesseraValue *two = made("number", [](auto **e) { return tesseraNumber(2, e); });
  TesseraValue *four = made("number", [](auto **e) { return tesseraNumber(4, e); });
  const TesseraValue *parts[] = {four, two};
  TesseraValue *tile = made("tuple", [&](auto **e) { return tesseraTuple(parts, 2, e); });
  TesseraValue *plain = made("layout", [&](auto **e) { return tesseraLayout(tile, nullptr, e); });
  TesseraValue *big =
      made("big", [](auto **e) { return tesseraParse("((4,2),(8,4)):((1,4),(8,64))", e); });
  TesseraBinding binding = {"A", layout};
  makes("evaluate", "65536", [&](auto **e) { return tesseraEvaluate("size(A)", &binding, 1, e); });
  makes("call", "2", [&](auto **e) {
    const TesseraValue *operands[] = {plain};
    return tesseraCall("rank", operands, 1, e);
  });
  makes("copy", wide, [&](auto **e) { return tesseraCopy(layout, e); });
  int64_t number = 0, coordinate[] = {1, 1}, table[8];
  size_t count = 0;
  using Number = bool (*)(const TesseraValue *, int64_t *, TesseraError **);
  for (auto [function, expected] : {std::pair<Number, int64_t>(tesseraSize, 8),
                                    {tesseraCosize, 8},
                                    {tesseraRank, 2},
                                    {tesseraDepth, 1}}) {
    exhausted<Api>("a number", [&, f = function](auto **e) { return f(plain, &number, e); });
    if (number != expected)
      wrong("a number", "another one");
  }
  exhausted<Api>("get", [&](auto **e) { return tesseraGetNumber(four, &number, e); });
  exhausted<Api>("index", [&](auto **e) { return tesseraIndex(plain, 5, &number, e); });
  exhausted<Api>("index at",
                 [&](auto **e) { return tesseraIndexAt(plain, coordinate, 2, &number, e); });
  if (number != 5)
    wrong("index at", "another one");
  exhausted<Api>("table", [&](auto **e) { return tesseraTable(plain, table, 8, &count, e); });

  using One = TesseraValue *(*)(const TesseraValue *, TesseraError **);
  for (One function : {tesseraShape, tesseraStride, tesseraFlatten, tesseraFilter,
                       tesseraRightInverse, tesseraLeftInverse})
    tesseraDestroy(made("of one", [&](auto **e) { return function(layout, e); }));
  using Two = TesseraValue *(*)(const TesseraValue *, const TesseraValue *, TesseraError **);
  for (Two function : {tesseraLogicalDivide, tesseraZippedDivide, tesseraTiledDivide,
                       tesseraFlatDivide, tesseraComposition})
    tesseraDestroy(made("divided", [&](auto **e) { return function(big, tile, e); }));
  for (Two function : {tesseraLogicalProduct, tesseraZippedProduct, tesseraTiledProduct,
                       tesseraBlockedProduct, tesseraRakedProduct})
    tesseraDestroy(made("product", [&](auto **e) { return function(plain, plain, e); }));
  makes("mode", "8:4", [&](auto **e) {
    TesseraValue *one = tesseraNumber(1, e);
    TesseraValue *mode = one ? tesseraMode(layout, one, e) : nullptr;
    tesseraDestroy(one);
    return mode;
  });
  makes("coalesce", "8:1", [&](auto **e) { return tesseraCoalesce(plain, nullptr, e); });
  tesseraDestroy(
      made("complement", [&](auto **e) { return tesseraComplement(plain, nullptr, e); }));
  tesseraDestroy(made("to shape", [&](auto **e) {
    TesseraValue *shape = tesseraParse("(8,8)", e);
    TesseraValue *tiled = shape ? tesseraTileToShape(plain, shape, nullptr, e) : nullptr;
    tesseraDestroy(shape);
    return tiled;
  }));
  TesseraValue *corner = made("corner", [](auto **e) { return tesseraParse("(0,1)", e); });
  tesseraDestroy(
      made("local tile", [&](auto **e) { return tesseraLocalTile(big, tile, corner, e); }));
  TesseraValue *free = made("free", [](auto **e) { return tesseraParse("(_,1)", e); });
  TesseraValue *slice = made("slice", [&](auto **e) { return tesseraSlice(free, plain, e); });
  makes("its layout", "(4):(1)", [&](auto **e) { return tesseraSliceLayout(slice, e); });
  makes("its offset", "4", [&](auto **e) { return tesseraSliceOffset(slice, e); });
  makes("crd2idx", "4", [&](auto **e) { return tesseraCrd2Idx(corner, plain, e); });
  makes("idx2crd", "(0,1)", [&](auto **e) { return tesseraIdx2Crd(four, tile, e); });
  makes("recast", "(2,2):(1,2)", [&](auto **e) { return tesseraRecast(plain, 16, 32, e); });
  for (long n = 1; n < 8; ++n) { // 0 where memory runs out
    failAllocation(n);
    char text[64];
    size_t length = tesseraPrint(layout, text, sizeof(text));
    if (!(allocationFailed() ? length == 0 : length == std::strlen(wide)))
      wrong("print", text);
    (void)tesseraKindOf(layout);
    expect(tesseraFunctionName(0) && !tesseraFunctionName(SIZE_MAX), "names of functions");
    failAllocation(0);
  }
  TesseraError *error = nullptr; // with a help, which is left out where there is no room for it
  expect(!tesseraEvaluate("composition(8:1, 3:3", nullptr, 0, &error), "a bracket is missing");
  failAllocation(1);
  expect(tesseraErrorHelp(error) && !allocationFailed(), "a help");
  failAllocation(0);
  tesseraErrorDestroy(error);
  for (TesseraValue *value : {layout, two, four, tile, plain, big, corner, free, slice})
    tesseraDestroy(value);
}
