// Powers: x to the power of y.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_lower/Code.h"

namespace tessera::tile_lower {

/// |x|^y with the sign and special cases of C's pow (C17, F.10.4.4), for numbers that were f32 or
/// narrower. x, y and the result are f64. The relative error is below 2^-30; results outside the
/// range of f32 stay outside of it.
Value power(Code &code, Value x, Value y);

} // namespace tessera::tile_lower
