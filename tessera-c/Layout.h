/* The layout algebra from C99: values as opaque handles, errors as ids and sentences.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Ownership. A function that returns a `TesseraValue *` gives the caller a new value, to be given
 * back with tesseraDestroy; values that are passed in stay the caller's and are not changed.
 * Nothing returned points into an operand. A value may be read by several threads at once.
 *
 * Errors. A function that can refuse takes `TesseraError **error` last. If it refuses, it returns
 * NULL or false, leaves its other results alone, and stores a new error in *error, to be given back
 * with tesseraErrorDestroy. *error must be NULL before, or the error of an earlier call, which then
 * stays: of several calls, the first refusal is kept. `error` may be NULL. Nothing throws or
 * aborts: if memory runs out the id is `OutOfMemory`.
 *
 * What the operations mean, their laws and sources: docs/layout.md and tessera/layout/Algebra.h;
 * the text of values and expressions: docs/guide.md. A dynamic leaf is `?`, or `?{4}` where its
 * run-time value is known; known values that break a requirement are refused. Indices and extents
 * are in elements. */
#ifndef TESSERA_C_LAYOUT_H
#define TESSERA_C_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TESSERA_API
#else
#define TESSERA_API __attribute__((visibility("default")))
#endif

/* A number, tuple, layout, tile, swizzle, ...; see TesseraKind. */
typedef struct TesseraValue TesseraValue;
/* Why something was refused. */
typedef struct TesseraError TesseraError;

typedef enum TesseraKind {
  TESSERA_TUPLE,    /* a number or a nested tuple: 8, (4,(2,?)) */
  TESSERA_LAYOUT,   /* shape:stride */
  TESSERA_COMPOSED, /* inner o offset o layout, as with a swizzle */
  TESSERA_TILE,     /* [t0;t1;_] */
  TESSERA_SWIZZLE,  /* S<bits,base,shift> */
  TESSERA_LIST,     /* numbers in a row: <0,2> or [0,1,2] */
  TESSERA_TRUTH,    /* the answer of a comparison */
  TESSERA_SLICE     /* layout + offset */
} TesseraKind;

/*===--- Errors ------------------------------------------------------------------------------===*/

/* The name of the rule that was broken, such as `CompositionStride`: stable, to compare with. */
TESSERA_API const char *tesseraErrorId(const TesseraError *error);
/* One sentence with the mode and the numbers at fault. Valid until the error is destroyed; the same
 * holds for the next text. */
TESSERA_API const char *tesseraErrorText(const TesseraError *error);
/* What to do about it, or "". */
TESSERA_API const char *tesseraErrorHelp(const TesseraError *error);
/* NULL is allowed. */
TESSERA_API void tesseraErrorDestroy(TesseraError *error);

/*===--- Values in and out -------------------------------------------------------------------===*/

/* A value that a name stands for in an expression. */
typedef struct TesseraBinding {
  const char *name;
  const TesseraValue *value;
} TesseraBinding;

/* The value of an expression, as `tessera layout` reads it: literals, functions, `A o B`, `let A =
 * ...;`. The names of `bound` may be used in it; of several that are equal the last one counts.
 * `bound` may be NULL if count is 0. */
TESSERA_API TesseraValue *tesseraEvaluate(const char *text, const TesseraBinding *bound,
                                          size_t count, TesseraError **error);
/* The same without names: reads a literal such as "(4,8):(8,1)". A bare shape is a tuple, which
 * operations on layouts take as its compact layout. */
TESSERA_API TesseraValue *tesseraParse(const char *text, TesseraError **error);
/* What "name(operands...)" evaluates to, for any function that `tessera layout --functions` lists.
 */
TESSERA_API TesseraValue *tesseraCall(const char *name, const TesseraValue *const *operands,
                                      size_t count, TesseraError **error);
/* The name of such a function, counted from 0; NULL where there are no more. */
TESSERA_API const char *tesseraFunctionName(size_t number);

/* A static number. */
TESSERA_API TesseraValue *tesseraNumber(int64_t number, TesseraError **error);
/* A tuple of `count` numbers or tuples. */
TESSERA_API TesseraValue *tesseraTuple(const TesseraValue *const *modes, size_t count,
                                       TesseraError **error);
/* shape:stride; compact, first mode fastest, if `stride` is NULL. */
TESSERA_API TesseraValue *tesseraLayout(const TesseraValue *shape, const TesseraValue *stride,
                                        TesseraError **error);
TESSERA_API TesseraValue *tesseraCopy(const TesseraValue *value, TesseraError **error);
/* NULL is allowed. */
TESSERA_API void tesseraDestroy(TesseraValue *value);

TESSERA_API TesseraKind tesseraKindOf(const TesseraValue *value);
/* Writes the text of the value, which tesseraParse reads, with a 0 at its end and cut to `capacity`
 * bytes, as snprintf does. Returns how many bytes the whole text has without that 0; `buffer` may
 * be NULL if capacity is 0. Returns 0 if memory runs out. */
TESSERA_API size_t tesseraPrint(const TesseraValue *value, char *buffer, size_t capacity);
/* The number that a value is: a static one, or a dynamic one whose run-time value is known. The
 * answer of a comparison is 0 or 1. */
TESSERA_API bool tesseraGetNumber(const TesseraValue *value, int64_t *number, TesseraError **error);

/*===--- A layout as a function --------------------------------------------------------------===*/

