// Integers by C++'s rules: the types of numbers, promotion, and conversion. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number of the device has the type that C++ gives it: u32 where C++ has uint32_t. Operands of
// several types are converted to one as C++20 does it ([expr.arith.conv], [conv.prom]). Places that
// only count, such as coordinates, extents and lanes, take signed numbers: `number` of Node.h.
#pragma once

#include "tessera/cute_cxx/Node.h"

namespace tessera::cute {

/// The type of an integer: b1, or s8 to u64; none for floats, literals and what was never set.
Format wholeType(const Num &);
/// What C++ computes with where an operand is of this type: an int, if it has fewer bits.
Format promoted(Format whole);
/// What C++ computes with where operands are of these types.
Format commonType(Format, Format);
bool isUnsigned(Format);

/// A number that C++ knows, of this type; what does not fit is wrapped, but an int becomes an s64.
Static wrapped(uint64_t bits, Format type);
/// The number as one of the program, of its own type.
dsl::Num typed(const Num &, Place);
/// The same, converted to another type.
dsl::Num typed(const Num &, Format, Place);
} // namespace tessera::cute
