// What a lane of a warp states beside the registers of a product: metadata of a sparse A, and scale
// factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/NamedAtoms.h"

namespace tessera::dsl {

/// An i32: which of the elements of A are kept, as PTX packs it.
TiledMma with_metadata(const TiledMma &, const Num &e, Place = Place::current());
/// Two i32: the bytes are factors of a row of A and of a column of B, from the lowest on.
TiledMma with_factors(const TiledMma &, const Num &ofA, const Num &ofB, Place = Place::current());

} // namespace tessera::dsl
