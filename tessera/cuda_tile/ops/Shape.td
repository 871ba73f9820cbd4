// Constants, and ops that move elements within and between tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_SHAPE_TD
#define TESSERA_CUDA_TILE_OPS_SHAPE_TD

include "tessera/cuda_tile/ops/Base.td"

def CudaTile_ConstantOp : CudaTile_PureOp<"constant", "13, 1", [ConstantLike, OpAsmOpInterface]> {
  let summary = "a tile of known numbers";
  let description = [{Written `constant <f32: [1.0, 2.0]> : tile<2xf32>`; one number fills the tile. Hexadecimal numbers are the bits.}];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs CudaTile_LiteralTile:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    void getAsmResultNames(::mlir::OpAsmSetValueNameFn name);
  }];
  let builders = [OpBuilder<(ins "::mlir::DenseElementsAttr":$value), [{
    build($_builder, $_state, ::llvm::cast<TileType>(value.getType()), value);
  }]>];
}
def CudaTile_IotaOp : CudaTile_PureOp<"iota", "13, 1"> {
  let summary = "0, 1, 2, ... as a tile of rank 1, unsigned";
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = "attr-dict `:` custom<ShortType>(type($result))";
  let hasVerifier = 1;
}
def CudaTile_BroadcastOp : CudaTile_Conversion<"broadcast", "13, 1", CudaTile_AnyTile, CudaTile_AnyTile,
    [SameOperandsAndResultElementType, AllRanksMatch<["source", "result"]>, OpAsmOpInterface]> {
  let extraClassDeclaration = CudaTile_ResultName<"bcast">.method;
  let summary = "repeats a tile along its dimensions of extent 1";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def CudaTile_ReshapeOp : CudaTile_Conversion<"reshape", "13, 1", CudaTile_AnyTile, CudaTile_AnyTile,
    [SameOperandsAndResultElementType, OpAsmOpInterface]> {
  let extraClassDeclaration = CudaTile_ResultName<"reshape">.method;
  let summary = "another shape with as many elements, which keep their row-major order";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def CudaTile_PermuteOp : CudaTile_PureOp<"permute", "13, 1", [CudaTile_SameElementType<["source", "result"]>, AllRanksMatch<["source", "result"]>]> {
  let summary = "dimensions in another order: dimension i of the result is dimension permutation[i] of the source";
  let arguments = (ins CudaTile_AnyTile:$source, DenseI32ArrayAttr:$permutation);
  let results = (outs CudaTile_AnyTile:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` custom<ShortType>(type($source)) `->` custom<ShortType>(type($result))";
  let hasVerifier = 1;
}
def CudaTile_CatOp : CudaTile_PureOp<"cat", "13, 1", [AllRanksMatch<["lhs", "rhs", "result"]>, CudaTile_SameElementType<["lhs", "rhs", "result"]>]> {
  let summary = "two tiles one after the other along a dimension";
  let arguments = (ins CudaTile_AnyTile:$lhs, CudaTile_AnyTile:$rhs, I64Attr:$dim);
  let results = (outs CudaTile_AnyTile:$result);
  let assemblyFormat = [{$lhs `,` $rhs `dim` `=` $dim attr-dict `:` custom<ShortType>(type($lhs)) `,` custom<ShortType>(type($rhs)) `->`
    custom<ShortType>(type($result))}];
  let hasVerifier = 1;
}
def CudaTile_ExtractOp : CudaTile_PureOp<"extract", "13, 1", [AllRanksMatch<["source", "result"]>]> {
  let summary = "one of the slices that a tile is divided into";
  let description = [{The extents of the result divide those of the source; indices count slices, unsigned, and out of range they are undefined behaviour.}];
  let arguments = (ins CudaTile_AnyTile:$source, Variadic<CudaTile_I32Scalar>:$indices);
  let results = (outs CudaTile_AnyTile:$result);
  let assemblyFormat = [{$source `[` $indices `]` attr-dict `:` custom<ShortType>(type($source)) `->`
    custom<ShortType>(type($result))}];
  let hasVerifier = 1;
}
def CudaTile_InsertOp : CudaTile_PureOp<"insert", "13, 4", [AllRanksMatch<["source", "destination"]>, AllTypesMatch<["destination", "result"]>]> {
  let summary = "a tile with one of its slices replaced";
  let description = [{The extents of the source divide those of the destination; indices count slices, unsigned, and out of range they are undefined behaviour.}];
  let arguments = (ins CudaTile_AnyTile:$source, CudaTile_AnyTile:$destination, Variadic<CudaTile_I32Scalar>:$indices);
  let results = (outs CudaTile_AnyTile:$result);
  let assemblyFormat = [{$source `,` $destination `[` $indices `]` attr-dict `:` custom<ShortType>(type($source)) `,`
    custom<ShortType>(type($destination)) `->` custom<ShortType>(type($result))}];
  let hasVerifier = 1;
}
def CudaTile_AssumeOp : CudaTile_GuardedOp<"assume", "13, 1", [AllTypesMatch<["value", "result"]>, OpAsmOpInterface]> {
  let extraClassDeclaration = "void getAsmResultNames(::mlir::OpAsmSetValueNameFn name);";
  let summary = "what the program knows of a value";
  let description = [{The result is the value. A predicate that does not hold is undefined behaviour.}];
  let arguments = (ins CudaTile_AnyPredicate:$predicate, AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "custom<AssumePredicate>($predicate) `,` $value attr-dict `:` custom<ShortType>(type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
