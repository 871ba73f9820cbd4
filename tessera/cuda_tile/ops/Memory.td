// Memory through pointers, tokens, messages of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_MEMORY_TD
#define TESSERA_CUDA_TILE_OPS_MEMORY_TD

include "tessera/cuda_tile/ops/Base.td"

// Writes memory, or is ordered as if it did.
defvar CudaTile_Ordered = MemoryEffects<[MemRead, MemWrite]>;

def CudaTile_OffsetOp : CudaTile_PureOp<"offset", "13, 1", [AllTypesMatch<["result", "ptr"]>, SameOperandsAndResultShape]> {
  let summary = "pointers moved on by a number of elements";
  let description = [{Offsets are signed, of any width. An address that overflows is undefined behaviour.}];
  let arguments = (ins CudaTile_PointerTile:$ptr, CudaTile_IntTile:$offset);
  let results = (outs CudaTile_PointerTile:$result);
  let assemblyFormat = [{$ptr `,` $offset attr-dict `:` custom<ShortType>(type($ptr)) `,` custom<ShortType>(type($offset)) `->` custom<ShortType>(type($result))}];
}

// The type of `value` is that of a tile that the pointers point to, element by element.
class CudaTile_PointsTo<string pointers, string value> : PredOpTrait<
    "`" # pointers # "` type is expected a pointer type of `" # value # "` type",
    CPred<"::tessera::cuda_tile::pointsTo($" # pointers # ".getType(), $" # value # ".getType())">>;

