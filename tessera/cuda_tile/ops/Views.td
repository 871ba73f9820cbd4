// Tensors, views of them, and memory through views.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_VIEWS_TD
#define TESSERA_CUDA_TILE_OPS_VIEWS_TD

include "tessera/cuda_tile/ops/Base.td"

def CudaTile_MakeTensorViewOp : CudaTile_PureOp<"make_tensor_view", "13, 1", [AttrSizedOperandSegments, OpAsmOpInterface]> {
  let summary = "a pointer with a shape and strides";
  let description = [{
    Written `make_tensor_view %p, shape = [%m, 32], strides = [%s, 1] : tile<i64> -> tensor_view<?x32xf32, strides=[?,1]>`. Extents and strides
    count elements and are read as unsigned; those known at run time have one type.
  }];
  let arguments = (ins CudaTile_PointerScalar:$base, Variadic<CudaTile_IntScalar>:$dynamicShape, Variadic<CudaTile_IntScalar>:$dynamicStrides);
  let results = (outs CudaTile_TensorView:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = CudaTile_ResultName<"tview">.method;
}
class CudaTile_MakeViewOp<string mnemonic, string since, Type type, string directive, string name>
  : CudaTile_PureOp<mnemonic, since, [OpAsmOpInterface]> {
  let arguments = (ins CudaTile_TensorView:$tensor_view);
  let results = (outs type:$result);
  let assemblyFormat = "$tensor_view attr-dict `:` custom<" # directive # ">(type($tensor_view), type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = CudaTile_ResultName<name>.method;
}
def CudaTile_MakePartitionViewOp : CudaTile_MakeViewOp<"make_partition_view", "13, 1", CudaTile_PartitionView, "PartitionView", "pview"> {
  let summary = "a tensor cut into tiles";
}
def CudaTile_MakeStridedViewOp : CudaTile_MakeViewOp<"make_strided_view", "13, 3", CudaTile_StridedView, "StridedView", "sview"> {
  let summary = "a tensor seen through windows at regular places";
}
def CudaTile_MakeGatherScatterViewOp : CudaTile_MakeViewOp<"make_gather_scatter_view", "13, 3", CudaTile_GatherScatterView, "GatherScatterView", "gsview"> {
  let summary = "a tensor whose rows are gathered and scattered";
}
def CudaTile_GetTensorShapeOp : CudaTile_PureOp<"get_tensor_shape", "13, 1"> {
  let summary = "the extents of a tensor, in elements";
  let arguments = (ins CudaTile_TensorView:$src);
  let results = (outs Variadic<CudaTile_IntScalar>:$result);
  let assemblyFormat = "$src attr-dict `:` custom<TensorShapeTypes>(type($src), type($result))";
  let hasVerifier = 1;
}
def CudaTile_GetIndexSpaceShapeOp : CudaTile_PureOp<"get_index_space_shape", "13, 1"> {
  let summary = "how many tiles a view has along each dimension: extent by tile, or by traversal stride, rounded up";
  let arguments = (ins CudaTile_AnyView:$src);
  let results = (outs Variadic<CudaTile_IntScalar>:$result);
  let assemblyFormat = "$src attr-dict `:` custom<IndexSpaceTypes>(type($src), type($result))";
  let hasVerifier = 1;
}

// An index is a scalar for each dimension, all of one type; that of a sparse dimension is a tile of row numbers.
def CudaTile_LoadViewTkoOp : CudaTile_Op<"load_view_tko", "13, 1", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "loads a tile of a view";
  let description = [{
    An index outside of the index space is undefined behaviour. Elements outside of the tensor get the padding value of the view, or are unspecified
    without one. `inbounds` (13.4) promises for each dimension of the tile that there are none.
  }];
  let arguments = (ins CudaTile_MemoryOrdering:$memory_ordering_semantics, OptionalAttr<CudaTile_MemoryScope>:$memory_scope,
    CudaTile_AnyView:$view, Variadic<CudaTile_IntTile>:$index, Optional<CudaTile_Token>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints, OptionalAttr<DenseBoolArrayAttr>:$inbounds);
  let results = (outs CudaTile_AnyTile:$tile, CudaTile_Token:$result_token);
  let assemblyFormat = [{custom<MemoryAttributes>($memory_ordering_semantics, $memory_scope) $view `[` $index `]` (`token` `=` $token^)?
    (`optimization_hints` `=` $optimization_hints^)? custom<ViewAttributes>(attr-dict) `:` custom<ShortType>(type($view)) `` custom<IndexTypes>(ref($index), type($index)) `->`
    custom<ShortType>(type($tile)) `,` custom<ShortType>(type($result_token))}];
  let hasVerifier = 1;
}
def CudaTile_StoreViewTkoOp : CudaTile_Op<"store_view_tko", "13, 1", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a tile of a view";
  let description = [{Elements outside of the tensor are not written. `inbounds` (13.4) as for load_view_tko.}];
  let arguments = (ins CudaTile_MemoryOrdering:$memory_ordering_semantics, OptionalAttr<CudaTile_MemoryScope>:$memory_scope,
    CudaTile_AnyTile:$tile, CudaTile_AnyView:$view, Variadic<CudaTile_IntTile>:$index, Optional<CudaTile_Token>:$token,
    OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints, OptionalAttr<DenseBoolArrayAttr>:$inbounds);
  let results = (outs CudaTile_Token:$result_token);
  let assemblyFormat = [{custom<MemoryAttributes>($memory_ordering_semantics, $memory_scope) $tile `,` $view `[` $index `]` (`token` `=` $token^)?
    (`optimization_hints` `=` $optimization_hints^)? custom<ViewAttributes>(attr-dict) `:` custom<ShortType>(type($tile)) `,` custom<ShortType>(type($view)) ``
    custom<IndexTypes>(ref($index), type($index)) `->` custom<ShortType>(type($result_token))}];
  let hasVerifier = 1;
}

#endif
