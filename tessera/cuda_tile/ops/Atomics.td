// Atomic updates of memory; each is atomic for an element, not for a tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_ATOMICS_TD
#define TESSERA_CUDA_TILE_OPS_ATOMICS_TD

include "tessera/cuda_tile/ops/Base.td"

class CudaTile_AtomicOp<string mnemonic, string since, list<Trait> traits>
  : CudaTile_Op<mnemonic, since, [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>] # traits> {
  let hasVerifier = 1;
}
class CudaTile_MaskShape<string names> : PredOpTrait<"all of {" # names # "} have same shape",
  CPred<"::tessera::cuda_tile::sameShapeIfAny(getPointers(), getMask())">>;

def CudaTile_AtomicRMWTkoOp : CudaTile_AtomicOp<"atomic_rmw_tko", "13, 1", [AllShapesMatch<["pointers", "arg", "result"]>,
    AllTypesMatch<["arg", "result"]>, CudaTile_MaskShape<"pointers, arg, mask">]> {
  let summary = "updates the element that each pointer points to, and yields what was there";
  let description = [{
    Integers are i32 or i64; addf takes f16, bf16, f32 and f64 and rounds to nearest even; xchg takes what has 32 or 64 bits. Where the mask is
    false nothing happens and the result is unspecified.
  }];
  let arguments = (ins CudaTile_MemoryOrdering:$memory_ordering_semantics, CudaTile_MemoryScope:$memory_scope, CudaTile_PointerTile:$pointers,
    CudaTile_AtomicRMWMode:$mode, CudaTile_AnyTile:$arg, Optional<CudaTile_BoolTile>:$mask, Optional<CudaTile_Token>:$token);
  let results = (outs CudaTile_AnyTile:$result, CudaTile_Token:$result_token);
  let assemblyFormat = [{$memory_ordering_semantics $memory_scope $pointers `,` $mode `,` $arg (`,` $mask^)? (`token` `` `=` `` $token^)? attr-dict `:`
    custom<ShortType>(type($pointers)) `,` custom<ShortTypes>(type($arg), type($mask)) `->` custom<ShortType>(type($result)) `,`
    custom<ShortType>(type($result_token))}];
}
def CudaTile_AtomicCASTkoOp : CudaTile_AtomicOp<"atomic_cas_tko", "13, 1", [AllShapesMatch<["pointers", "cmp", "val", "result"]>,
    AllTypesMatch<["cmp", "val", "result"]>, CudaTile_MaskShape<"pointers, val, cmp and mask">]> {
  let summary = "stores `val` where an element has the bits of `cmp`, and yields what was there";
  let description = [{Elements have 32 or 64 bits. Where the mask is false nothing happens and the result is `cmp`.}];
  let arguments = (ins CudaTile_MemoryOrdering:$memory_ordering_semantics, CudaTile_MemoryScope:$memory_scope, CudaTile_PointerTile:$pointers,
    CudaTile_AnyTile:$cmp, CudaTile_AnyTile:$val, Optional<CudaTile_BoolTile>:$mask, Optional<CudaTile_Token>:$token);
  let results = (outs CudaTile_AnyTile:$result, CudaTile_Token:$result_token);
  let assemblyFormat = [{$memory_ordering_semantics $memory_scope $pointers `,` $cmp `,` $val (`,` $mask^)? (`token` `` `=` `` $token^)? attr-dict `:`
    custom<ShortType>(type($pointers)) `,` custom<ShortTypes>(type($val), type($mask)) `->` custom<ShortType>(type($result)) `,`
    custom<ShortType>(type($result_token))}];
}
def CudaTile_AtomicRedViewTkoOp : CudaTile_AtomicOp<"atomic_red_view_tko", "13, 3", []> {
  let summary = "updates the elements of a tile of a view";
  let description = [{Relaxed only, in the scope of the tile block or device; no xchg, no padding, no gather_scatter_view. Elements outside of the tensor are left alone.}];
  let arguments = (ins CudaTile_MemoryOrdering:$memory_ordering_semantics, CudaTile_MemoryScope:$memory_scope, CudaTile_AnyView:$view,
    Variadic<CudaTile_IntTile>:$index, CudaTile_AtomicRMWMode:$mode, CudaTile_AnyTile:$value, Optional<CudaTile_Token>:$token);
  let results = (outs CudaTile_Token:$result_token);
  let assemblyFormat = [{custom<RedMemory>($memory_ordering_semantics, $memory_scope) $view `[` $index `]` `,` custom<RedMode>($mode) `,` $value
    (`token` `=` $token^)? custom<ViewAttributes>(attr-dict) `:` custom<ShortType>(type($value)) `,` custom<ShortType>(type($view)) `` custom<IndexTypes>(ref($index), type($index)) `->`
    custom<ShortType>(type($result_token))}];
}

#endif
