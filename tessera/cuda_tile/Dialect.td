// The `cuda_tile` dialect: name and defaults.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_DIALECT_TD
#define TESSERA_CUDA_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"

def CudaTile_Dialect : Dialect {
  let name = "cuda_tile";
  let cppNamespace = "::tessera::cuda_tile";
  let summary = "tile programs: what cuTile's front ends emit";
  let description = [{
    A tile program says what one tile block does with tiles, arrays whose shape is known when the program is compiled. How the elements of a tile
    are spread over threads is left to the compiler. Memory is reached through tiles of pointers, or through views, which bind a pointer to the shape
    and strides of a tensor and cut it into tiles. Operations on memory are ordered by tokens only.

    The text is that of NVIDIA's public dialect of this name, version 13.1 to 13.4; each op and type says in which version it appeared. Inside of
    `cuda_tile.module` the prefix `cuda_tile.` of ops and `!cuda_tile.` of types may be left out, and the printer leaves it out.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    /// What is done about hints that are unknown or out of range.
    enum class HintPolicy { Ignore, Warn, Error };
    HintPolicy hintPolicy = HintPolicy::Ignore;
  }];
}

#endif
