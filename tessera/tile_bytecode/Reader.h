// read: bytecode of tile programs, 13.1 to 13.4, as a Program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are not trusted. Nothing is taken from memory by a size that the file states and its bytes
// do not back, recursion is bounded, and every index is checked. What `read` returns:
//
//   * every index of a table is in it, every value is a result or an argument before its use, in
//     its block or in one around it;
//   * types keep the rules of their kinds (TypeRules.h), and refer to the kinds that Program.h
//     states; locations too, and scopes have no cycles;
//   * an instruction has the results, attributes, operands and regions of the columns of its op;
//     enumerations are in range, constants have the size of their type;
//   * functions are entries.
//
// What an op demands of the types of its operands is not checked here.
// Sources: NVIDIA's public dialect cuda_tile 13.3 (lib/Bytecode), cuTile Python 1.6.
#pragma once

#include "tessera/tile_bytecode/Errors.h"
#include "tessera/tile_bytecode/Program.h"

#include <span>

namespace tessera::tile_bytecode {

/// Regions lie in each other at most so deep, attributes at most 16.
inline constexpr unsigned mostRegions = 128, mostAttributeDepth = 16;

/// Whether the bytes begin as bytecode of tile programs does.
bool isTileBytecode(std::span<const std::byte>);

/// The program of a whole file. Refuses what is not well-formed, with the offset of the byte in the
/// file, what was expected there and what came.
Result<Program> read(std::span<const std::byte> file);

/// The bytes that bytecode takes at the begin of a larger buffer: up to its End byte. Nothing but
/// the header and the sections' headers is read.
Result<size_t> sizeOf(std::span<const std::byte> buffer);

} // namespace tessera::tile_bytecode
