// Conversions of elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_CONVERSION_TD
#define TESSERA_CUDA_TILE_OPS_CONVERSION_TD

include "tessera/cuda_tile/ops/Base.td"

class CudaTile_NumericConversion<string mnemonic, Type source, Type result_> : CudaTile_PureOp<mnemonic, "13, 1", [AllShapesMatch<["from", "to"]>]> {
  let arguments = (ins source:$from);
  let results = (outs result_:$to);
  let hasVerifier = 1;
}
def CudaTile_ExtIOp : CudaTile_NumericConversion<"exti", CudaTile_IntOrI4Tile, CudaTile_IntOrI4Tile> {
  let summary = "integer to a wider one, by zeros or by the sign";
  let arguments = (ins CudaTile_IntOrI4Tile:$from, CudaTile_SignednessAttr:$signedness);
  let assemblyFormat = [{$from custom<Signedness>($signedness) attr-dict `:` custom<ShortType>(type($from)) `->` custom<ShortType>(type($to))}];
}
def CudaTile_TruncIOp : CudaTile_NumericConversion<"trunci", CudaTile_IntOrI4Tile, CudaTile_IntOrI4Tile> {
  let summary = "integer to a narrower one: its low bits";
  let description = [{Where `overflow` promises that nothing is lost, losing something is undefined behaviour.}];
  let arguments = (ins CudaTile_IntOrI4Tile:$from, CudaTile_Overflow:$overflow);
  let assemblyFormat = "$from (`overflow` `` custom<Overflow>($overflow)^)? attr-dict `:` custom<ShortType>(type($from)) `->` custom<ShortType>(type($to))";
}
def CudaTile_FToFOp : CudaTile_NumericConversion<"ftof", CudaTile_FloatTile, CudaTile_FloatTile> {
  let summary = "floating point to another format";
  let description = [{
    Rounding is nearest_even; to f8E8M0FNU it is zero or positive_inf. Since 13.4 a conversion that can lose bits may be rounded in any
    direction (zero, negative_inf, positive_inf, nearest_away). All conversions take f8E5M3FNU (13.4, a preview) too.
  }];
  let arguments = (ins CudaTile_FloatTile:$from, CudaTile_Rounding<"NearestEven">:$rounding_mode);
  let assemblyFormat = [{$from custom<RoundingFToF>($rounding_mode) attr-dict `:` custom<ShortType>(type($from)) `->` custom<ShortType>(type($to))}];
}
def CudaTile_FToIOp : CudaTile_NumericConversion<"ftoi", CudaTile_FloatTile, CudaTile_IntTile> {
  let summary = "floating point to integer, towards zero";
  let description = [{A number out of range is undefined behaviour, or the nearest integer in range with `saturating` (13.4).}];
  let arguments = (ins CudaTile_FloatTile:$from, CudaTile_SignednessAttr:$signedness, CudaTile_Rounding<"NearestIntToZero">:$rounding_mode,
    UnitAttr:$saturating);
  let assemblyFormat = [{$from custom<Signedness>($signedness) custom<RoundingFToI>($rounding_mode) (`saturating` $saturating^)? attr-dict `:`
    custom<ShortType>(type($from)) `->` custom<ShortType>(type($to))}];
}
def CudaTile_IToFOp : CudaTile_NumericConversion<"itof", CudaTile_IntTile, CudaTile_FloatTile> {
  let summary = "integer to floating point, rounded to nearest even";
  let arguments = (ins CudaTile_IntTile:$from, CudaTile_SignednessAttr:$signedness, CudaTile_Rounding<"NearestEven">:$rounding_mode);
  let assemblyFormat = [{$from custom<Signedness>($signedness) custom<RoundingIeee>($rounding_mode) attr-dict `:` custom<ShortType>(type($from)) `->`
    custom<ShortType>(type($to))}];
}

def CudaTile_BitcastOp : CudaTile_Conversion<"bitcast", "13, 1", CudaTile_NumberTile, CudaTile_NumberTile, [AllShapesMatch<["source", "result"]>]> {
  let summary = "the same bits as another element type of that width";
  let hasVerifier = 1;
}
def CudaTile_IntToPtrOp : CudaTile_Conversion<"int_to_ptr", "13, 1", CudaTile_I64Tile, CudaTile_PointerTile, [AllShapesMatch<["source", "result"]>]> {
  let summary = "address to pointer";
}
def CudaTile_PtrToIntOp : CudaTile_Conversion<"ptr_to_int", "13, 1", CudaTile_PointerTile, CudaTile_I64Tile, [AllShapesMatch<["source", "result"]>]> {
  let summary = "pointer to address";
}
def CudaTile_PtrToPtrOp : CudaTile_Conversion<"ptr_to_ptr", "13, 1", CudaTile_PointerTile, CudaTile_PointerTile, [AllShapesMatch<["source", "result"]>]> {
  let summary = "the same address as a pointer to other elements";
}

class CudaTile_Repack<string mnemonic, Type from, Type to> : CudaTile_Conversion<mnemonic, "13, 3", from, to, [AllRanksMatch<["source", "result"]>]> {
  let hasVerifier = 1;
}
def CudaTile_PackOp : CudaTile_Repack<"pack", CudaTile_PackableTile, CudaTile_ByteTile> {
  let summary = "the bytes of a tile of rank 1";
  let description = [{Elements narrower than a byte lie packed, the first in the low bits. The number of bytes stays the same.}];
}
def CudaTile_UnpackOp : CudaTile_Repack<"unpack", CudaTile_ByteTile, CudaTile_PackableTile> {
  let summary = "the elements that the bytes of a tile of rank 1 are";
}

#endif
