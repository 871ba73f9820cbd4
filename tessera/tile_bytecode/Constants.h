// Constants: the elements of a constant of a tile program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant has the bytes of LLVM's DenseElementsAttr: one element if all are equal, else each in
// little-endian order. i1 is packed, eight in a byte with the first lowest, and one byte FF or 00
// stands for all; tf32 has 3 bytes, f4 and i4 one.
#pragma once

#include "tessera/tile_bytecode/Program.h"

namespace tessera::tile_bytecode {

/// The bits of each element of a tile, zero-extended, in row-major order. tf32 as the upper 19 bits
/// of an f32. The constant must have the size that `read` checks.
std::vector<uint64_t> constantCodes(const Program &, Index constant, const Type &tile);

/// The bytes of a constant with these elements; one element's if all are equal.
std::string constantBytes(const Program &, const std::vector<uint64_t> &codes, const Type &tile);

} // namespace tessera::tile_bytecode
