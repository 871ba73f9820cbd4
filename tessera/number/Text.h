// Text: numbers as text, in decimal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Sentence.h"
#include "tessera/number/Format.h"

namespace tessera::number {

#define TESSERA_ERRORS "tessera/number/Errors.def"
#include "tessera/base/Errors.inc"

/// The shortest decimal text that reads back as the same double: 0.1, 1e-05, inf, nan. Integers
/// below 10^15 have no exponent: 100000.
std::string decimal(double);

/// The number of a code: the decimal text of its value, all digits of an integer, nan of every NaN.
/// `parse` reads it back as the same code; a NaN becomes that of hostRules (Code.h).
std::string print(Format, uint64_t code);

/// The code of a number in decimal: 5, -0.25, 1e-3, inf, nan; integers also in hexadecimal, b1 also
/// as true and false. A sign may precede it, blanks may not. Numbers are rounded to f64 and then by
/// hostRules (Code.h). Fails for text that is not a number (IntegerText, FloatText), for an integer
/// out of range (IntegerText), and if rounding would change the kind of number (FloatRange): a
/// number too large to infinity or the largest number, zero or a smaller number to a power of two
/// (ue8m0), NaN to a number, or NaN with a sign in a format whose NaN has none.
Result<uint64_t> parse(Format, std::string_view text);

} // namespace tessera::number
