// Modules, entries, globals, and where a tile block is in the grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_MODULE_TD
#define TESSERA_CUDA_TILE_OPS_MODULE_TD

include "tessera/cuda_tile/ops/Base.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def CudaTile_TileModuleOp : CudaTile_Op<"module", "13, 1", [IsolatedFromAbove, Symbol, SymbolTable, NoRegionArguments, NoTerminator, SingleBlock,
    OpAsmOpInterface]> {
  let summary = "a tile program: entries and globals";
  let description = [{`producer` (13.3) is free text that says what made the program.}];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$producer);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = CudaTile_Own.prefix;
}
class CudaTile_FunctionOp<string mnemonic, string since> : CudaTile_Op<mnemonic, since, [IsolatedFromAbove, AutomaticAllocationScope,
    FunctionOpInterface, OpAsmOpInterface]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = CudaTile_Own.prefix # [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    bool isDeclaration() { return false; }
  }];
}
def CudaTile_EntryOp : CudaTile_FunctionOp<"entry", "13, 1"> {
  let summary = "a kernel: what each tile block of a grid runs";
  let description = [{
    Arguments are scalar tiles, numbers or pointers; there are no results. Hints: num_cta_in_cga, occupancy, num_worker_warps_per_cta, by target.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs, OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints);
}
def CudaTile_TestingFuncOp : CudaTile_FunctionOp<"testing$func", "250, 0"> {
  let summary = "a function with any arguments and results, for tests";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
}
def CudaTile_GlobalOp : CudaTile_Op<"global", "13, 1", [Symbol]> {
  let summary = "an array in global memory with initial values";
  let description = [{The alignment is in bytes; 0 is that of an element. Visibility and `constant` since 13.3.}];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value, DefaultValuedAttr<I64Attr, "0">:$alignment,
    DefaultValuedAttr<CudaTile_SymbolVisibilityAttr, "::tessera::cuda_tile::SymbolVisibility::Public">:$symbol_visibility, UnitAttr:$constant);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def CudaTile_GetGlobalOp : CudaTile_PureOp<"get_global", "13, 1", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "pointer to the first element of a global";
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs CudaTile_PointerScalar:$result);
  let assemblyFormat = "$name attr-dict `:` custom<ShortType>(type($result))";
}
class CudaTile_GridOp<string mnemonic> : CudaTile_PureOp<mnemonic, "13, 1"> {
  let hasCustomAssemblyFormat = 1;
}
def CudaTile_GetTileBlockIdOp : CudaTile_GridOp<"get_tile_block_id"> {
  let summary = "the place of this tile block in the grid";
  let results = (outs CudaTile_I32Scalar:$blockId_x, CudaTile_I32Scalar:$blockId_y, CudaTile_I32Scalar:$blockId_z);
}
def CudaTile_GetNumTileBlocksOp : CudaTile_GridOp<"get_num_tile_blocks"> {
  let summary = "the extents of the grid; each is below 2^24";
  let results = (outs CudaTile_I32Scalar:$gridSize_x, CudaTile_I32Scalar:$gridSize_y, CudaTile_I32Scalar:$gridSize_z);
}

//--- Ops of versions that do not exist, for tests of how versions are handled ---

def CudaTile_TestingEvolutionOp : CudaTile_Op<"testing$bytecode_test_evolution", "250, 0"> {
  let summary = "gained a token as operand and result in 250.1";
  let arguments = (ins CudaTile_NumberTile:$input, Optional<CudaTile_Token>:$optional_token);
  let results = (outs CudaTile_Token:$result_token);
  let assemblyFormat = "`(` $input `:` qualified(type($input)) `)` (`token` `=` $optional_token^ `:` qualified(type($optional_token)))? attr-dict `->` custom<ShortType>(type($result_token))";
}
def CudaTile_TestingNewAttributeOp : CudaTile_Op<"testing$bytecode_test_new_attribute", "250, 0"> {
  let summary = "gained a number with a default and a flag in 250.1";
  let arguments = (ins DefaultValuedAttr<I64Attr, "42">:$new_param, UnitAttr:$new_flag);
  let assemblyFormat = "(`new_param` `=` $new_param^)? (`new_flag` $new_flag^)? attr-dict";
}

#endif