/* Elements of the domain; 1 + the largest index; top-level modes; levels of nesting. */
TESSERA_API bool tesseraSize(const TesseraValue *layout, int64_t *size, TesseraError **error);
TESSERA_API bool tesseraCosize(const TesseraValue *layout, int64_t *cosize, TesseraError **error);
TESSERA_API bool tesseraRank(const TesseraValue *layout, int64_t *rank, TesseraError **error);
TESSERA_API bool tesseraDepth(const TesseraValue *layout, int64_t *depth, TesseraError **error);
/* The index of an integer coordinate, first mode fastest. */
TESSERA_API bool tesseraIndex(const TesseraValue *layout, int64_t coordinate, int64_t *index,
                              TesseraError **error);
/* The index of a coordinate with one integer per top-level mode. */
TESSERA_API bool tesseraIndexAt(const TesseraValue *layout, const int64_t *coordinate, size_t rank,
                                int64_t *index, TesseraError **error);
/* Writes the indices of the integer coordinates 0, ..., size - 1 and stores the size in *count.
 * Refuses if that is more than `capacity`, a leaf has no value, or indices are coordinates (scaled
 * bases). */
TESSERA_API bool tesseraTable(const TesseraValue *layout, int64_t *indices, size_t capacity,
                              size_t *count, TesseraError **error);

/*===--- Operations --------------------------------------------------------------------------===*/

/* Each is tesseraCall of the function in its comment. The last operand may be NULL where it says
 * so. */

/* shape, stride; get_mode: `path` is a number or a tuple of mode indices. */
TESSERA_API TesseraValue *tesseraShape(const TesseraValue *layout, TesseraError **error);
TESSERA_API TesseraValue *tesseraStride(const TesseraValue *layout, TesseraError **error);
TESSERA_API TesseraValue *tesseraMode(const TesseraValue *layout, const TesseraValue *path,
                                      TesseraError **error);
/* flatten; filter; coalesce: `profile` may be NULL. */
TESSERA_API TesseraValue *tesseraFlatten(const TesseraValue *layout, TesseraError **error);
TESSERA_API TesseraValue *tesseraCoalesce(const TesseraValue *layout, const TesseraValue *profile,
                                          TesseraError **error);
TESSERA_API TesseraValue *tesseraFilter(const TesseraValue *layout, TesseraError **error);
/* composition: A(B(c)), B a layout, tile, swizzle or composed layout; complement: `cotarget` may be
 * NULL. */
TESSERA_API TesseraValue *tesseraComposition(const TesseraValue *a, const TesseraValue *b,
                                             TesseraError **error);
TESSERA_API TesseraValue *tesseraComplement(const TesseraValue *layout,
                                            const TesseraValue *cotarget, TesseraError **error);
/* right_inverse, left_inverse */
TESSERA_API TesseraValue *tesseraRightInverse(const TesseraValue *layout, TesseraError **error);
TESSERA_API TesseraValue *tesseraLeftInverse(const TesseraValue *layout, TesseraError **error);
/* logical_divide, zipped_divide, tiled_divide, flat_divide; a tuple tiles mode by mode. */
TESSERA_API TesseraValue *tesseraLogicalDivide(const TesseraValue *layout,
                                               const TesseraValue *tiler, TesseraError **error);
TESSERA_API TesseraValue *tesseraZippedDivide(const TesseraValue *layout, const TesseraValue *tiler,
                                              TesseraError **error);
TESSERA_API TesseraValue *tesseraTiledDivide(const TesseraValue *layout, const TesseraValue *tiler,
                                             TesseraError **error);
TESSERA_API TesseraValue *tesseraFlatDivide(const TesseraValue *layout, const TesseraValue *tiler,
                                            TesseraError **error);
/* logical_product, zipped_product, tiled_product, blocked_product, raked_product */
TESSERA_API TesseraValue *tesseraLogicalProduct(const TesseraValue *block,
                                                const TesseraValue *copies, TesseraError **error);
TESSERA_API TesseraValue *tesseraZippedProduct(const TesseraValue *block,
                                               const TesseraValue *copies, TesseraError **error);
TESSERA_API TesseraValue *tesseraTiledProduct(const TesseraValue *block, const TesseraValue *copies,
                                              TesseraError **error);
TESSERA_API TesseraValue *tesseraBlockedProduct(const TesseraValue *block,
                                                const TesseraValue *copies, TesseraError **error);
TESSERA_API TesseraValue *tesseraRakedProduct(const TesseraValue *block, const TesseraValue *copies,
                                              TesseraError **error);
/* tile_to_shape: `order` may be NULL; local_tile, slice_and_offset: give a slice, layout + offset.
 */
TESSERA_API TesseraValue *tesseraTileToShape(const TesseraValue *block, const TesseraValue *shape,
                                             const TesseraValue *order, TesseraError **error);
TESSERA_API TesseraValue *tesseraLocalTile(const TesseraValue *layout, const TesseraValue *tiler,
                                           const TesseraValue *coordinate, TesseraError **error);
TESSERA_API TesseraValue *tesseraSlice(const TesseraValue *coordinate, const TesseraValue *layout,
                                       TesseraError **error);
/* The two parts of a slice. */
TESSERA_API TesseraValue *tesseraSliceLayout(const TesseraValue *slice, TesseraError **error);
TESSERA_API TesseraValue *tesseraSliceOffset(const TesseraValue *slice, TesseraError **error);
/* crd2idx; idx2crd */
TESSERA_API TesseraValue *tesseraCrd2Idx(const TesseraValue *coordinate, const TesseraValue *layout,
                                         TesseraError **error);
TESSERA_API TesseraValue *tesseraIdx2Crd(const TesseraValue *index, const TesseraValue *shape,
                                         TesseraError **error);
/* recast_layout: the same memory in elements of `newBits` instead of `oldBits`. */
TESSERA_API TesseraValue *tesseraRecast(const TesseraValue *layout, int64_t oldBits,
                                        int64_t newBits, TesseraError **error);

#ifdef __cplusplus
}
#endif
#endif
