// Elements: how an element of a tile is held in a register and in memory, and conversions between
// number formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   element            register        memory
//   i1                 i1              i8: 0 or 1; any other byte is true
//   i4, f4E2M1FN       i8, high bits 0 half a byte
//   i8 to i64          the same        the same
//   f16 bf16 f32 f64   the same        the same
//   tf32               f32             4 bytes
//   f8*                i8              i8
//   pointer            i64             i64
#pragma once

#include "tessera/number/Code.h"
#include "tessera/tile_lower/Code.h"

namespace tessera::tile_lower {

Type heldType(Type element);
/// The type of an element in memory, of whole bytes.
Type memoryType(Type element);
int64_t memoryBytes(Type element);
bool isPointer(Type element);
/// f16, bf16, f32 and f64, which have arithmetic.
bool isBaseFloat(Type element);
bool isFourBits(Type element);

Value toMemory(Code &code, Type element, Value held);
Value fromMemory(Code &code, Type element, Value loaded);

/// The fields of a floating-point type other than f64.
number::Floating fieldsOf(Type element);

/// The value of an element as f32, which represents all values of all types except f64; an f64
/// stays.
Value widened(Code &code, Type element, Value held);
/// An f32 or f64 as an element of a type, rounded once; types of 8 and 4 bits saturate.
Value narrowed(Code &code, Value number, Type element,
               number::Rounding rounding = number::Rounding::NearestEven);
/// An f64 rounded to odd in f32. Rounding the result to a narrower type gives the same as rounding
/// the f64 directly. Source: tessera/number/Exact.h.
Value roundedToOdd(Code &code, Value f64);

} // namespace tessera::tile_lower