def CudaTile_LoadPtrTkoOp : CudaTile_Op<"load_ptr_tko", "13, 1", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    CudaTile_PointsTo<"source", "result">,
    PredOpTrait<"shape of 'mask' must match the shape of 'source'", CPred<"::tessera::cuda_tile::sameShapeIfAny(getSource(), getMask())">>,
    PredOpTrait<"type of 'paddingValue' must match the type of 'result'",
      CPred<"!getPaddingValue() || getPaddingValue().getType() == getResult().getType()">>]> {
  let summary = "loads an element from each pointer";
  let description = [{
    Where the mask is false nothing is read and the element is that of the padding, or unspecified without one. A weak access has no scope,
    relaxed and acquire ones need one. A padding without a mask, which says nothing, is written `padding = %pad`.
  }];
  let arguments = (ins CudaTile_MemoryOrdering:$memory_ordering_semantics, OptionalAttr<CudaTile_MemoryScope>:$memory_scope,
    CudaTile_PointerTile:$source, Optional<CudaTile_BoolTile>:$mask, Optional<CudaTile_NumberTile>:$paddingValue, Optional<CudaTile_Token>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints);
  let results = (outs CudaTile_AnyTile:$result, CudaTile_Token:$result_token);
  let assemblyFormat = "$memory_ordering_semantics (` ` $memory_scope^)? custom<LoadOperands>($source, $mask, $paddingValue) (`token` `` `=` `` $token^)? (`optimization_hints` `=` $optimization_hints^)? attr-dict `:` custom<LoadTypes>(type($source), ref($mask), type($mask), ref($paddingValue), type($paddingValue)) `->` " #
    "custom<ShortType>(type($result)) `,` custom<ShortType>(type($result_token))";
  let hasVerifier = 1;
}
def CudaTile_StorePtrTkoOp : CudaTile_Op<"store_ptr_tko", "13, 1", [AttrSizedOperandSegments, CudaTile_Ordered,
    CudaTile_PointsTo<"destination", "value">,
    PredOpTrait<"shape of 'destination' must match the shape of 'mask'", CPred<"::tessera::cuda_tile::sameShapeIfAny(getDestination(), getMask())">>]> {
  let summary = "stores an element through each pointer whose mask is true";
  let description = [{A weak access has no scope, relaxed and release ones need one.}];
  let arguments = (ins CudaTile_MemoryOrdering:$memory_ordering_semantics, OptionalAttr<CudaTile_MemoryScope>:$memory_scope,
    CudaTile_PointerTile:$destination, CudaTile_AnyTile:$value, Optional<CudaTile_BoolTile>:$mask, Optional<CudaTile_Token>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints);
  let results = (outs CudaTile_Token:$result_token);
  let assemblyFormat = "$memory_ordering_semantics (` ` $memory_scope^)? $destination `,` $value (`,` $mask^)? (`token` `` `=` `` $token^)? (`optimization_hints` `=` $optimization_hints^)? attr-dict `:` custom<ShortType>(type($destination)) `,` custom<ShortTypes>(type($value), type($mask)) " #
    " `->` custom<ShortType>(type($result_token))";
  let hasVerifier = 1;
}
def CudaTile_AllocaOp : CudaTile_Op<"alloca", "13, 3", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory of a tile block that lives as long as the enclosing block";
  let description = [{Room for num_elem elements; the alignment is in bytes, a power of two that is at least an element's size.}];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>]>:$num_elem, ConfinedAttr<I64Attr, [IntMinValue<0>]>:$alignment, UnitAttr:$global);
  let results = (outs CudaTile_PointerScalar:$result);
  let assemblyFormat = [{`num_elem` `=` $num_elem `,` `alignment` `=` $alignment (`global` $global^)? attr-dict `:` custom<ShortType>(type($result))}];
  let hasVerifier = 1;
}

def CudaTile_MakeTokenOp : CudaTile_PureOp<"make_token", "13, 1"> {
  let summary = "a token that orders nothing";
  let results = (outs CudaTile_Token:$result);
  let assemblyFormat = "attr-dict `:` custom<ShortType>(type($result))";
}
def CudaTile_JoinTokensOp : CudaTile_PureOp<"join_tokens", "13, 1"> {
  let summary = "a token that comes after each of two or more";
  let arguments = (ins Variadic<CudaTile_Token>:$tokens);
  let results = (outs CudaTile_Token:$result);
  let assemblyFormat = "$tokens attr-dict `:` custom<ShortType>(type($result))";
  let hasVerifier = 1;
}
class CudaTile_FenceOp<string mnemonic> : CudaTile_Op<mnemonic, "13, 4", [CudaTile_Ordered]> {
  let arguments = (ins Optional<CudaTile_Token>:$token);
  let results = (outs CudaTile_Token:$result_token);
  let assemblyFormat = "(`token` `` `=` `` $token^)?  attr-dict `->` custom<ShortType>(type($result_token))";
}
def CudaTile_GdcLaunchDependentsTkoOp : CudaTile_FenceOp<"gdc_launch_dependents_tko"> {
  let summary = "lets the grids that wait for this one start; does nothing below sm_90";
}
def CudaTile_GdcWaitTkoOp : CudaTile_FenceOp<"gdc_wait_tko"> {
  let summary = "waits for the grids before this one and sees what they wrote; does nothing below sm_90";
}
def CudaTile_MemoryFenceAliasTkoOp : CudaTile_FenceOp<"memory_fence_alias_tko"> {
  let summary = "orders accesses of the same memory through different addresses";
  let arguments = (ins CudaTile_Token:$token);
  let assemblyFormat = "`token` `` `=` `` $token attr-dict `->` custom<ShortType>(type($result_token))";
}

def CudaTile_AssertOp : CudaTile_Op<"assert", "13, 1", [CudaTile_Ordered]> {
  let summary = "reports an error for each element that is false";
  let description = [{The message and the index are printed for each such element, and the host gets an error; the kernel may go on.}];
  let arguments = (ins CudaTile_BoolTile:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` custom<ShortType>(type($condition))";
}
def CudaTile_PrintTkoOp : CudaTile_Op<"print_tko", "13, 1", [AttrSizedOperandSegments, CudaTile_Ordered]> {
  let summary = "prints as C's printf does, one format for each operand";
  let description = [{All elements of an operand are printed. Before 13.2 the op had neither token nor result.}];
  let arguments = (ins StrAttr:$str, Variadic<CudaTile_AnyTile>:$args, Optional<CudaTile_Token>:$token);
  let results = (outs CudaTile_Token:$result_token);
  let assemblyFormat = "$str (`,` $args^)? (`token` `` `=` `` $token^)? attr-dict custom<ColonTypes>(type($args)) `->` custom<ShortType>(type($result_token))";
  let hasVerifier = 1;
}

#endif
