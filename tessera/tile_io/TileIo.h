// Tile programs as ops of `cuda_tile`, from and to bytecode and the plain data of `tile_bytecode`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both ways go by the table of ops (tile_bytecode/Ops.def): results, attributes and operands of a
// row are those of the op of that name, in order, so that an op needs no code of its own here.
#pragma once

#include "tessera/cuda_tile/CudaTile.h"
#include "tessera/tile_bytecode/Program.h"

#include "mlir/IR/OwningOpRef.h"

#include <span>

namespace tessera::tile_io {

/// The module of a program that keeps the rules of tile_bytecode/Reader.h. It is called `kernels`,
/// as bytecode has no name for it. Reports what is wrong with its types; what ops demand is left to
/// the verifier.
mlir::OwningOpRef<cuda_tile::TileModuleOp> toModule(const tile_bytecode::Program &program,
                                                    mlir::MLIRContext &context);
/// Reads bytecode. Reports what is wrong with it.
mlir::OwningOpRef<cuda_tile::TileModuleOp> readBytecode(std::span<const std::byte> file,
                                                        mlir::MLIRContext &context);

/// The program of a verified module, in the newest version. Reports what bytecode cannot hold: ops
/// of other dialects, functions for tests, types of other dialects, and locations that are not
/// those of debug information. Left out without a word, as bytecode has no place for them: the name
/// of the module, attributes of arguments, attributes that are not the op's own, places in files
/// without a scope (see the pass synthesize-debug-info-scopes).
mlir::FailureOr<tile_bytecode::Program> toProgram(cuda_tile::TileModuleOp module);
/// Bytecode of a module. Reports what the version does not have.
mlir::FailureOr<std::string> writeBytecode(cuda_tile::TileModuleOp module,
                                           tile_bytecode::Version version);

} // namespace tessera::tile_io
