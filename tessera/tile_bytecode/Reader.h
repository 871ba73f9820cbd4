// Reader: bytecode of tile programs, 13.1 to 13.4, as a Program.
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
// The requirements of an op on the types of its operands are not checked here.
// Sources: NVIDIA's public dialect cuda_tile 13.3 (lib/Bytecode), cuTile Python 1.6.
#pragma once

#include "tessera/tile_bytecode/Errors.h"
#include "tessera/tile_bytecode/Program.h"

#include <span>

namespace tessera::tile_bytecode {

/// The largest nesting depth of regions, and of attributes.
inline constexpr unsigned mostRegions = 128, mostAttributeDepth = 16;

/// Whether the bytes begin as bytecode of tile programs does.
bool isTileBytecode(std::span<const std::byte>);

/// The program of a whole file. Refuses ill-formed bytes with their offset in the file, what was
/// expected there and what came.
Result<Program> read(std::span<const std::byte> file);

/// The size of bytecode at the beginning of a larger buffer: up to its End byte. Only reads the
/// header and the headers of sections.
Result<size_t> sizeOf(std::span<const std::byte> buffer);

} // namespace tessera::tile_bytecode
