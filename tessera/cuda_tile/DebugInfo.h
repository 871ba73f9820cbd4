// Debug information of tile programs: the rules of scopes, and renaming symbols along with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_tile/CudaTile.h"

namespace tessera::cuda_tile {

/// The function that a scope is in; null for null.
DISubprogramAttr subprogramOf(mlir::Attribute scope);
/// The first scope that a location, or one of those that it is made of, has; null for none.
mlir::Attribute scopeOf(mlir::Location location);

/// Rules of a function: its scope is a subprogram of its name, and what is in it has scopes of that
/// subprogram.
llvm::LogicalResult verifyFunctionScopes(mlir::FunctionOpInterface function);
/// Rule of a module: what is not a function has no scope.
llvm::LogicalResult verifyModuleScopes(TileModuleOp module);

/// Renames a symbol, and in `scope` the linkage name of its subprogram; uses too where a table is
/// given. `scope` has to enclose the symbol.
llvm::LogicalResult renameSymbol(mlir::StringAttr name, mlir::SymbolOpInterface symbol,
                                 mlir::Operation *scope, mlir::SymbolTable *uses);

} // namespace tessera::cuda_tile
